import type { Price } from '../domain/money.ts'

/** Prices of a stock at which nothing happens. Both ends included; `low > high` = every tick may change something. */
export interface Band {
  readonly low: Price
  readonly high: Price
  /**
   * Above `high` and up to here a price makes a new high and nothing else, which the high of the day keeps: a look at it can
   * wait. Absent: no price.
   */
  readonly quiet?: Price
}

/** Holds every price. */
export const ANY_PRICE: Band = { low: 0 as Price, high: Number.MAX_SAFE_INTEGER as Price }

/** Nothing is inside: for a stock whose waiting signal ages with every tick, or with damaged data. */
export const EVERY_TICK: Band = { low: ANY_PRICE.high, high: 0 as Price }

/** The highest price at which nothing happens that cannot wait. */
const topOf = ({ high, quiet = high }: Band): Price => quiet

/** The prices that both of them hold; quiet are those above that are inside or quiet in both. */
export function intersection(one: Band, other: Band): Band {
  if (other.low <= one.low && other.high >= topOf(one)) return one
  if (one.low <= other.low && one.high >= topOf(other)) return other
  const low = one.low > other.low ? one.low : other.low
  const high = one.high < other.high ? one.high : other.high
  const quiet = topOf(one) < topOf(other) ? topOf(one) : topOf(other)
  return quiet > high ? { low, high, quiet } : { low, high }
}
