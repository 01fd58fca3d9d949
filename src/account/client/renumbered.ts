import { exchangeDay } from '../../domain/exchange-time.ts'
import { CLIENT_ORDER_ID, isTail } from '../../domain/ids.ts'
import {
  type BrokerDeal,
  type BrokerOrder,
  isNumberTaken,
  type OrderRecord,
  PRICE_TYPE,
  takenNumber,
} from '../../domain/order.ts'
import { isOpen } from '../../domain/order-state.ts'
import { leavesOf } from '../model/order-book.ts'
import type { AccountState } from '../model/state.ts'
import { countTriesAnew } from '../orders/cancels.ts'
import type { Turn } from '../turn/turn.ts'
import { hasTermsOf, namedInstead, numberedAs, numberLostTo } from './bearer.ts'
import { isWhole } from './left-out.ts'
import { isExchanged, isGone, isListed, type Listed } from './listed.ts'

/**
 * Rows of an order that we know by another number. A trading client that was started anew may have numbered its
 * orders anew; and a person may have placed an order of ours again, remark and all.
 */

/** What such a row is: our order under another number, somebody else's, or nobody's before lists say more. */
export type Claim = 'renumbered' | 'stranger' | 'unclear'

/** The order that this row may be although its number is another one: it bears its id, or is just like it. */
export function otherBearer(
  state: AccountState,
  row: BrokerOrder,
  listed: Listed | undefined,
): OrderRecord | undefined {
  const instead = namedInstead(state, row)
  if (instead !== undefined) return instead.orderId === '' ? undefined : instead
  const formerly = numberedAs(state, row.orderId)
  // Exchanged again, its former number may be that of another stock by now; and of any order on a day after it has ended.
  const isFormer =
    formerly?.code === row.code &&
    formerly.formerIds?.includes(row.orderId) === true &&
    (isOpen(formerly.status) || exchangeDay(row.timeMs) === formerly.day)
  if (isFormer && numberLostTo(state, row) === undefined) return formerly
  // Before the order that it names: what copies a remark is known by its moment.
  const twin = twinOf(state, row, listed)
  if (twin !== undefined) return twin
  const named = state.orders.bearing(row.clientOrderId)
  if (named === undefined || named.orderId === '') return undefined
  return named.orderId === row.orderId ? undefined : named
}

/**
 * Of somebody else's order there is no id of its own: what was placed at that very moment with these terms and is
 * missing now, if it is one.
 */
function twinOf(
  state: AccountState,
  row: BrokerOrder,
  listed: Listed | undefined,
): OrderRecord | undefined {
  const { clientOrderId: remark } = row
  const borne = CLIENT_ORDER_ID.test(remark) || isTail(remark) ? remark : ''
  // A push tells nothing of the others: one whose number was not heard on this connection may be missing.
  const isMissing = (order: OrderRecord) =>
    listed === undefined ? !isHeard(state, order) : !isListed(listed, order)
  const [first, second] = [...state.orders.values()].filter(
    (order) =>
      order.createdMs === row.timeMs &&
      order.strategy === 'external' &&
      (order.copyOf ?? order.remark ?? '') === borne &&
      isSameOrder(state, order, row) &&
      isMissing(order),
  )
  return second === undefined ? first : undefined
}

const isHeard = ({ numbers, unlisted }: AccountState, { clientOrderId }: OrderRecord) =>
  numbers.heard.has(clientOrderId) && !unlisted.has(clientOrderId)

/**
 * Both listed at once are two orders, and ours is the one whose number we were told first. The old number missing
 * for good and the new one there is one order that was renumbered; of several such rows the oldest, for a copy
 * comes later. `listed`: the list that the row is of.
 */
export function claimOf(
  { state }: Turn,
  order: OrderRecord,
  { row, listed }: { readonly row: BrokerOrder; readonly listed: Listed | undefined },
): Claim {
  if (!isSameOrder(state, order, row)) return 'stranger'
  if (listed === undefined) return 'unclear' // pushed: it may be both
  if (isListed(listed, order)) return 'stranger'
  // Where its number is another order's by now, nothing has to be waited for.
  const isTaken = isExchanged(listed, order) || isNumberTaken(order)
  if (!isGone(state, order) && !isTaken) return 'unclear'
  const isOlder = (other: BrokerOrder) =>
    other.timeMs < row.timeMs &&
    otherBearer(state, other, listed) === order &&
    isSameOrder(state, order, other)
  return listed.rows.some(isOlder) ? 'unclear' : 'renumbered'
}

function isSameOrder(state: AccountState, order: OrderRecord, row: BrokerOrder): boolean {
  // What bears its id was made from it: when it seems to be older, one of two clocks is wrong.
  const isFromIt = state.orders.bearing(row.clientOrderId) === order
  return (
    hasTermsOf(order, row) &&
    (order.priceType !== PRICE_TYPE.limit || order.price === row.price) &&
    (isFromIt || row.timeMs >= order.createdMs - state.policy.limits.matchBeforeMs)
  )
}

/** The order is known by the number of this row from now on. */
export function renumber(turn: Turn, order: OrderRecord, { orderId }: BrokerOrder): void {
  const { clientOrderId, orderId: formerId } = order
  turn.state.unlisted.delete(clientOrderId)
  turn.emit({ kind: 'orderRenumbered', clientOrderId, orderId, formerId })
  countTriesAnew(turn, clientOrderId)
  const text = `the trading client lists it as ${orderId} now, and ${formerId} no more`
  turn.warnOfOrder(clientOrderId, text)
}

/** The first number is listed again, beside the later one: that was somebody's copy after all. */
export function takeBack(turn: Turn, order: OrderRecord, { orderId }: BrokerOrder): void {
  const { clientOrderId, orderId: formerId } = order
  turn.emit({ kind: 'orderRenumbered', clientOrderId, orderId, formerId, isCopy: true })
  const text = `listed as ${orderId} again beside ${formerId}, which is another order then`
  turn.warnOfOrder(clientOrderId, text)
}

/**
 * After a whole list: an order whose number it shows for another one only has that number no more. Of two exchanges both
 * may have it, and then both are listed; of one exchange the fold has taken it already.
 */
export function leaveNumbers(turn: Turn, listed: Listed): void {
  const { state } = turn
  if (!isWhole(state, 'orders')) return // the row that is missing may be one that could not be read
  for (const { clientOrderId, orderId, day } of listed.exchanged.values()) {
    const order = state.orders.get(clientOrderId)
    if (order?.orderId !== orderId || isListed(listed, order)) continue
    const isOthers = (other: OrderRecord) =>
      other !== order && other.orderId === orderId && other.day === day
    if (![...state.orders.values()].some(isOthers)) continue
    const taken = takenNumber(orderId)
    turn.emit({ kind: 'orderRenumbered', clientOrderId, orderId: taken, formerId: orderId })
    turn.warnOfOrder(clientOrderId, `another order is listed as ${orderId} now, and this one not`)
  }
}

/** The order of ours whose id a deal bears under a number that no order has. */
function unknownNumberOf(state: AccountState, deal: BrokerDeal): OrderRecord | undefined {
  const named = state.orders.bearing(deal.clientOrderId)
  if (named === undefined || named.orderId === '' || named.strategy === 'external') return undefined
  const isSameStock = named.code === deal.code && named.side === deal.side
  const isNobodys = !state.orderIds.has(deal.orderId) || namedInstead(state, deal) !== undefined
  return isSameStock && isNobodys ? named : undefined
}

/**
 * The number of the deal is listed by no order, and its order no more, or no row has said so for long: what bears its id
 * and fits is its own. Were it taken for nobody's, the order would wait for it, or its rest be sent a second time.
 */
export function goneBearer(turn: Turn, deal: BrokerDeal): OrderRecord | undefined {
  const { state } = turn
  const named = unknownNumberOf(state, deal)
  if (named === undefined || state.parked.has(deal.orderId)) return undefined
  const isIts = isGone(state, named) || !isWaitedFor(turn, deal)
  return isIts && deal.quantity <= leavesOf(named) ? named : undefined
}

/** Whether the order row of a deal may still come. */
export const isWaitedFor = ({ state, inputs }: Turn, { timeMs }: BrokerDeal): boolean =>
  inputs.nowMs - timeMs < state.policy.limits.doubtQuarantineMs

/**
 * Whether a deal bears our id under a number that no order has yet: its order row says whose it is. A row that
 * never comes is not waited for longer than for any other order in doubt.
 */
export const isOfUnknownNumber = (turn: Turn, deal: BrokerDeal): boolean =>
  isWaitedFor(turn, deal) && unknownNumberOf(turn.state, deal) !== undefined
