import { exchangeDay } from '../../domain/exchange-time.ts'
import type { BrokerDeal, OrderRecord } from '../../domain/order.ts'
import { dealKey, furtherKey, isAlike, otherwiseKey } from '../model/deal-key.ts'
import type { AccountState, BookedDeal } from '../model/state.ts'

/** The deal that is booked under the number of this one, of the same day, stock and side. */
export const bookedAs = ({ deals }: AccountState, deal: BrokerDeal): BookedDeal | undefined =>
  deals.get(dealKey(deals, exchangeDay(deal.timeMs), deal))

/** Under what a listed deal is booked, or will be. */
export function listedKey({ deals }: Pick<AccountState, 'deals'>, deal: BrokerDeal): string {
  const key = dealKey(deals, exchangeDay(deal.timeMs), deal)
  return deals.has(key) ? key : (otherwiseKey(deals, deal) ?? key)
}

/** Under what a deal of this order is to be booked; undefined: it is that one, told again. */
export function newKey(
  { deals }: AccountState,
  deal: BrokerDeal,
  { booked, order }: { booked: BookedDeal | undefined; order: OrderRecord | undefined },
): string | undefined {
  const day = exchangeDay(deal.timeMs)
  if (booked === undefined) {
    // One more like it counts as soon as the client counts it.
    const isTold = otherwiseKey(deals, deal) !== undefined && !isUntold(deal, order)
    return isTold ? undefined : dealKey(deals, day, deal)
  }
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
  return isUntold(deal, order)
}

/** Whether the client counts so many shares for this order beside those that deals have told. */
const isUntold = (deal: BrokerDeal, order: OrderRecord | undefined): boolean =>
  (order?.venueFilledQuantity ?? 0) - (order?.filledQuantity ?? 0) >= deal.quantity
