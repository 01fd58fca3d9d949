import type { OrderRecord } from '../../domain/order.ts'
import { isOpen } from '../../domain/order-state.ts'

/** An order that has ended: without a word of its fills, what is gone of its holding counts as what the broker has counted. */
export function unheard(order: OrderRecord): OrderRecord {
  if (order.goneQuantity === undefined || isOpen(order.status)) return order
  const { goneQuantity, ...ended } = order
  const isTold = ended.filledQuantity + (ended.venueFilledQuantity ?? 0) > 0
  if (isTold || ended.status !== 'expired') return ended
  return { ...ended, venueFilledQuantity: goneQuantity }
}
