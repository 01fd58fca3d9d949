import type { Driver } from '../../ports/driver.port.ts'
import type { DriverCommand, DriverEvent, DriverFault } from '../../protocol/driver.ts'
import type { PaperCommand, PaperEvent } from '../../protocol/paper.ts'
import type { PaperFaults } from './faults.ts'
import { refusal } from './refusal.ts'

/** The way to the paper client; a channel of the actor kit fits. */
export interface PaperLine {
  send(command: PaperCommand): void
  close(): void
}
/** `done` is called when everything that follows from the event is where it counts. */
export type PaperReceive = (event: PaperEvent, done: () => void) => void

export interface PaperDriverOptions {
  /** Opens the line; called once, by `open`. */
  readonly line: (receive: PaperReceive) => PaperLine
  /** Of the owner of the account: a newer one locks this driver out. */
  readonly epoch: number
  /** Only tests break things. */
  readonly faults?: PaperFaults
}

/**
 * The driver of an account at the embedded trading client.
 *
 * The sink is called inside the line's own callback, and inside `send` when a command fails before
 * it leaves; so the sink only enqueues. A submit that never left is rejected, not in doubt. While
 * it is not connected nothing but the answer to `connect` comes through: answers and pushes of a
 * broken connection are lost, and the queries after the next one tell what happened.
 */
export class PaperDriver implements Driver {
  readonly #options: PaperDriverOptions
  #line: PaperLine | undefined
  #sink: (event: DriverEvent) => void = () => undefined
  #isConnected = false
  #isClosed = false
  /** An event that lets the next one pass. */
  #held: { readonly event: DriverEvent; readonly done: () => void } | undefined

  constructor(options: PaperDriverOptions) {
    this.#options = options
  }

  open(sink: (event: DriverEvent) => void): void {
    if (this.#line !== undefined) throw new Error('the driver is open already')
    this.#sink = sink
    const { line, epoch } = this.#options
    this.#line = line(({ event }, done) => this.#receive(event, done))
    this.#line.send({ kind: 'open', epoch })
  }

  send(command: DriverCommand): void {
    if (this.#isClosed) return
    const fault = this.#options.faults?.command?.(command)
    if (fault?.kind === 'hang') return
    if (fault?.kind === 'fail') return this.#refuse(command, 'FAILED', fault.message)
    if (fault?.kind === 'disconnect') return this.#break(command, fault)
    if (!this.#isConnected && command.kind !== 'connect') {
      return this.#refuse(command, 'NOT_CONNECTED', 'not connected to the trading client')
    }
    this.#post(command)
  }

  close(): void {
    this.#isClosed = true
    this.#line?.close()
  }

  #post(command: DriverCommand): void {
    if (this.#line === undefined) throw new Error('the driver is not open')
    this.#line.send({ kind: 'command', command })
  }

  #break(
    command: DriverCommand,
    { reason, isSent }: { readonly reason: string; readonly isSent: boolean },
  ): void {
    if (isSent) this.#post(command)
    this.#deliver({ kind: 'disconnected', reason })
  }

  #refuse(command: DriverCommand, code: DriverFault['code'], message: string): void {
    this.#deliver(refusal(command, { code, message }))
  }

  #receive(event: DriverEvent, done: () => void): void {
    const fault = this.#options.faults?.event?.(event)
    if (fault?.kind === 'swap' && this.#held === undefined) {
      this.#held = { event, done }
      return
    }
    if (fault?.kind === 'late') {
      setTimeout(() => this.#pass([event], done), fault.delayMs)
      return
    }
    const copies = fault?.kind === 'lose' ? [] : fault?.kind === 'twice' ? [event, event] : [event]
    this.#pass(copies, done)
    const held = this.#held
    this.#held = undefined
    if (held !== undefined) this.#pass([held.event], held.done)
  }

  #pass(events: readonly DriverEvent[], done: () => void): void {
    for (const event of events) {
      const isAboutTheLine = event.kind === 'connectAnswered' || event.kind === 'disconnected'
      if (this.#isConnected || isAboutTheLine) this.#deliver(event)
    }
    done()
  }

  #deliver(event: DriverEvent): void {
    if (this.#isClosed) return
    if (event.kind === 'connectAnswered') this.#isConnected = event.result.ok
    if (event.kind === 'disconnected') this.#isConnected = false
    this.#sink(event)
  }
}
