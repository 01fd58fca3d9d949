import type { BrokerDeal } from '../../domain/order.ts'

type Booked = ReadonlyMap<string, { readonly deal: BrokerDeal }>

/** A push and a list may round the moment of a fill otherwise. */
const SAME_MS_MAX = 2_000

/** Deal numbers repeat across stocks and days, so alone they are no key. */
const keyOf = (day: string, deal: BrokerDeal, dealId: string): string =>
  `${day}|${deal.code}|${deal.side}|${dealId}`

/** A number may be told with zeros before it and without; an earlier version has booked it with them. */
function firstKey(booked: Booked, day: string, deal: BrokerDeal): string {
  const asTold = keyOf(day, deal, deal.dealId)
  return booked.has(asTold) ? asTold : keyOf(day, deal, deal.dealId.replace(/^0+(?=.)/, ''))
}

/** Of deals of further orders that bear the same number. */
function furtherKeys(booked: Booked, first: string): readonly string[] {
  const keys: string[] = []
  for (let place = 2; booked.has(`${first}#${place}`); place += 1) keys.push(`${first}#${place}`)
  return keys
}

/** Whether two deals may be one that is told twice: the same shares, price and moment. */
export const isAlike = (one: BrokerDeal, other: BrokerDeal): boolean =>
  one.quantity === other.quantity &&
  one.price === other.price &&
  Math.abs(one.timeMs - other.timeMs) < SAME_MS_MAX

/** Under what a deal is booked, or will be. */
export function dealKey(booked: Booked, day: string, deal: BrokerDeal): string {
  const first = firstKey(booked, day, deal)
  const isIts = (key: string): boolean => {
    const known = booked.get(key)
    return known !== undefined && isAlike(known.deal, deal)
  }
  return isIts(first) ? first : (furtherKeys(booked, first).find(isIts) ?? first)
}

/** For one more deal that bears a number which is booked. */
export function furtherKey(booked: Booked, day: string, deal: BrokerDeal): string {
  const first = firstKey(booked, day, deal)
  return `${first}#${furtherKeys(booked, first).length + 2}`
}

/** As sidecar and script call a fill to which the terminal gives no number. */
const isUnnumbered = ({ dealId }: BrokerDeal): boolean => dealId.startsWith('row:')

/** Under what a deal is booked that was told without its number, and is told with it now, or the other way round. */
export function otherwiseKey(booked: Booked, deal: BrokerDeal): string | undefined {
  for (const [key, { deal: known }] of booked) {
    const isOfOrder = known.orderId === deal.orderId && known.code === deal.code
    const isSame = isOfOrder && known.side === deal.side && isAlike(known, deal)
    if (isSame && isUnnumbered(known) !== isUnnumbered(deal)) return key
  }
  return undefined
}
