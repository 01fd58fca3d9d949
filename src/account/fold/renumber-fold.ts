import { strict as assert } from 'node:assert'
import { exchangeDay } from '../../domain/exchange-time.ts'
import type { Money, Quantity } from '../../domain/money.ts'
import type { OrderRecord } from '../../domain/order.ts'
import { nextStatus } from '../../domain/order-state.ts'
import type { DirtyRow } from '../model/dirty-row.ts'
import type { AccountEvent } from '../model/events.ts'
import type { AccountState } from '../model/state.ts'
import { earlySharesOfOthers } from './early-deals.ts'
import { putOrder } from './order-fold.ts'
import { withNumber } from './order-numbers.ts'

/** It is the same order under another number. What was booked under the old one stays booked. */
export function renumberOrder(
  state: AccountState,
  { clientOrderId, orderId, formerId, isCopy }: Extract<AccountEvent, { kind: 'orderRenumbered' }>,
  timeMs: number,
): readonly DirtyRow[] {
  const before = state.orders.get(clientOrderId)
  assert(before !== undefined, `order ${clientOrderId} unknown`)
  if (isCopy && state.orderIds.get(formerId) === clientOrderId) state.orderIds.delete(formerId)
  const isNew = !isCopy && before.formerIds?.includes(orderId) !== true
  const numbered = { ...withNumber(before, orderId, isCopy), updatedMs: timeMs }
  return putOrder(state, isNew ? withDeals(state, numbered) : numbered)
}

/** Deals that came under the number while it was nobody's are told of the order as well; its own are already. */
function withDeals(state: AccountState, order: OrderRecord): OrderRecord {
  const { deals, orders } = state
  let { filledQuantity, filledAmount } = order as { filledQuantity: number; filledAmount: number }
  let early = earlySharesOfOthers(state, order)
  for (const { deal, strategy, clientOrderId = '' } of deals.values()) {
    const isIts =
      strategy === 'external' &&
      !orders.has(clientOrderId) &&
      deal.orderId === order.orderId &&
      deal.code === order.code &&
      deal.side === order.side &&
      exchangeDay(deal.timeMs) === order.day
    if (!isIts) continue
    if (clientOrderId === '' && early >= deal.quantity) {
      early -= deal.quantity
      continue
    }
    if (filledQuantity + deal.quantity > order.quantity) continue
    filledQuantity += deal.quantity
    filledAmount += deal.amount
  }
  if (filledQuantity === order.filledQuantity) return order
  const event = filledQuantity === order.quantity ? 'fillRest' : 'fillPart'
  return {
    ...order,
    filledQuantity: filledQuantity as Quantity,
    filledAmount: filledAmount as Money,
    status: nextStatus(order.status, event) ?? order.status,
  }
}
