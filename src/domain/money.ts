import { err, ok, type Result } from './result.ts'

declare const brand: unique symbol
type Brand<T, Name extends string> = T & { readonly [brand]: Name }

/**
 * A price on the mainland market.
 *
 * Units   ten-thousandths of a yuan: 1 CNY = 10_000, so "12.34" is 123_400.
 * Shape   safe integer, 0 ≤ price < 1e10. Price × Quantity keeps the unit; nothing is rescaled.
 * Errors  parsing returns `PRICE_INVALID`; arithmetic throws rather than round.
 * Source  finest tick traded here is 0.001 CNY (funds); one spare digit is kept for averages.
 */
export type Price = Brand<number, 'Price'>
/** Cash, in the units of {@link Price}. May be negative. */
export type Money = Brand<number, 'Money'>
/** Shares, never lots. Safe integer, never negative. */
export type Quantity = Brand<number, 'Quantity'>

/** The one place that knows the scale: units of {@link Price} and {@link Money} in a yuan. */
export const UNITS_PER_YUAN = 10_000
const PRICE_MAX = 1e10
const DECIMAL = /^(\d{1,6})(?:\.(\d{1,4}))?$/

/** Text such as "12.34" into a price; more than four decimals are refused, never rounded. */
export function parsePrice(text: string): Result<Price, 'PRICE_INVALID'> {
  const match = DECIMAL.exec(text)
  if (match === null) return err('PRICE_INVALID')
  const [, yuan = '0', fraction = ''] = match
  return ok((Number(yuan) * UNITS_PER_YUAN + Number(fraction.padEnd(4, '0'))) as Price)
}

/**
 * A JSON number in yuan into a price. The shortest decimal text of the double is what the caller
 * wrote, so 36.1 becomes exactly 361_000 and 36.10001 is refused.
 */
export function priceFromYuan(yuan: number): Result<Price, 'PRICE_INVALID'> {
  return Number.isFinite(yuan) && yuan >= 0 ? parsePrice(String(yuan)) : err('PRICE_INVALID')
}

/**
 * A number that a feed or a broker reports, rounded to the nearest unit: such numbers are averages
 * or carry float noise. Not finite, negative or too large is 0, which everywhere means "no price".
 */
export function reportedPrice(yuan: number): Price {
  const units = Math.round(yuan * UNITS_PER_YUAN)
  return (Number.isFinite(units) && units > 0 && units < PRICE_MAX ? units : 0) as Price
}

/** Cash in yuan, as configured or reported, rounded to the nearest unit. Throws when not finite. */
export function moneyFromYuan(yuan: number): Money {
  const units = Math.round(yuan * UNITS_PER_YUAN)
  if (!Number.isSafeInteger(units)) throw new RangeError(`money: ${yuan}`)
  return units as Money
}

/** Price or money as the number of yuan that JSON shows: 123_400 → 12.34. */
export const toYuan = (units: Price | Money): number => units / UNITS_PER_YUAN

/** Price × quantity. Throws when the product leaves the safe integers. */
export function notional(price: Price, quantity: Quantity): Money {
  const amount = price * quantity
  if (!Number.isSafeInteger(amount)) throw new RangeError(`notional: ${price} × ${quantity}`)
  return amount as Money
}

/**
 * What a number of shares is worth at a price, both as others report them: at most what can be counted. One row or
 * quote that cannot be must not end whoever reckons with it.
 */
export const marketValue = (price: Price, quantity: Quantity): Money =>
  Math.min(price * quantity, Number.MAX_SAFE_INTEGER) as Money

/** Two decimals, half away from zero, as percent numbers and ratios are shown. */
export function round(value: number, digits: number): number {
  const scale = 10 ** digits
  const scaled = Math.round(Math.abs(value) * scale * (1 + Number.EPSILON))
  return (Math.sign(value) * scaled) / scale || 0
}

/** A number of shares for people: `12,300`. */
export const shares = (quantity: number): string => quantity.toLocaleString('en-US')
