import type { Price } from './money.ts'
import { type OrderTerms, PRICE_TYPE, type Side } from './order.ts'
import { boundedBy, takesProtection } from './price-type.ts'

/** What of a quote is needed to judge an order. Prices in ten-thousandths of a yuan, 0 = none. */
export interface RiskQuote {
  /** Epoch milliseconds of the market clock. */
  readonly timeMs: number
  /** 0 = the stock is halted. */
  readonly lastPrice: Price
  readonly lastClose: Price
  /** As the terminal told them for the day of the quote; 0 or absent = it has not. */
  readonly lowerLimit?: Price
  readonly upperLimit?: Price
  /** Best first. */
  readonly bid: readonly Price[]
  readonly ask: readonly Price[]
}

export type PricedOrder = Pick<OrderTerms, 'code' | 'side' | 'priceType' | 'price'>

const SWEEPING: ReadonlySet<number> = new Set([
  PRICE_TYPE.shConvert5Cancel,
  PRICE_TYPE.shConvert5Limit,
  PRICE_TYPE.szRestCancel,
  PRICE_TYPE.szConvert5Cancel,
  PRICE_TYPE.szFullOrCancel,
])
const isPrice = (price: Price | undefined): price is Price => price !== undefined && price > 0

/**
 * The worst price at which an order may trade, as the broker reckons it: cash is frozen at it.
 *
 *  11      the given price.
 *   5      the last price, or the best opposite one where that is worse.
 *  44, 45  the best opposite, the best own price; the last price when there is none.
 *  42, 43, 46, 47, 48  the worst of the opposite levels; for 43 also of the best own one.
 *
 * A market order with a worst price of its own (STAR, Beijing): that price for a purchase, for which cash is frozen;
 * a sale trades no lower.
 *
 * 0 = nobody knows: no quote, a halted stock, an unknown price type.
 */
export function reckonedPrice(order: PricedOrder, quote: RiskQuote | undefined): Price {
  const { code, side, priceType, price } = order
  if (priceType === PRICE_TYPE.limit) return price
  if (price === 0 || !takesProtection(code, priceType)) return marketPrice(order, quote)
  return side === 'buy' ? price : boundedBy(side, marketPrice(order, quote) || price, price)
}

function marketPrice({ side, priceType }: PricedOrder, quote: RiskQuote | undefined): Price {
  if (quote === undefined || quote.lastPrice <= 0) return 0 as Price
  const last = quote.lastPrice
  const [opposite, own] = side === 'buy' ? [quote.ask, quote.bid] : [quote.bid, quote.ask]
  if (SWEEPING.has(priceType)) {
    const levels = opposite.some(isPrice) ? opposite : [last]
    const resting = priceType === PRICE_TYPE.shConvert5Limit ? own[0] : undefined
    return worstOf(side, [...levels, resting])
  }
  switch (priceType) {
    case PRICE_TYPE.latest:
      return worstOf(side, [last, opposite[0]])
    case PRICE_TYPE.peerBest:
      return priceOr(last, opposite[0])
    case PRICE_TYPE.mineBest:
      return priceOr(last, own[0])
    default:
      return 0 as Price
  }
}

/**
 * Price of an order for which none was given, from what is quoted: third level of the other side →
 * first → last → close of the day before → `otherwise`. 0 when there is none of them.
 *
 * Source  docs/domain.md 3.8.
 */
export function counterpartyPrice(
  side: Side,
  quote: Omit<RiskQuote, 'timeMs'> | undefined,
  otherwise: Price = 0 as Price,
): Price {
  const levels = (side === 'buy' ? quote?.ask : quote?.bid) ?? []
  const chain = [levels[2], levels[0], quote?.lastPrice, quote?.lastClose, otherwise]
  return chain.find(isPrice) ?? (0 as Price)
}

const priceOr = (last: Price, best: Price | undefined): Price => (isPrice(best) ? best : last)

function worstOf(side: Side, prices: readonly (Price | undefined)[]): Price {
  const known = prices.filter(isPrice)
  return (side === 'buy' ? Math.max(...known) : Math.min(...known)) as Price
}
