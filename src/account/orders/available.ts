import { feesOf } from '../../domain/fees.ts'
import { isSubscription, type StockCode } from '../../domain/instrument.ts'
import type { Money, Quantity } from '../../domain/money.ts'
import { countedOf, isTerminal, type OrderRecord, PRICE_TYPE } from '../../domain/order.ts'
import { isOpen } from '../../domain/order-state.ts'
import { estimateOf } from '../../domain/risk-input.ts'
import { leavesOf } from '../model/order-book.ts'
import type { DealtShares, Moment, SharesShown } from '../model/shown.ts'
import type { AccountState, BookedDeal } from '../model/state.ts'
import type { Moved } from '../model/unseen-orders.ts'
import { positionsOf } from '../turn/holding.ts'
import type { Turn } from '../turn/turn.ts'

/**
 * What may be sold or spent now: what the broker said, less our own orders that it cannot be proven to have
 * taken off when it said so. A broker that pushes nothing tells it in lists, seconds apart; what was sold in
 * between must not be sold again.
 */
export interface Left<Amount extends number> {
  readonly free: Amount
  /** Kept back besides, for orders of which nobody knows whether the broker has them. */
  readonly inDoubt: Amount
}

/** Shares of a holding that may be sold now. */
export const freeShares = (state: AccountState, code: StockCode): Quantity =>
  sharesLeft(state, code).free

/** Cash that may be spent now; undefined before the broker has said what there is. */
export const freeCash = (turn: Turn): Money | undefined => cashLeft(turn)?.free

export function sharesLeft(state: AccountState, code: StockCode): Left<Quantity> {
  const free = sharesBut(state, code, () => true)
  if (!hasDoubt(state)) return { free, inDoubt: 0 as Quantity }
  const certain = sharesBut(state, code, ({ status }) => status !== 'inDoubt')
  return { free, inDoubt: (certain - free) as Quantity }
}

export function cashLeft(turn: Turn): Left<Money> | undefined {
  const free = cashBut(turn, () => true)
  if (free === undefined) return undefined
  if (!hasDoubt(turn.state)) return { free, inDoubt: 0 as Money }
  const certain = cashBut(turn, ({ status }) => status !== 'inDoubt') ?? free
  return { free, inDoubt: (certain - free) as Money }
}

const hasDoubt = ({ orders }: AccountState): boolean => {
  for (const _ of orders.doubtful()) return true
  return false
}

type Counts = (order: OrderRecord) => boolean

function sharesBut(state: AccountState, code: StockCode, counts: Counts): Quantity {
  if (state.simulation !== undefined) {
    return positionsOf(state).get(code)?.sellable ?? (0 as Quantity)
  }
  const known = state.shares.get(code)
  const { listed, pushed } = known ?? {}
  if (known === undefined || listed === undefined) return 0 as Quantity
  const sales = [...unseenOfStock(state, { side: 'sell', code })].filter(counts)
  const byList = listed.sellable - uncounted(state, listed, { orders: sales, amountOf: sharesOf })
  const byPush =
    pushed === undefined
      ? byList
      : pushed.sellable - uncounted(state, pushed, { orders: sales, amountOf: sharesOf })
  const there = sharesThere(listed, known.deals) - askedFor(state, code, { listed, counts })
  return Math.max(0, Math.min(byList, byPush, there)) as Quantity
}

/** Whatever a list says of what may be sold: what was sold since is not there. */
function sharesThere({ at, quantity }: SharesShown, deals: readonly DealtShares[]): number {
  let there: number = quantity
  for (const deal of deals) if (deal.at > at && deal.shares < 0) there += deal.shares
  return there
}

/** Nor is what open sales ask for, but for those in doubt that are not to be counted. */
function askedFor(
  state: AccountState,
  code: StockCode,
  { listed, counts }: { readonly listed: Moment; readonly counts: Counts },
): number {
  let asked = state.orders.askedFor(code)
  for (const order of state.orders.doubtful()) {
    if (order.side !== 'sell' || order.code !== code) continue
    if (!counts(order) || isGivenUp(state, order, listed)) asked -= leavesOf(order)
  }
  return asked
}

function cashBut(turn: Turn, counts: Counts): Money | undefined {
  const { state } = turn
  if (state.simulation !== undefined) return state.simulation.cash
  const { listed, pushed } = state.cash
  const known = [listed, pushed].filter((shown) => shown !== undefined)
  if (known.length === 0) return undefined
  const orders = [...unseenOf(state, 'buy')].filter(counts)
  const amountOf = (order: OrderRecord) => cashOf(turn, order)
  const left = known.map((shown) => shown.available - uncounted(state, shown, { orders, amountOf }))
  return Math.min(...left) as Money
}

interface Taken {
  readonly orders: readonly OrderRecord[]
  readonly amountOf: (order: OrderRecord) => number
}

/** What orders take of which the broker may not have known when it said so. */
function uncounted(state: AccountState, shown: Moment, { orders, amountOf }: Taken): number {
  let taken = 0
  for (const order of orders) if (!isCounted(state, order, shown)) taken += amountOf(order)
  return taken
}

/** Whether the last list of holdings has taken a sale off already, if it lives. */
export function isTakenOff(state: AccountState, order: OrderRecord): boolean {
  const listed = state.shares.get(order.code)?.listed
  return listed !== undefined && isCounted(state, order, listed)
}

/** Orders of which the last list cannot be proven to know. */
export function* unseenOf(
  { unseen, orders }: AccountState,
  side: OrderRecord['side'],
): Iterable<OrderRecord> {
  for (const clientOrderId of unseen.keys()) {
    const order = orders.get(clientOrderId)
    if (order?.side === side) yield order
  }
}

/** Those of one stock. */
export function* unseenOfStock(
  { unseen, orders }: AccountState,
  moved: Moved,
): Iterable<OrderRecord> {
  for (const clientOrderId of unseen.of(moved)) {
    const order = orders.get(clientOrderId)
    if (order !== undefined) yield order
  }
}

/** Whether the broker had the order when it was asked, and so has taken it off itself. */
export function isCounted(state: AccountState, order: OrderRecord, shown: Moment): boolean {
  const numberedAt = state.unseen.get(order.clientOrderId)?.numberedAt
  if (numberedAt !== undefined) return numberedAt <= shown.at
  return isGivenUp(state, order, shown)
}

/**
 * An order in doubt that cannot arrive any more has been taken off, if it lives, in whatever the broker said
 * long enough afterwards. Whether it does live is another question, which a person may still have to decide.
 */
function isGivenUp(
  { laneClearedMs, policy, unseen }: AccountState,
  { clientOrderId, status, orderId }: OrderRecord,
  { wallMs, at }: Moment,
): boolean {
  if (status !== 'inDoubt') return false
  // The broker had it, and is not known to have it still: what it said since is without it if it lives.
  if (orderId !== '') return (unseen.get(clientOrderId)?.numberedAt ?? at) <= at
  const clearedMs = laneClearedMs.get(clientOrderId)
  return clearedMs !== undefined && wallMs >= clearedMs + policy.limits.doubtSettleMs
}

/**
 * Ended by the calendar alone: the broker took it, or may have, and has not said what was filled of it on its day.
 * Until a list shows that, it may be all of it.
 */
const isEndUntold = ({ status, venueStatus }: OrderRecord): boolean =>
  status === 'expired' && !isTerminal(venueStatus)

/** Shares that a sale takes out of what may be sold: all of it while it is open, then what was filled. */
export const sharesOf = (order: OrderRecord): number =>
  isOpen(order.status) || isEndUntold(order) ? order.quantity : countedOf(order)

/** Cash that a purchase takes: what it may cost while it is open, then what it has cost. */
export function cashOf(turn: Turn, order: OrderRecord): number {
  if (isSubscription(order.code)) return 0
  if (!isOpen(order.status) && !isEndUntold(order)) return spentBy(turn, order)
  if (order.priceType !== PRICE_TYPE.limit) return reckonCash(turn, order)
  const cash = LIMIT_CASH.get(order) ?? reckonCash(turn, order)
  LIMIT_CASH.set(order, cash)
  return cash
}

/** What a purchase at a limit takes, reckoned once: a record is never changed, only replaced. */
const LIMIT_CASH = new WeakMap<OrderRecord, number>()

function reckonCash({ state, inputs }: Turn, order: OrderRecord): number {
  const { amount, fees } = estimateOf(order, {
    day: state.day,
    quote: inputs.quote(order.code),
    feeRates: state.policy.feeRates,
  })
  return amount + fees.total
}

/** Shares whose deals have not come count at the price of the order. */
function spentBy({ state }: Turn, order: OrderRecord): number {
  const { code, side, filledQuantity, filledAmount, price } = order
  const amount = (filledAmount + (countedOf(order) - filledQuantity) * price) as Money
  if (amount === 0) return 0
  return amount + feesOf(state.policy.feeRates, { code, side, day: state.day, amount })
}

/** Shares that were booked and that no report of the holding has shown yet; sales are negative. */
export function unshownShares(state: AccountState, code: StockCode): number {
  const known = state.shares.get(code)
  if (known === undefined || known.deals.length === 0) return 0
  let shares = known.base
  for (const deal of known.deals) shares += deal.shares
  return shares - (state.positions.get(code)?.quantity ?? 0)
}

/**
 * Deals of the life before may never have been shown, if no list of this one has shown the stock: what its costs are kept
 * for has them. Costs may lack a holding for other reasons: its newest deals must explain the difference.
 */
export function dealtBefore(
  state: AccountState,
  code: StockCode,
  shown: number,
): number | undefined {
  if (state.shares.get(code)?.listed !== undefined) return undefined
  const costed = state.costs.books.get(code)?.quantity ?? 0
  let there = shown
  for (const { deal } of newestFirst(state.deals.values())) {
    if (deal.code !== code) continue
    there += deal.side === 'buy' ? deal.quantity : -deal.quantity
    if (there === costed) return costed
  }
  return undefined
}

const newestFirst = (deals: Iterable<BookedDeal>): readonly BookedDeal[] =>
  [...deals].toSorted((one, other) => other.deal.timeMs - one.deal.timeMs)

/**
 * Shares that purchases of a stock may still add to what its holding shows: the rest of those that are open,
 * fills that are not booked, and booked ones that no report of the holding has shown.
 */
export function comingShares(state: AccountState, code: StockCode): Quantity {
  if (state.simulation !== undefined) return 0 as Quantity
  let coming = Math.max(0, unshownShares(state, code))
  for (const order of state.orders.openOf(code)) {
    if (order.side === 'buy') coming += restOfPurchase(order)
  }
  for (const order of unseenOfStock(state, { side: 'buy', code })) {
    if (!isOpen(order.status)) coming += restOfPurchase(order)
  }
  return coming as Quantity
}

/** Shares that a purchase may still add to those that are booked. */
export const restOfPurchase = (order: OrderRecord): number => sharesOf(order) - order.filledQuantity

/** Whether any deal is booked that the holdings do not show yet. */
export function hasUnshown(state: AccountState): boolean {
  for (const code of state.shares.keys()) if (unshownShares(state, code) !== 0) return true
  return false
}
