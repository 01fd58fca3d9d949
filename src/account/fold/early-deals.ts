import { type OrderRecord, takenNumber } from '../../domain/order.ts'
import type { AccountState } from '../model/state.ts'

/** An order, or the row of one, under the number that it has. */
type Numbered = Pick<OrderRecord, 'clientOrderId' | 'orderId' | 'code' | 'side' | 'day'>

/**
 * Shares of deals that belong to no order by their own record, because they were told before it, and that other orders have
 * counted which have this number, or had it: a client that is started anew may give it to the next one.
 */
export function earlySharesOfOthers({ orders, deals }: AccountState, one: Numbered): number {
  let shares = 0
  for (const other of orders.values()) {
    if (!isOtherBearer(other, one)) continue
    shares += other.filledQuantity
    for (const { deal, clientOrderId } of deals.values()) {
      if (clientOrderId === other.clientOrderId) shares -= deal.quantity
    }
  }
  return shares
}

function isOtherBearer(other: OrderRecord, one: Numbered): boolean {
  const { clientOrderId, orderId, code, side, day } = one
  if (other.clientOrderId === clientOrderId) return false
  if (other.code !== code || other.side !== side || other.day !== day) return false
  const numbers = [other.orderId, ...(other.formerIds ?? [])]
  return numbers.includes(orderId) || numbers.includes(takenNumber(orderId))
}
