import type { StockCode } from '../../domain/instrument.ts'
import type { Price, Quantity } from '../../domain/money.ts'
import { PRICE_TYPE, type Side } from '../../domain/order.ts'
import { boundedBy, isTakenBy, takesProtection } from '../../domain/price-type.ts'
import { err, ok, type Result } from '../../domain/result.ts'
import type { Quote } from '../../ports/quotes.port.ts'

/** Above it no price is believed, so that price × the largest order stays a safe integer. */
const PRICE_BELIEVED_MAX = 9_000_000_000

export interface Fill {
  readonly price: Price
  readonly quantity: Quantity
}

/** What becomes of the part of an order that does not fill when it arrives. */
export type Remainder =
  | 'rests'
  | 'canceled'
  /** Rests at the price of the last fill; without a fill at the best price of its own side. */
  | 'restsAtLastFill'
  /** All or nothing: a part is no fill. */
  | 'whole'
  /** There is nothing to take a price from: canceled before it could match. */
  | 'void'

/** A price type, brought down to a limit and a fate. */
export interface Terms {
  /** The worst price that is accepted; what is frozen, and shown as the price of the order. */
  readonly limit: Price
  readonly remainder: Remainder
}

export type TermsError =
  | 'PRICE_TYPE_UNKNOWN'
  | 'PRICE_MISSING'
  /** The exchange of the code does not know it. */
  | 'ELSEWHERE'

const NONE = 0 as Price
const priced = (price: Price | undefined): Price =>
  price !== undefined && price > 0 && price <= PRICE_BELIEVED_MAX ? price : NONE
const opposite = (side: Side, quote: Quote) => (side === 'buy' ? quote.ask : quote.bid)
const own = (side: Side, quote: Quote) => (side === 'buy' ? quote.bid : quote.ask)
const hasBook = ({ bid, ask }: Quote) =>
  bid.some((price) => price > 0) || ask.some((price) => price > 0)
const hasVolumes = ({ bidVolume, askVolume }: Quote) =>
  bidVolume.some((volume) => volume > 0) || askVolume.some((volume) => volume > 0)
/** The price that is worse for whoever takes this side. */
const worse = (side: Side, a: Price, b: Price): Price =>
  (side === 'buy' ? Math.max(a, b) : Math.min(a, b)) as Price

const SWEEPING: ReadonlyMap<number, Remainder> = new Map<number, Remainder>([
  [PRICE_TYPE.shConvert5Cancel, 'canceled'],
  [PRICE_TYPE.shConvert5Limit, 'restsAtLastFill'],
  [PRICE_TYPE.szRestCancel, 'canceled'],
  [PRICE_TYPE.szConvert5Cancel, 'canceled'],
  [PRICE_TYPE.szFullOrCancel, 'whole'],
])

export interface PricedOrder {
  readonly code: StockCode
  readonly side: Side
  readonly priceType: number
  readonly price: Price
}

/**
 * Limit and fate of an order when it arrives.
 *
 *  11      the given price.
 *   5      the last price, or the best opposite price where that is worse: it can be filled at once.
 *  44, 45  best opposite, best own price; on a one-sided book without it the order is void.
 *  42, 43, 46, 47, 48  the worst of the five opposite levels; for 43 also of the best price on its
 *          own side, where it may rest.
 *
 * A tick without any level stands for a book at its last price. A worst price that a market order names bounds what
 * it takes, what it rests at, and what is frozen.
 */
export function termsOf(order: PricedOrder, quote: Quote): Result<Terms, TermsError> {
  const { code, side, priceType, price } = order
  if (!isTakenBy(code, priceType)) return err('ELSEWHERE')
  const terms = unbounded(order, quote)
  if (!terms.ok || !takesProtection(code, priceType)) return terms
  const { limit, remainder } = terms.value
  return ok({ limit: boundedBy(side, limit, price), remainder })
}

function unbounded(
  { side, priceType, price }: PricedOrder,
  quote: Quote,
): Result<Terms, TermsError> {
  const last = quote.lastPrice
  const best = priced(opposite(side, quote)[0])
  const remainder = SWEEPING.get(priceType)
  if (remainder !== undefined) return ok({ limit: sweptTo(side, remainder, quote), remainder })
  switch (priceType) {
    case PRICE_TYPE.limit:
      return price > 0 ? ok({ limit: price, remainder: 'rests' }) : err('PRICE_MISSING')
    case PRICE_TYPE.latest:
      return ok({ limit: best > 0 ? worse(side, best, last) : last, remainder: 'rests' })
    case PRICE_TYPE.peerBest:
      return ok(restsAtBest(best, quote))
    case PRICE_TYPE.mineBest:
      return ok(restsAtBest(priced(own(side, quote)[0]), quote))
    default:
      return err('PRICE_TYPE_UNKNOWN')
  }
}

function sweptTo(side: Side, remainder: Remainder, quote: Quote): Price {
  const levels = opposite(side, quote).map(priced)
  if (remainder === 'restsAtLastFill') levels.push(priced(own(side, quote)[0]))
  const prices = levels.filter((level) => level > 0)
  if (opposite(side, quote).every((level) => priced(level) === 0)) prices.push(quote.lastPrice)
  return prices.reduce((a, b) => worse(side, a, b))
}

function restsAtBest(best: Price, quote: Quote): Terms {
  if (best > 0) return { limit: best, remainder: 'rests' }
  return { limit: quote.lastPrice, remainder: hasBook(quote) ? 'void' : 'rests' }
}

export interface Leaves {
  readonly side: Side
  readonly limit: Price
  /** Shares not filled yet. */
  readonly quantity: Quantity
}

/**
 * What a limit order takes from one tick, best price first. With volumes at the levels it walks
 * them; without, it fills whole at the best opposite price, at the last price where the tick has no level
 * at all. Levels on its own side alone mean that nobody is there: at a locked limit it rests.
 *
 * Note  each order is alone against the tape: what another takes is not missing for it.
 */
export function match(leaves: Leaves, quote: Quote): readonly Fill[] {
  if (quote.lastPrice <= 0) return []
  const { side, quantity } = leaves
  const prices = opposite(side, quote).map(priced)
  if (hasVolumes(quote)) {
    return walk(leaves, prices, side === 'buy' ? quote.askVolume : quote.bidVolume)
  }
  const price = prices[0] || (hasBook(quote) ? NONE : priced(quote.lastPrice))
  return accepts(leaves, price) ? [{ price, quantity }] : []
}

const accepts = ({ side, limit }: Leaves, price: Price): boolean =>
  price > 0 && (side === 'buy' ? price <= limit : price >= limit)

function walk(leaves: Leaves, prices: readonly Price[], volumes: readonly number[]): Fill[] {
  const fills: Fill[] = []
  let rest: number = leaves.quantity
  for (const [i, price] of prices.entries()) {
    if (rest === 0 || !accepts(leaves, price)) break
    const taken = Math.min(rest, Math.max(0, Math.floor(volumes[i] ?? 0)))
    if (taken > 0) fills.push({ price, quantity: taken as Quantity })
    rest -= taken
  }
  return fills
}

export interface Execution {
  readonly fills: readonly Fill[]
  /** Where the rest waits; 0 = the rest is canceled at once. Without a rest it means nothing. */
  readonly restsAt: Price
}

/** An order that has just arrived, against the tick of that moment. */
export function execute(
  { limit, remainder }: Terms,
  order: { readonly side: Side; readonly quantity: Quantity },
  quote: Quote,
): Execution {
  if (remainder === 'void') return { fills: [], restsAt: NONE }
  const fills = match({ ...order, limit }, quote)
  const filled = fills.reduce((sum, { quantity }) => sum + quantity, 0)
  switch (remainder) {
    case 'rests':
      return { fills, restsAt: limit }
    case 'canceled':
      return { fills, restsAt: NONE }
    case 'whole':
      return { fills: filled === order.quantity ? fills : [], restsAt: NONE }
    case 'restsAtLastFill':
      return { fills, restsAt: fills.at(-1)?.price ?? ownBest(order.side, limit, quote) }
  }
}

/** The best price on its own side, but never beyond the limit; none when nobody is there. */
function ownBest(side: Side, limit: Price, quote: Quote): Price {
  const best = priced(own(side, quote)[0])
  return best === 0 ? NONE : boundedBy(side, best, limit)
}
