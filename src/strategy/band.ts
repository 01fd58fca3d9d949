import type { Price } from '../domain/money.ts'

/** Prices of a stock at which nothing happens. Both ends included; `low > high` = every tick may change something. */
export interface Band {
  readonly low: Price
  readonly high: Price
}

/** Holds every price. */
export const ANY_PRICE: Band = { low: 0 as Price, high: Number.MAX_SAFE_INTEGER as Price }

/** Nothing is inside: for a stock whose waiting signal ages with every tick, or with damaged data. */
export const EVERY_TICK: Band = { low: ANY_PRICE.high, high: 0 as Price }

/** The prices that both of them hold. */
export function intersection(one: Band, other: Band): Band {
  if (other.low <= one.low && other.high >= one.high) return one
  if (one.low <= other.low && one.high >= other.high) return other
  return one.low > other.low
    ? { low: one.low, high: other.high }
    : { low: other.low, high: one.high }
}
