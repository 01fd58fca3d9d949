import type { Driver } from '../../ports/driver.port.ts'
import type { DriverCommand, DriverEvent, DriverFault, HostCommand } from '../../protocol/driver.ts'
import { refusal } from '../refusal.ts'
import type { EventFault, PaperFaults } from './faults.ts'

/** What the host tells over the line. */
export interface PaperEvent {
  readonly kind: 'event'
  readonly event: DriverEvent
}

/** The way to the paper client; a channel of the actor kit fits. */
export interface PaperLine {
  send(command: HostCommand): void
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

interface Held {
  readonly event: DriverEvent
  readonly done: () => void
  readonly session: number
}

interface Told {
  readonly events: readonly DriverEvent[]
  readonly done: () => void
  /** The connection over which it came. */
  readonly session: number
}

const NOT_CONNECTED = 'not connected to the trading client'

/** What arrives when this is said. */
function toldOf(event: DriverEvent, fault: EventFault | undefined): readonly DriverEvent[] {
  switch (fault?.kind) {
    case 'lose':
    case 'disconnect':
      return []
    case 'twice':
      return [event, event]
    case 'instead':
      return [fault.event]
    default:
      return [event]
  }
}

/**
 * The driver of an account at the embedded broker.
 *
 * The sink is called inside the line's own callback, and inside `send` when a command fails before
 * it leaves; so the sink only enqueues. A submit that never left is rejected, not in doubt. While
 * it is not connected nothing but the answer to `connect` comes through: answers and pushes of a
 * broken connection are lost, and the queries after the next one tell what happened. What an older
 * connection says late counts only as far as it tells of orders and deals; it never says anything
 * about the connection that stands now.
 */
export class PaperDriver implements Driver {
  readonly #options: PaperDriverOptions
  #line: PaperLine | undefined
  #sink: (event: DriverEvent) => void = () => undefined
  #isConnected = false
  /** Raised whenever the connection ends. */
  #session = 1
  /** Sessions up to this one have nothing to say any more. */
  #forgotten = 0
  #isClosed = false
  /** Submits that a fault holds on their way. */
  #late = 0
  /** An event that lets the next one pass. */
  #held: Held | undefined

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
    if (fault?.kind === 'restart') return this.#restart(fault.reason)
    if (fault?.kind === 'late' && command.kind === 'submit') {
      return this.#delay(command, fault.until)
    }
    if (!this.#isConnected && command.kind !== 'connect') {
      return this.#refuse(command, 'NOT_CONNECTED', NOT_CONNECTED)
    }
    if (command.kind === 'barrier' && this.#late > 0) {
      return this.#refuse(command, 'FAILED', `${this.#late} 笔委托仍在途中 (still on its way)`)
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

  /** Whatever happens to the connection meanwhile, it arrives in the end, unless this driver is closed. */
  #delay(command: DriverCommand, until: Promise<unknown>): void {
    if (!this.#isConnected) return this.#refuse(command, 'NOT_CONNECTED', NOT_CONNECTED)
    this.#late += 1
    void until.then(() => {
      this.#late -= 1
      if (!this.#isClosed) this.#post(command)
    })
  }

  #break(
    command: DriverCommand,
    { reason, isSent }: { readonly reason: string; readonly isSent: boolean },
  ): void {
    if (isSent) this.#post(command)
    this.#deliver({ kind: 'disconnected', reason })
  }

  #restart(reason: string): void {
    this.#forgotten = this.#session
    this.#held?.done()
    this.#held = undefined
    this.#deliver({ kind: 'disconnected', reason })
  }

  #refuse(command: DriverCommand, code: DriverFault['code'], message: string): void {
    this.#deliver(refusal(command, { code, message }))
  }

  #receive(event: DriverEvent, done: () => void): void {
    const fault = this.#options.faults?.event?.(event)
    const session = this.#session
    if (fault?.kind === 'swap' && this.#held === undefined) {
      this.#held = { event, done, session }
      return
    }
    if (fault?.kind === 'late') {
      setTimeout(() => this.#pass({ events: [event], done, session }), fault.delayMs)
      return
    }
    if (fault?.kind === 'disconnect') this.#deliver({ kind: 'disconnected', reason: fault.reason })
    this.#pass({ events: toldOf(event, fault), done, session })
    const held = this.#held
    this.#held = undefined
    if (held !== undefined) this.#pass({ ...held, events: [held.event] })
  }

  #pass({ events, done, session }: Told): void {
    for (const event of events) if (this.#counts(event, session)) this.#deliver(event)
    done()
  }

  #counts(event: DriverEvent, session: number): boolean {
    if (session <= this.#forgotten) return false
    const isHistory = event.kind === 'orderPushed' || event.kind === 'dealPushed'
    if (session !== this.#session) return isHistory && this.#isConnected
    return this.#isConnected || event.kind === 'connectAnswered' || event.kind === 'disconnected'
  }

  #deliver(event: DriverEvent): void {
    if (this.#isClosed) return
    if (event.kind === 'connectAnswered') this.#isConnected = event.result.ok
    if (event.kind === 'disconnected') {
      this.#isConnected = false
      this.#session += 1
    }
    this.#sink(event)
  }
}
