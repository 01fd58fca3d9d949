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
  // What came without its remark first is taken for somebody else's until ours is given its number.
  const isEarlyOne = numbered.strategy === 'external' && named.orderId === ''
  const isItsOwn = named.orderId === row.orderId || isCopy || isEarlyOne
  return named.strategy === 'external' || isItsOwn ? undefined : named
}
