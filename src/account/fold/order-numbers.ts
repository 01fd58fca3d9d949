import { exchangeOf } from '../../domain/instrument.ts'
import { isNumberTaken, type OrderRecord } from '../../domain/order.ts'
import type { AccountState } from '../model/state.ts'

/** What is looked up by the numbers of an order: also those it had before, under which late news may come. */
export function indexNumbers(state: AccountState, order: OrderRecord): void {
  if (order.orderId !== '') indexNumber(state, order.orderId, order)
  for (const number of order.formerIds ?? []) {
    if (!isAnothers(state, number, order)) indexNumber(state, number, order)
  }
}

/** Another order of its day, or of a later one, has this number now. */
function isAnothers(state: AccountState, number: string, order: OrderRecord): boolean {
  const bearer = bearerOf(state, number)
  return bearer !== undefined && bearer.orderId === number && bearer.day >= order.day
}

const bearerOf = ({ orders, orderIds }: AccountState, number: string): OrderRecord | undefined =>
  orders.get(orderIds.get(number) ?? '')

/** A broker may number its orders anew every day: the newest bearer of a number has it. */
function indexNumber(state: AccountState, number: string, order: OrderRecord): void {
  const bearer = bearerOf(state, number)
  const isOlder = bearer !== undefined && bearer.day > order.day
  if (!isOlder) state.orderIds.set(number, order.clientOrderId)
}

/** Who had the number of this order until now: two orders of a day and an exchange never have one number. */
export function formerBearer(state: AccountState, order: OrderRecord): OrderRecord | undefined {
  const { orderId, clientOrderId, day, code } = order
  if (isNumberTaken(order)) return undefined // that several have lost one number is no matter
  const bearer = bearerOf(state, orderId)
  if (bearer?.orderId !== orderId || bearer.clientOrderId === clientOrderId) return undefined
  const isOfSame = bearer.day === day && exchangeOf(bearer.code) === exchangeOf(code)
  return isOfSame ? bearer : undefined
}

/** So many numbers of one order are remembered; a client that gives more than that on a day is broken. */
const FORMER_IDS_MAX = 8

/** The order under another number, or under its first; one that is another order's now is not its former one. */
export function withNumber(order: OrderRecord, orderId: string, isCopy?: true): OrderRecord {
  if (order.orderId === '' || isNumberTaken({ orderId })) return { ...order, orderId }
  const known = [
    ...(order.formerIds ?? []),
    ...(isCopy || isNumberTaken(order) ? [] : [order.orderId]),
  ]
  const formerIds = known.filter((number) => number !== orderId).slice(-FORMER_IDS_MAX)
  return { ...order, orderId, formerIds }
}
