import { strict as assert } from 'node:assert'
import { type Money, shares } from '../../../domain/money.ts'
import { countedOf, isCaughtUp, type OrderRecord } from '../../../domain/order.ts'
import { isOpen } from '../../../domain/order-state.ts'
import { opensAgainToday, tradedMs } from '../../../domain/session.ts'
import type { GridSession } from '../../../strategy/grid/session.ts'
import { dayInForce } from '../../model/days.ts'
import type { GridOrder } from '../../model/grid-book.ts'
import type { GridOutcome } from '../../model/grid-events.ts'
import type { AccountState } from '../../model/state.ts'
import { assetsNow } from '../../orders/assets.ts'
import {
  type Ending,
  type FollowUpPolicy,
  isMarketClosed,
  isPartSought,
  type Rest,
} from '../../orders/follow-up.ts'
import type { IntentOutcome } from '../../orders/order-intent.ts'
import { isQuoteRefused } from '../../orders/quote-rules.ts'
import type { Turn } from '../../turn/turn.ts'
import { bookFills } from './booking.ts'
import { execute } from './execute.ts'
import { areGridsOn, isAwake, liveSessions, openOrders } from './lookups.ts'

/**
 * Orders of grids are canceled for their age only without any fill, and all of them when their
 * session ends. One that was never filled is sent again, planned anew at the price of then, while
 * its session still wants it; a refusal ends that.
 */
export const followGrids: FollowUpPolicy = {
  working: ({ grid }) => grid.open,
  timeLimitMs: ({ policy }) =>
    policy.grid.isAutoCancel ? policy.grid.pendingTimeoutMs : Number.POSITIVE_INFINITY,
  isFilledCanceled: false,
  timeoutSource: 'grid_pending_timeout',
  timedOut,
  cancelSource,
  book,
  restOf,
  freezeMs: ({ policy }) => policy.grid.pendingTimeoutMs,
  retry: ({ policy }) => ({ triesMax: 1, intervalMs: policy.pending.retryIntervalMs }),
  resubmit,
  ended,
}

interface OfGrid {
  readonly grid: GridOrder
  readonly session: GridSession
}

/** What the books of the grids have on an order. */
function ofGrid({ grid: book }: AccountState, { clientOrderId }: OrderRecord): OfGrid | undefined {
  const grid = book.orders.get(clientOrderId)
  const session = book.sessions.get(grid?.sessionId ?? 0)
  return grid === undefined || session === undefined ? undefined : { grid, session }
}

/** Also of a session that has stopped: an order of it may turn up at the broker afterwards. */
function cancelSource(state: AccountState, order: OrderRecord): string | undefined {
  const status = ofGrid(state, order)?.session.status
  return status === 'stopping' || status === 'stopped' ? 'grid_stop' : undefined
}

/** The row of the grid says it, and the order as long as nobody else has it canceled. */
function timedOut(turn: Turn, order: OrderRecord): boolean {
  const { state } = turn
  const { isAutoReorder, reordersMax } = state.policy.grid
  const { clientOrderId } = order
  const attempt = ofGrid(state, order)?.grid.attempt ?? reordersMax
  const isReorderWanted = isAutoReorder && attempt < reordersMax
  turn.emit({ kind: 'gridOrderTimedOut', clientOrderId, isReorderWanted })
  return isReorderWanted
}

function book(turn: Turn, order: OrderRecord): void {
  const { clientOrderId, orderId, filledQuantity: quantity, filledAmount: amount } = order
  const booked = turn.state.grid.orders.get(clientOrderId)?.bookedQuantity ?? quantity
  if (quantity > booked) bookFills(turn, clientOrderId, { orderId, quantity, amount })
}

/** Another order may take its place only while everything still lets it. */
function restOf(turn: Turn, order: OrderRecord): Rest | undefined {
  const { state, inputs } = turn
  const found = ofGrid(state, order)
  if (found === undefined) return 'later'
  const { grid, session } = found
  const isWanted =
    isForItsAge(state, { grid, order }) &&
    order.filledQuantity === 0 &&
    order.status === 'canceled' &&
    order.day >= dayInForce(state, inputs.nowMs) &&
    session.status === 'active' &&
    session.isEnabled &&
    isAwake(state, session) &&
    areGridsOn(state)
  // Until fills show in holding and cash nobody knows how much all holdings are.
  if (isWanted && order.side === 'buy' && assetsNow(state, inputs) === undefined) return 'later'
  if (isWanted && (isPartSought(state, order) || waitsForMarket(turn, order))) return 'later'
  return isWanted ? { quantity: grid.requested, price: grid.reservedPrice } : undefined
}

/**
 * The break at noon is no refusal, nor is a client that comes back from it late. Its last quote is none of the afternoon: a
 * usable one is waited for as long as an order may wait for its fill, in hours in which it could have been sent.
 */
function waitsForMarket({ state, inputs }: Turn, { code, updatedMs }: OrderRecord): boolean {
  const { nowMs } = inputs
  if (isMarketClosed(state, nowMs)) return opensAgainToday(nowMs)
  const quote = inputs.quote(code)
  const isUsable =
    quote !== undefined && quote.lastPrice > 0 && !isQuoteRefused(state, quote, nowMs)
  if (isUsable && state.isReady) return false
  const { isAlwaysOpen, grid } = state.policy
  const waitedMs = isAlwaysOpen ? nowMs - updatedMs : tradedMs(updatedMs, nowMs)
  return waitedMs < grid.pendingTimeoutMs
}

/** Nobody else has had it canceled, and the cancel was not given up: what ends it after that is somebody's wish. */
const isForItsAge = (
  { cancelsGivenUp }: AccountState,
  { grid, order }: { readonly grid: GridOrder; readonly order: OrderRecord },
): boolean =>
  grid.isReorderWanted && order.isReorderWanted === true && !cancelsGivenUp.has(order.clientOrderId)

/** At the price of now, without waiting for the cool-downs again. */
function resubmit(turn: Turn, order: OrderRecord): IntentOutcome {
  const found = ofGrid(turn.state, order)
  assert(found !== undefined, 'only an order of a grid leaves a rest')
  const { grid, session } = found
  const { side, level, triggerPrice, peakPrice, valleyPrice, callbackPpm, attempt } = grid
  return execute(turn, session, {
    side,
    level,
    triggerPrice,
    peakPrice,
    valleyPrice,
    callbackPpm,
    sessionId: session.id,
    timeMs: turn.inputs.nowMs,
    follows: { order, attempt },
  })
}

function ended(turn: Turn, order: OrderRecord, { kind }: Ending): void {
  const { clientOrderId } = order
  const outcome = kind === 'resubmitted' ? 'reordered' : outcomeOf(order)
  turn.emit({ kind: 'gridOrderClosed', clientOrderId, outcome })
  turn.state.dataVersion += 1
  turn.after({ kind: 'bands' })
}

/**
 * Clients list the deals of a day on that day. What the broker has counted is booked without them, at the limit of the
 * order: the level must not be traded twice. A deal that comes all the same brings no more.
 */
function endUntold(turn: Turn, order: OrderRecord): void {
  const { clientOrderId, orderId, price, filledQuantity, filledAmount } = order
  const grid = turn.state.grid.orders.get(clientOrderId)
  const quantity = countedOf(order)
  if (grid !== undefined && quantity > grid.bookedQuantity) {
    const untold = (quantity - filledQuantity) * (price > 0 ? price : grid.reservedPrice)
    bookFills(turn, clientOrderId, { orderId, quantity, amount: (filledAmount + untold) as Money })
    turn.warnOfOrder(clientOrderId, untoldText(filledQuantity, quantity))
  }
  ended(turn, order, { kind: 'over' })
}

const untoldText = (told: number, counted: number): string =>
  `委托日已过，成交未全部列出：成交列表共 ${shares(told)} 股，网格按委托价记入 ${shares(counted)} 股，请核对 (its day is over, and deals tell ${shares(told)} shares: the grid counts ${shares(counted)} at its limit, please look)`

const outcomeOf = (order: OrderRecord): GridOutcome => {
  const counted = countedOf(order)
  if (order.status === 'filled' || counted >= order.quantity) return 'filled'
  if (counted > 0) return 'partial_filled_canceled'
  return order.status === 'rejected' ? 'rejected' : 'canceled'
}

/** After every input: what no deal will tell any more is not waited for, and a session that waited for its last order stops. */
export function settleGrids(turn: Turn): void {
  const { state, inputs } = turn
  for (const id of [...state.grid.open]) {
    const order = state.orders.get(id)
    if (order === undefined || isOpen(order.status) || isCaughtUp(order)) continue
    if (order.day < dayInForce(state, inputs.nowMs)) endUntold(turn, order)
  }
  for (const session of liveSessions(state)) {
    if (session.status !== 'stopping' || openOrders(state, session.id).length > 0) continue
    const { id: sessionId, stopReason: reason } = session
    turn.emit({ kind: 'gridStopped', sessionId, reason, source: 'grid' })
    state.dataVersion += 1
  }
}
