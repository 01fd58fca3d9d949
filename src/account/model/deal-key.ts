import type { BrokerDeal } from '../../domain/order.ts'

/** Deal numbers repeat across stocks and days, so alone they are no key. */
const keyOf = (day: string, deal: BrokerDeal, dealId: string): string =>
  `${day}|${deal.code}|${deal.side}|${dealId}`

/**
 * Under what a deal is booked, or will be. Its number may be told with zeros before it and without; an earlier version
 * has booked it with them.
 */
export function dealKey(
  booked: ReadonlyMap<string, unknown>,
  day: string,
  deal: BrokerDeal,
): string {
  const asTold = keyOf(day, deal, deal.dealId)
  return booked.has(asTold) ? asTold : keyOf(day, deal, deal.dealId.replace(/^0+(?=.)/, ''))
}
