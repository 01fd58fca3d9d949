import { exchangeDay } from '../../domain/exchange-time.ts'
import { CLIENT_ORDER_ID, isTail } from '../../domain/ids.ts'
import type { BrokerDeal, BrokerOrder, OrderRecord } from '../../domain/order.ts'
import type { AccountState } from '../model/state.ts'

type Row = Pick<BrokerOrder | BrokerDeal, 'orderId' | 'clientOrderId'>

/** The order that this number means, for all that is known. */
export const numberedAs = ({ orders, orderIds }: AccountState, orderId: string) =>
  orders.get(orderIds.get(orderId) ?? '')

/**
 * The order of ours that a row names under the number of another one: a client that was started anew may exchange
 * the numbers of its orders. A copy of a remark has a number that was nobody's before.
 */
export function namedInstead(state: AccountState, row: Row): OrderRecord | undefined {
  const numbered = numberedAs(state, row.orderId)
  const named = state.orders.bearing(row.clientOrderId)
  if (numbered === undefined || named === undefined || named === numbered) return undefined
  const isCopy = (numbered.copyOf ?? numbered.remark) === row.clientOrderId
  const isItsOwn = named.orderId === row.orderId || isCopy
  return named.strategy === 'external' || isItsOwn ? undefined : named
}

/**
 * Whether a row bears an id of ours that the books do not know: they are older than it. A part of an
 * id proves that only after a restore; so many letters and digits may be somebody else's remark.
 */
export function bearsLostId(
  state: AccountState,
  { clientOrderId, isOthers }: Pick<BrokerOrder, 'clientOrderId' | 'isOthers'>,
): boolean {
  if (isOthers) return false
  const isOurs =
    CLIENT_ORDER_ID.test(clientOrderId) || (state.restore !== undefined && isTail(clientOrderId))
  return isOurs && state.orders.bearing(clientOrderId) === undefined
}

/**
 * Rows of a whole list, in which one under a number of ours that bears no id of ours is somebody else's when our id
 * stands at another number: then the client has given ours to that one. So is one under a number of somebody's when
 * his terms stand at another.
 */
export function besideOthers(
  state: AccountState,
  rows: readonly BrokerOrder[],
): readonly BrokerOrder[] {
  const numbers = numbersBorne(state, rows)
  const isElsewhere = (row: BrokerOrder): boolean => {
    const numbered = numberedAs(state, row.orderId)
    if (numbered === undefined) return false
    if (numbered.strategy === 'external') {
      const isIts = (other: BrokerOrder) =>
        other.orderId !== row.orderId &&
        isOfItsMoment(numbered, other) &&
        hasTermsOf(numbered, other)
      return isChangedOf(numbered, row) && rows.some(isIts)
    }
    if (state.orders.bearing(row.clientOrderId) !== undefined || bearsLostId(state, row))
      return false
    return numbers.get(numbered)?.has(row.orderId) === false
  }
  return rows.map((row) => (isElsewhere(row) ? { ...row, hasFormerNumber: true } : row))
}

/** By orders, the numbers of the rows that bear their ids and have their terms. */
function numbersBorne(
  { orders }: AccountState,
  rows: readonly BrokerOrder[],
): ReadonlyMap<OrderRecord, ReadonlySet<string>> {
  const numbers = new Map<OrderRecord, Set<string>>()
  for (const row of rows) {
    const order = orders.bearing(row.clientOrderId)
    if (order === undefined || !hasTermsOf(order, row)) continue
    numbers.set(order, (numbers.get(order) ?? new Set()).add(row.orderId))
  }
  return numbers
}

const isOfItsMoment = ({ createdMs }: OrderRecord, { timeMs }: BrokerOrder): boolean =>
  timeMs === createdMs

/** Somebody's own order with another number of shares, as a client may show one of which a part was canceled. */
const isChangedOf = (order: OrderRecord, row: BrokerOrder): boolean =>
  isOfItsMoment(order, row) && row.side === order.side && row.quantity !== order.quantity

/** Of the same day, stock, side and number of shares: one may be the other. */
export const hasTermsOf = (order: OrderRecord, row: BrokerOrder): boolean =>
  row.code === order.code &&
  row.side === order.side &&
  row.quantity === order.quantity &&
  exchangeDay(row.timeMs) === order.day

/**
 * Whether nothing but a number says that a push is of this order of ours, and no list, answer or row of this connection
 * has shown the number to be its own still: the client may have been started anew, and given it to somebody else's.
 */
export const isByNumberAlone = (
  { orders, numbers }: AccountState,
  order: OrderRecord,
  row: Row,
): boolean =>
  order.strategy !== 'external' &&
  orders.bearing(row.clientOrderId) !== order &&
  !numbers.heard.has(order.clientOrderId)

/**
 * The order whose number this row bears although it is another one. A client that was started anew numbers the orders of
 * everybody anew. One of ours has lost it to an id that the books have lost, to what bears none of ours and has another
 * side or number of shares than we have asked for, or where ours stands at another number; somebody's to another side or
 * number of shares alone, and of the latter not to what was placed at its moment while nothing shows it elsewhere.
 */
export function numberLostTo(state: AccountState, row: BrokerOrder): OrderRecord | undefined {
  const numbered = numberedAs(state, row.orderId)
  if (numbered === undefined) return undefined
  const isOfDay = numbered.code === row.code && numbered.day === exchangeDay(row.timeMs)
  const isNamed = state.orders.bearing(row.clientOrderId) === numbered
  const isMoved = row.hasFormerNumber === true
  const isOfOthers = numbered.strategy === 'external'
  const isOther =
    row.side !== numbered.side ||
    (row.quantity !== numbered.quantity &&
      (!isOfOthers || isMoved || !isOfItsMoment(numbered, row))) ||
    (!isOfOthers && (isMoved || bearsLostId(state, row)))
  // A row of no shares says nothing of whose it is.
  return isOfDay && !isNamed && isOther && row.quantity > 0 ? numbered : undefined
}
