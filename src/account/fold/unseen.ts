import type { OrderRecord } from '../../domain/order.ts'
import { isOpen } from '../../domain/order-state.ts'
import type { AccountState } from '../model/state.ts'

/**
 * Remembers what of an order no report can have shown yet: that it is there, that it is there again, and
 * shares that were filled after its end. What was on disk at the start has its number before any call.
 */
export function noteUnseen(
  { unseen, nextCallId, wallMs }: AccountState,
  before: OrderRecord | undefined,
  order: OrderRecord,
): void {
  const { clientOrderId, orderId, code, side } = order
  const known = unseen.get(clientOrderId)
  const isNew = isUnseenNews(before, order)
  if (known === undefined && !isNew) return
  const hasNumber = orderId !== '' || hasEndedUnknown(order)
  if (known !== undefined && !isNew && known.filled === order.filledQuantity) {
    if (known.numberedAt !== undefined || !hasNumber) return
  }
  const numberedAt = isNew || known?.numberedAt === undefined ? nextCallId : known.numberedAt
  unseen.set(clientOrderId, {
    code,
    side,
    ...(hasNumber && { numberedAt }),
    filled: order.filledQuantity,
    // One that is new here may be an old one: of an earlier life, or of somebody else.
    newsMs: newsMsOf(before, order, wallMs),
  })
}

/** Ended with its day without a number: it has filled nothing since that day, so every later report tells of it. */
const hasEndedUnknown = ({ status, orderId }: OrderRecord): boolean =>
  status === 'expired' && orderId === ''

/** Before the first turn of a life there is no clock on the wall. */
function newsMsOf(before: OrderRecord | undefined, order: OrderRecord, wallMs: number): number {
  if (wallMs === 0) return order.updatedMs
  if (before === undefined) return Math.min(order.updatedMs, wallMs)
  return hasEndedUnknown(order) ? Math.min(before.updatedMs, wallMs) : wallMs
}

/** Open now and not before, or filled further after its end. */
function isUnseenNews(before: OrderRecord | undefined, order: OrderRecord): boolean {
  if (before !== undefined && isOpen(before.status)) return false
  return isOpen(order.status) || order.filledQuantity > (before?.filledQuantity ?? 0)
}
