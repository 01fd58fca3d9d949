import { apply } from '../../src/account/fold/apply.ts'
import type { AccountLimits } from '../../src/account/model/policy.ts'
import { emptyState } from '../../src/account/model/state.ts'
import type { AccountInput } from '../../src/account/step.ts'
import type { Effect, TimerName } from '../../src/account/turn/turn.ts'
import type { BrokerDeal, BrokerOrder, BrokerPosition } from '../../src/domain/order.ts'
import type { Result } from '../../src/domain/result.ts'
import type { DriverEvent, DriverFault } from '../../src/protocol/driver.ts'
import { Bench, brokerDeal, brokerOrder, commands, KEY, policy } from './fixture.ts'

/** What a broker can say or keep to itself, in the words of a test. */
export const said = (event: DriverEvent): AccountInput => ({ kind: 'driver', event })
export const accepted = (callId: number, orderId = '1001', clientOrderId = KEY): AccountInput =>
  said({
    kind: 'submitAnswered',
    callId,
    clientOrderId,
    outcome: { kind: 'accepted', orderId },
  })
export const pushed = (row: Partial<BrokerOrder> = {}): AccountInput =>
  said({ kind: 'orderPushed', order: brokerOrder(row) })
export const dealt = (row: Partial<BrokerDeal> = {}): AccountInput =>
  said({ kind: 'dealPushed', deal: brokerDeal(row) })
export const gone: AccountInput = said({ kind: 'disconnected', reason: 'gone' })
export const timer = (name: TimerName): AccountInput => ({ kind: 'timer', name })

export interface Rows {
  readonly orders?: readonly BrokerOrder[]
  readonly deals?: readonly BrokerDeal[]
  readonly positions?: readonly BrokerPosition[]
}

/** Places the usual order; the number of the call. */
export const placed = (bench: Bench): number => commands(bench.place())[0]?.callId ?? 0

/** An order in doubt: its call was not answered in time. */
export function doubtful(): Bench {
  const bench = new Bench().ready()
  bench.input({ kind: 'callTimedOut', callId: placed(bench) })
  return bench
}

/** One look for orders in doubt, and what it shows; a barrier is not answered. */
export function look(bench: Bench, rows: Rows = {}): readonly Effect[] {
  const effects = bench.input(timer('doubt'))
  return [...effects, ...bench.answerQueries(commands(effects), rows)]
}

/** The number of the barrier that was asked for. */
export const barrierIn = (effects: readonly Effect[]): number | undefined =>
  commands(effects).find(({ kind }) => kind === 'barrier')?.callId

const CLEAR: Result<null, DriverFault> = { ok: true, value: null }

/** A barrier is answered: by default nothing can arrive any more that was sent before it. */
export const barred = (callId: number, result: Result<null, DriverFault> = CLEAR): AccountInput =>
  said({ kind: 'barrierAnswered', callId, result })

/** One look for orders in doubt, its barrier with it, and what the look that follows it shows. */
export function doubtPoll(bench: Bench, rows: Rows = {}): readonly Effect[] {
  const effects = look(bench, rows)
  const barrier = barrierIn(effects)
  if (barrier === undefined) return effects
  const after = bench.input(barred(barrier))
  return [...effects, ...after, ...bench.answerQueries(commands(after), rows)]
}

/** Two looks that are far enough apart to conclude something. */
export function settle(bench: Bench, rows: Rows = {}): readonly Effect[] {
  doubtPoll(bench, rows)
  bench.wallMs += policy.limits.doubtSettleMs
  return doubtPoll(bench, rows)
}

/** The thread ended, and a new one has read what was durable: nothing but the journal. */
export function reborn(bench: Bench, limits: Partial<AccountLimits> = {}): Bench {
  const { settings, risk } = bench.state.policy // of the same file
  const state = emptyState({ ...policy, settings, risk, limits: { ...policy.limits, ...limits } })
  for (const event of bench.journal) apply(state, event)
  const next = new Bench(state)
  next.nowMs = bench.nowMs
  next.wallMs = bench.wallMs
  return next
}

/** Connects again and answers the four reports. */
export function recovered(bench: Bench, rows: Rows = {}): readonly Effect[] {
  const [connect] = commands(bench.input(timer('reconnect')))
  const callId = connect?.callId ?? 0
  const result = { ok: true, value: null } as const
  const queries = commands(bench.input(said({ kind: 'connectAnswered', callId, result })))
  return bench.answerQueries(queries, rows)
}

/** Starts a bench that was reborn, and answers its four reports. */
export function started(bench: Bench, rows: Rows = {}, day = '2026-08-11'): readonly Effect[] {
  const [connect] = commands(bench.input({ kind: 'started', incarnation: 2, day }))
  const callId = connect?.callId ?? 0
  const result = { ok: true, value: null } as const
  const queries = commands(bench.input(said({ kind: 'connectAnswered', callId, result })))
  return bench.answerQueries(queries, rows)
}

export const kinds = (bench: Bench): readonly string[] =>
  bench.journal.map(({ event }) => event.kind)
export const count = (bench: Bench, kind: string): number =>
  kinds(bench).filter((each) => each === kind).length
