import type { Price, Quantity } from '../../domain/money.ts'
import type { OrderRecord, Side, SignalType } from '../../domain/order.ts'
import { counterPrice } from '../../domain/reckoned-price.ts'
import type { Quote } from '../../ports/quotes.port.ts'
import type { PendingPolicy, ReorderPriceMode } from '../model/policy.ts'
import type { AccountState } from '../model/state.ts'

const STRATEGY: Readonly<Record<SignalType, string>> = {
  stop_loss: 'stop_loss',
  take_profit_half: 'auto_partial',
  take_profit_full: 'auto_full',
  add_position: 'add_position',
}

/** Name under which an order of a signal goes to the trading client and into the records. */
export const strategyOf = (signalType: SignalType, attempt: number): string =>
  attempt === 0 ? STRATEGY[signalType] : `reorder_${signalType}`

/** Market time from which an order has waited too long; Infinity when it may wait or has no limit. */
export function deadlineMs(policy: PendingPolicy, order: OrderRecord): number {
  if (!policy.isAutoCancel || order.signalType === undefined) return Number.POSITIVE_INFINITY
  // What is in doubt or about to end is not canceled again.
  if (order.status !== 'accepted' && order.status !== 'partiallyFilled') {
    return Number.POSITIVE_INFINITY
  }
  const { stopLossTimeoutMs, timeoutMs } = policy
  return order.createdMs + (order.signalType === 'stop_loss' ? stopLossTimeoutMs : timeoutMs)
}

/** Whether the time limit of this order is nobody's business any more. */
const isLeftAlone = (state: AccountState, { clientOrderId }: OrderRecord): boolean =>
  state.cancels.has(clientOrderId) || state.cancelsGivenUp.has(clientOrderId)

/** Orders whose time is up, the oldest first. */
export function overdue(state: AccountState, nowMs: number): readonly OrderRecord[] {
  return trackedOrders(state).filter(
    (order) => !isLeftAlone(state, order) && deadlineMs(state.policy.pending, order) <= nowMs,
  )
}

/**
 * The next moment of the market clock at which something is to be done; Infinity when there is none.
 * What was due at `nowMs` was looked at then, and is looked at again after every input.
 */
export function nextAlarmMs(state: AccountState, nowMs: number): number {
  let next = Number.POSITIVE_INFINITY
  const consider = (timeMs: number) => {
    if (timeMs > nowMs) next = Math.min(next, timeMs)
  }
  for (const id of state.tracked) {
    const order = state.orders.get(id)
    if (order === undefined || isLeftAlone(state, order)) continue
    consider(deadlineMs(state.policy.pending, order))
  }
  for (const [id, { nextMs }] of state.reorderTries) {
    if (state.tracked.has(id)) consider(nextMs)
  }
  return next
}

export const trackedOrders = (state: AccountState): readonly OrderRecord[] =>
  [...state.tracked].flatMap((id) => state.orders.get(id) ?? [])

/** Shares of a wish that are still to be had: its target less the fills of all its orders. */
export function chainRest(state: AccountState, order: OrderRecord): Quantity {
  const { chain } = order
  if (chain === undefined) return 0 as Quantity
  let rest: number = chain.targetQuantity
  for (const other of state.orders.values()) {
    if (other.chain?.rootClientOrderId === chain.rootClientOrderId) rest -= other.filledQuantity
  }
  return Math.max(0, rest) as Quantity
}

/**
 * Price of a resubmission, 0 when there is none: third level of the other side → first → last →
 * close of the day before → the signal's; `market` begins at the last, `limit` with the signal's.
 *
 * Source  docs/domain.md 3.8.
 */
export function reorderPrice(
  mode: ReorderPriceMode,
  { side, signalPrice }: { readonly side: Side; readonly signalPrice: Price },
  quote: Quote | undefined,
): Price {
  if (mode === 'best') return counterPrice(side, quote, signalPrice)
  const market = [quote?.lastPrice, quote?.lastClose]
  const prices = mode === 'limit' ? [signalPrice, ...market] : [...market, signalPrice]
  return prices.find((price) => price !== undefined && price > 0) ?? (0 as Price)
}
