import { exchangeDay } from '../../domain/exchange-time.ts'
import type { BrokerDeal, OrderRecord } from '../../domain/order.ts'
import { dealKey, furtherKey, isAlike } from '../model/deal-key.ts'
import type { AccountState, BookedDeal } from '../model/state.ts'

/** The deal that is booked under the number of this one, of the same day, stock and side. */
export const bookedAs = ({ deals }: AccountState, deal: BrokerDeal): BookedDeal | undefined =>
  deals.get(dealKey(deals, exchangeDay(deal.timeMs), deal))

/** Under what a deal of this order is to be booked; undefined: it is that one, told again. */
export function newKey(
  { deals }: AccountState,
  deal: BrokerDeal,
  { booked, order }: { booked: BookedDeal | undefined; order: OrderRecord | undefined },
): string | undefined {
  const day = exchangeDay(deal.timeMs)
  if (booked === undefined) return dealKey(deals, day, deal)
  return isOfAnotherOrder(booked, deal, order) ? furtherKey(deals, day, deal) : undefined
}

/**
 * Some counters number the deals of each order by themselves. A deal that is told again differs in nothing but the number
 * of its order, and the client has to count this one for another.
 */
function isOfAnotherOrder(
  booked: BookedDeal,
  deal: BrokerDeal,
  order: OrderRecord | undefined,
): boolean {
  if (isAlike(booked.deal, deal)) return false
  if (order === undefined || order.clientOrderId === booked.clientOrderId) return false
  return (order.venueFilledQuantity ?? 0) - order.filledQuantity >= deal.quantity
}
