import type { StockCode } from '../../domain/instrument.ts'
import { shares } from '../../domain/money.ts'
import { isCaughtUp, type OrderRecord } from '../../domain/order.ts'
import { isOpen } from '../../domain/order-state.ts'
import { dayInForce } from '../model/days.ts'
import type { AccountEvent, JournaledEvent } from '../model/events.ts'
import { isUnconfirmed } from '../model/restore.ts'
import type { AccountState } from '../model/state.ts'
import type { Cause } from '../model/trace.ts'
import { followExDay } from '../orders/ex-day.ts'
import { followUp, nextFollowUpMs, trackedOrders } from '../orders/follow-up.ts'
import { positionsOf } from '../turn/holding.ts'
import type { Turn } from '../turn/turn.ts'
import type { StrategyManifest } from './manifest.ts'
import { observeQuote } from './market-gates.ts'
import { STRATEGIES } from './registry.ts'

type Strategies = readonly StrategyManifest[]

/** After every input: the working orders of every strategy, by its own policy. */
export function followOrders(turn: Turn, strategies: Strategies): void {
  // Nothing of an order that the books of a backup know is canceled or sent again before a person has looked.
  if (isUnconfirmed(turn.state.restore)) return
  for (const { followUp: policy } of strategies) if (policy !== undefined) followUp(turn, policy)
}

/** What the account had before the input that is being worked off. */
export interface Before {
  readonly isReady: boolean
  readonly isSimulation: boolean
  /** Stocks that left their band. */
  readonly crossed: readonly StockCode[]
}

/**
 * After every input: every strategy evaluates the stocks that the input has touched. What an evaluation
 * itself changes is evaluated with the next input, so that a turn ends.
 */
export function runStrategies(turn: Turn, before: Before, strategies: Strategies): void {
  const isSimulation = turn.state.simulation !== undefined
  if (isSimulation !== before.isSimulation) onModeChanged(turn, strategies)
  for (const strategy of strategies) strategy.manage?.(turn)
  const causes = causesOf(turn, before, strategies)
  const isWide = isAllChanged(turn.state, before) || !turn.events.every(isOfOneStock)
  turn.state.hasRested = false
  if (turn.events.some(({ event }) => event.kind === 'settingsChanged')) {
    for (const strategy of strategies) strategy.onSettings?.(turn)
  }
  let settled = settleSimulated(turn, 0, strategies)
  for (const [code, cause] of causes) {
    followExDay(turn, code)
    observeQuote(turn, code, cause)
    for (const strategy of strategies) {
      strategy.evaluate(turn, code, cause)
      settled = settleSimulated(turn, settled, strategies)
    }
  }
  if (causes.size === 0) return
  turn.after(isWide ? { kind: 'bands' } : { kind: 'bands', codes: new Set(causes.keys()) })
}

function onModeChanged(turn: Turn, strategies: Strategies): void {
  // A simulation looks at any hour: what it has seen before an open is no look of the session.
  if (turn.state.simulation === undefined) turn.state.quoteTrust.forgetLooks()
  for (const { onModeChanged: follow, memory } of strategies) {
    if (follow !== undefined) follow(turn)
    else if (memory !== undefined) turn.state.memories.forget(memory)
  }
}

/** Stocks to evaluate, and why; a tick is the strongest reason. */
function causesOf(
  { state, events, inputs, stirred }: Turn,
  before: Before,
  strategies: Strategies,
): ReadonlyMap<StockCode, Cause> {
  const causes = new Map<StockCode, Cause>()
  const add = (codes: Iterable<StockCode>, cause: Cause) => {
    for (const code of codes) causes.set(code, cause)
  }
  add(dueCodes(state, inputs.nowMs, strategies), 'alarm')
  if (isAllChanged(state, before)) add(watchedCodes(state, strategies), 'change')
  for (const { event } of events) add(codesAffectedBy(state, event, strategies), 'change')
  add(stirred, 'change')
  add(before.crossed, 'tick')
  return causes
}

/** Another broker than before, for all that is known, or nobody has looked for a while. */
const isAllChanged = ({ isReady, hasRested }: AccountState, before: Before): boolean =>
  hasRested || isReady !== before.isReady

/** Asked after every input, and mostly there are none. */
function dueCodes(
  state: AccountState,
  nowMs: number,
  strategies: Strategies,
): readonly StockCode[] {
  let due: StockCode[] | undefined
  for (const { alarms } of strategies) {
    if (alarms === undefined) continue
    for (const [code, dueMs] of alarms(state)) {
      if (dueMs > nowMs) continue
      due ??= []
      due.push(code)
    }
  }
  return due ?? NONE
}
const NONE: readonly StockCode[] = []

const ALL_CHANGED: ReadonlySet<AccountEvent['kind']> = new Set<AccountEvent['kind']>([
  'settingsChanged',
  'riskChanged',
  'killSwitchSet',
  'restoreConfirmed',
  'dayOpened',
  'dayTakenBack',
  'clockTrusted',
])

const OF_ONE_STOCK: ReadonlySet<AccountEvent['kind']> = new Set<AccountEvent['kind']>([
  'positionReported',
  'positionClosed',
  'holdingChanged',
  'exDayFollowed',
  'dealBooked',
  'orderSimulated',
  'orderSubmitted',
  'orderAdopted',
])

/** Whether it moves the bands of no other stock than the one that it touches. */
const isOfOneStock = ({ event }: JournaledEvent): boolean =>
  OF_ONE_STOCK.has(event.kind) || 'clientOrderId' in event

/** Stocks whose judgment may be another one after this event. */
function codesAffectedBy(
  state: AccountState,
  event: AccountEvent,
  strategies: Strategies,
): Iterable<StockCode> {
  const isOfAll =
    ALL_CHANGED.has(event.kind) || strategies.some(({ wokenBy }) => wokenBy?.has(event.kind))
  if (isOfAll) return watchedCodes(state, strategies)
  switch (event.kind) {
    case 'positionReported':
      return [event.position.code]
    case 'positionClosed':
    case 'holdingChanged':
    case 'exDayFollowed':
      return [event.code]
    case 'dealBooked':
      return [event.deal.code]
    case 'orderSimulated':
      return [event.record.code]
    case 'orderSubmitted':
    case 'orderAdopted':
      return [event.order.code]
    default: {
      const order = 'clientOrderId' in event ? state.orders.get(event.clientOrderId) : undefined
      return order === undefined ? [] : [order.code]
    }
  }
}

/** Ends with the effects of fills: whatever a confirmed fill of a signal means, it means once, and durably. */
export function settleFills(turn: Turn, strategies: Strategies): void {
  for (const order of trackedOrders(turn.state)) {
    const isUntold = !isCaughtUp(order)
    if (isOpen(order.status) || (isUntold && !isOver(turn, order))) continue
    if (isUnsettled(order)) {
      for (const strategy of strategies) strategy.onFilled?.(turn, order)
      turn.emit({ kind: 'signalFilled', clientOrderId: order.clientOrderId })
    }
    if (isUntold) giveUpDeals(turn, order)
  }
}

/** Its day is, or a person has said that it has ended, whatever lists lack. */
const isOver = ({ state, inputs }: Turn, { day, status, vanishedMs }: OrderRecord): boolean =>
  day < dayInForce(state, inputs.nowMs) || (status === 'expired' && vanishedMs !== undefined)

/**
 * The broker has counted more fills than its deals have told, and deals are listed on their own day: whoever waited
 * for these would wait for ever, and no stop of the stock would be sent meanwhile.
 */
function giveUpDeals(turn: Turn, order: OrderRecord): void {
  const { clientOrderId, filledQuantity, venueFilledQuantity = 0 } = order
  turn.moveOrder(clientOrderId, 'expire')
  const counts = `${shares(filledQuantity)}/${shares(venueFilledQuantity)}`
  const text = `委托已终结，柜台报告的成交未全部列出，已入账 ${counts}，请核对 (it is over, and deals have told ${counts} of what the broker counted: please look)`
  turn.warnOfOrder(clientOrderId, text)
}

/**
 * The same for fills in simulation mode, which are final at once: before another strategy evaluates
 * the stock. Takes the events of the turn from a number on, and returns the number of the next one.
 */
function settleSimulated(turn: Turn, from: number, strategies: Strategies): number {
  for (const { event } of turn.events.slice(from)) {
    if (event.kind !== 'orderSimulated' || event.signalType === undefined) continue
    const { signalType, record } = event
    const filled = { code: record.code, signalType, isSimulated: true }
    for (const strategy of strategies) strategy.onFilled?.(turn, filled)
  }
  return turn.events.length
}

const isUnsettled = ({ filledQuantity, venueFilledQuantity, isSettled }: OrderRecord): boolean =>
  Math.max(filledQuantity, venueFilledQuantity ?? 0) > 0 && isSettled !== true

/** Stocks whose quotes this account needs: those held, and those that a strategy works on. */
export function watchedCodes(
  state: AccountState,
  strategies: Strategies = STRATEGIES,
): ReadonlySet<StockCode> {
  const watched = new Set(positionsOf(state).keys())
  for (const { codes } of strategies) for (const code of codes?.(state) ?? []) watched.add(code)
  return watched
}

/** Whether `watchedCodes` has it, without making all of them. */
export function isWatched(
  state: AccountState,
  code: StockCode,
  strategies: Strategies = STRATEGIES,
): boolean {
  if (positionsOf(state).has(code)) return true
  return strategies.some(({ codes }) => codes !== undefined && [...codes(state)].includes(code))
}

/** The next moment of the market clock at which a strategy wants to evaluate a stock; Infinity when there is none. */
export function nextEvaluationMs(
  state: AccountState,
  nowMs: number,
  strategies: Strategies = STRATEGIES,
): number {
  let next = Number.POSITIVE_INFINITY
  for (const { alarms } of strategies) {
    if (alarms === undefined) continue
    for (const [, dueMs] of alarms(state)) if (dueMs > nowMs) next = Math.min(next, dueMs)
  }
  return next
}

/** The next moment of the market clock at which the follow-up of an order is due; Infinity when there is none. */
export function nextOrderMs(
  state: AccountState,
  nowMs: number,
  strategies: Strategies = STRATEGIES,
): number {
  let next = Number.POSITIVE_INFINITY
  for (const { followUp: policy } of strategies) {
    if (policy !== undefined) next = Math.min(next, nextFollowUpMs(state, nowMs, policy))
  }
  return next
}
