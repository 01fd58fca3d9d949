import type { AccountState } from '../../src/account/model/state.ts'
import type { AccountInput } from '../../src/account/step.ts'
import type { Effect } from '../../src/account/turn/turn.ts'
import type { CallReport } from '../../src/domain/call-log.ts'
import type { Driver } from '../../src/ports/driver.port.ts'
import type { DriverCommand, DriverEvent, SubmitOutcome } from '../../src/protocol/driver.ts'
import { CallMeter } from './call-meter.ts'
import type { DecisionAge } from './decision-age.ts'
import type { AccountActorDeps } from './deps.ts'
import type { Saved } from './outgoing.ts'
import { NOT_SENT, type Requesters } from './requesters.ts'
import type { Timers } from './timers.ts'

/** Of an order whose price is of another time by now: the computer slept, or its disk stood still. */
export const DECIDED_TOO_LONG_AGO =
  '作出决定后过久才能发出（电脑睡眠或磁盘停顿），已作废，未发往柜台 (decided too long before it could be sent, as when the computer slept or its disk stood still: never sent)'

interface ClientCallsOptions {
  readonly deps: Pick<
    AccountActorDeps,
    'driver' | 'callBy' | 'latency' | 'time' | 'log' | 'tallies'
  >
  readonly state: AccountState
  /** That the account was opened with. */
  readonly epoch: number
  readonly requesters: Pick<Requesters, 'isOrderLate'>
  readonly age: Pick<DecisionAge, 'leftMs'>
  readonly timers: Pick<Timers, 'callBegan' | 'callAnswered'>
  readonly offer: (lane: 'event', input: AccountInput) => void
}

/** Why an order that was written down is not sent: in the log, and as the journal has it. */
interface Unsent {
  readonly why: string
  readonly outcome: Extract<SubmitOutcome, { kind: 'rejected' }>
}
const LATE_FOR_CALLER: Unsent = {
  why: 'it came too late for its caller',
  outcome: { kind: 'rejected', message: NOT_SENT, isTooLate: true },
}
const MAY_NOT_ACT: Unsent = {
  why: 'this computer may not act now, or the journal took too long',
  outcome: { kind: 'rejected', message: NOT_SENT },
}
const TOO_OLD: Unsent = {
  why: 'it was decided too long ago (limits.account.order_send_ms)',
  outcome: { kind: 'rejected', message: DECIDED_TOO_LONG_AGO, isTooLate: true },
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
    this.#meter = new CallMeter(deps.log, deps.tallies)
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
    { correlationId, decided, sentAtMs, durableAtMs }: Saved,
  ): void {
    const { callId } = command
    const { timers, deps, age } = this.#options
    let untilMs = this.#callBy(sentAtMs)
    if (command.kind === 'submit') {
      const leftMs = age.leftMs(decided)
      const why = this.#whyNotSent(command.order.clientOrderId, { untilMs, leftMs })
      if (why !== undefined) return this.#leftUnsent(command, why)
      untilMs = Math.min(untilMs ?? 0, deps.time.monotonicMs() + leftMs)
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

  #whyNotSent(
    clientOrderId: string,
    { untilMs, leftMs }: { readonly untilMs: number | undefined; readonly leftMs: number },
  ): Unsent | undefined {
    if (this.#options.requesters.isOrderLate(clientOrderId)) return LATE_FOR_CALLER
    if (untilMs === undefined) return MAY_NOT_ACT
    return leftMs < 0 ? TOO_OLD : undefined
  }

  /** What the disk took too long for: the broker never hears of it, and the journal says so. */
  #leftUnsent({ callId, order }: Extract<DriverCommand, { kind: 'submit' }>, unsent: Unsent): void {
    const { clientOrderId } = order
    const { why, outcome } = unsent
    this.#options.deps.log.warn({ clientOrderId }, `an order was not sent: ${why}`)
    const event = { kind: 'submitAnswered', callId, clientOrderId, outcome } as const
    this.#options.offer('event', { kind: 'driver', event })
  }

  #isPing(callId: number): boolean {
    const call = this.#options.state.calls.get(callId)
    return call?.kind === 'query' && call.purpose === 'ping'
  }
}
