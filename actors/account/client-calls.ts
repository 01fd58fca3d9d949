import type { AccountState } from '../../src/account/model/state.ts'
import type { AccountInput } from '../../src/account/step.ts'
import type { Effect } from '../../src/account/turn/turn.ts'
import type { CallReport } from '../../src/domain/call-log.ts'
import type { Driver } from '../../src/ports/driver.port.ts'
import type { DriverCommand, DriverEvent } from '../../src/protocol/driver.ts'
import { CallMeter } from './call-meter.ts'
import type { AccountActorDeps } from './deps.ts'
import type { Saved } from './outgoing.ts'
import { NOT_SENT, type Requesters } from './requesters.ts'
import type { Timers } from './timers.ts'

interface ClientCallsOptions {
  readonly deps: Pick<AccountActorDeps, 'driver' | 'callBy' | 'latency' | 'log'>
  readonly state: AccountState
  /** That the account was opened with. */
  readonly epoch: number
  readonly requesters: Pick<Requesters, 'isOrderLate'>
  readonly timers: Pick<Timers, 'callBegan' | 'callAnswered'>
  readonly offer: (lane: 'event', input: AccountInput) => void
}

/** What the account tells its trading client, each call until it is answered, out of time, or left unsent. */
export class ClientCalls {
  readonly #options: ClientCallsOptions
  readonly #driver: Driver
  readonly #meter: CallMeter
  /** Until when a call may begin that was decided then; undefined: it must not begin. */
  readonly #callBy: (sentAtMs: number) => number | undefined

  constructor(options: ClientCallsOptions) {
    const { deps, epoch } = options
    const { callBy = () => Number.POSITIVE_INFINITY, latency } = deps
    this.#options = options
    this.#driver = deps.driver(epoch)
    this.#meter = new CallMeter(Date.now(), deps.log)
    this.#callBy = (sentAtMs) => callBy(epoch, sentAtMs === 0 ? 0 : latency.nowMs() - sentAtMs)
  }

  open(onEvent: (event: DriverEvent) => void): void {
    this.#driver.open(onEvent)
  }

  close(): void {
    this.#driver.close()
  }

  report(): CallReport {
    return this.#meter.report()
  }

  /** Sends what has been saved, unless it came too late. */
  send(
    { command, timeoutMs }: Extract<Effect, { kind: 'call' }>,
    { correlationId, sentAtMs, durableAtMs }: Saved,
  ): void {
    const { callId } = command
    const { timers, deps } = this.#options
    const untilMs = this.#callBy(sentAtMs)
    if (command.kind === 'submit') {
      const why = this.#whyNotSent(command.order.clientOrderId, untilMs)
      if (why !== undefined) return this.#leftUnsent(command, why)
    }
    timers.callBegan(callId, timeoutMs)
    this.#meter.began(command, this.#isPing(callId), correlationId)
    // A cancel that must not be sent is one that was not answered.
    if (command.kind !== 'cancel' || untilMs !== undefined) this.#driver.send(command, untilMs)
    if (command.kind !== 'submit' || durableAtMs === 0) return
    deps.latency.commitToSubmit.observe(deps.latency.nowMs() - durableAtMs)
  }

  answered(event: Extract<DriverEvent, { callId: number }>): void {
    this.#options.timers.callAnswered(event.callId)
    this.#meter.answered(event)
  }

  timedOut(callId: number): void {
    this.#meter.timedOut(callId)
    this.#options.offer('event', { kind: 'callTimedOut', callId })
  }

  #whyNotSent(clientOrderId: string, untilMs: number | undefined): string | undefined {
    if (this.#options.requesters.isOrderLate(clientOrderId))
      return 'it came too late for its caller'
    return untilMs !== undefined
      ? undefined
      : 'this computer may not act now, or the journal took too long'
  }

  /** What the disk took too long for: the broker never hears of it, and the journal says so. */
  #leftUnsent({ callId, order }: Extract<DriverCommand, { kind: 'submit' }>, why: string): void {
    const { clientOrderId } = order
    this.#options.deps.log.warn({ clientOrderId }, `an order was not sent: ${why}`)
    const outcome = { kind: 'rejected', message: NOT_SENT } as const
    const event = { kind: 'submitAnswered', callId, clientOrderId, outcome } as const
    this.#options.offer('event', { kind: 'driver', event })
  }

  #isPing(callId: number): boolean {
    const call = this.#options.state.calls.get(callId)
    return call?.kind === 'query' && call.purpose === 'ping'
  }
}
