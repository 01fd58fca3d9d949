import { exchangeDay } from '../../domain/exchange-time.ts'
import type { BrokerDeal } from '../../domain/order.ts'

type Booked = ReadonlyMap<string, unknown>

/** Digits by which a push and a list may write one number at different length. */
const ZEROS_MAX = 20

/** Deal numbers repeat across stocks and days, so alone they are no key. */
const spaceOf = ({ timeMs, code, side }: BrokerDeal): string =>
  `${exchangeDay(timeMs)}|${code}|${side}|`

/** What bears the number of this one, however many zeros stand before either. */
function firstKey(booked: Booked, deal: BrokerDeal): string | undefined {
  const space = spaceOf(deal)
  const asTold = `${space}${deal.dealId}`
  if (booked.has(asTold)) return asTold
  const bare = deal.dealId.replace(/^0+(?=.)/, '')
  for (let zeros = 0; zeros <= ZEROS_MAX; zeros += 1) {
    const key = `${space}${'0'.repeat(zeros)}${bare}`
    if (booked.has(key)) return key
  }
  return undefined
}

/** Under what those are booked that bear the number of this deal: one, or one of each of several orders. */
export function keysOf(booked: Booked, deal: BrokerDeal): readonly string[] {
  const first = firstKey(booked, deal)
  if (first === undefined) return []
  const keys = [first]
  const further = () => `${first}#${keys.length + 1}`
  while (booked.has(further())) keys.push(further())
  return keys
}

/** For one more deal. The number stands in it as it is told, as in the books of earlier versions. */
export function freeKey(booked: Booked, deal: BrokerDeal): string {
  const keys = keysOf(booked, deal)
  return keys.length === 0 ? `${spaceOf(deal)}${deal.dealId}` : `${keys[0]}#${keys.length + 1}`
}
