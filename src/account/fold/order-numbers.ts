import type { OrderRecord } from '../../domain/order.ts'
import type { AccountState } from '../model/state.ts'

/** What is looked up by the numbers of an order: also those it had before, under which late news may come. */
export function indexNumbers(state: AccountState, order: OrderRecord): void {
  if (order.orderId !== '') indexNumber(state, order.orderId, order)
  for (const number of order.formerIds ?? []) indexNumber(state, number, order)
}

/** A broker may number its orders anew every day: the newest bearer of a number has it. */
function indexNumber(state: AccountState, number: string, order: OrderRecord): void {
  const bearer = state.orders.get(state.orderIds.get(number) ?? '')
  const isOlder = bearer !== undefined && bearer.day > order.day
  if (!isOlder) state.orderIds.set(number, order.clientOrderId)
}

/** So many numbers of one order are remembered; a client that gives more than that on a day is broken. */
const FORMER_IDS_MAX = 8

/** The order under another number, or under its first. */
export function withNumber(order: OrderRecord, orderId: string, isCopy?: true): OrderRecord {
  if (order.orderId === '') return { ...order, orderId }
  const known = [...(order.formerIds ?? []), ...(isCopy ? [] : [order.orderId])]
  const formerIds = known.filter((number) => number !== orderId).slice(-FORMER_IDS_MAX)
  return { ...order, orderId, formerIds }
}
