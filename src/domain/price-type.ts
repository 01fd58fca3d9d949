import type { Board, BoardRule } from './data/board-rules.ts'
import { type Exchange, exchangeOf, type StockCode } from './instrument.ts'
import type { Price } from './money.ts'
import { type OrderTerms, PRICE_TYPE, type Side } from './order.ts'
import { boardOf, isInClosingAuction, type PriceLimits } from './rules.ts'

/** Which exchange knows which kind of price; those that are not here are limits, and every exchange has them. */
const EXCHANGES: ReadonlyMap<number, readonly Exchange[]> = new Map<number, readonly Exchange[]>([
  [PRICE_TYPE.shConvert5Cancel, ['SH', 'BJ']],
  [PRICE_TYPE.shConvert5Limit, ['SH', 'BJ']],
  [PRICE_TYPE.peerBest, ['SH', 'SZ', 'BJ']],
  [PRICE_TYPE.mineBest, ['SH', 'SZ', 'BJ']],
  [PRICE_TYPE.szRestCancel, ['SZ']],
  [PRICE_TYPE.szConvert5Cancel, ['SZ']],
  [PRICE_TYPE.szFullOrCancel, ['SZ']],
])

/** What comes closest where a kind of price is not known; 48 has nothing like it elsewhere. */
const INSTEAD: ReadonlyMap<number, number> = new Map<number, number>([
  [PRICE_TYPE.shConvert5Cancel, PRICE_TYPE.szConvert5Cancel],
  [PRICE_TYPE.shConvert5Limit, PRICE_TYPE.peerBest],
  [PRICE_TYPE.szRestCancel, PRICE_TYPE.shConvert5Cancel],
  [PRICE_TYPE.szConvert5Cancel, PRICE_TYPE.shConvert5Cancel],
])

/** Boards whose market orders name the worst price that is accepted, 保护限价. */
const PROTECTED: ReadonlySet<Board> = new Set<Board>(['star', 'bse'])

const PLACE: Readonly<Record<Exchange, readonly [chinese: string, english: string]>> = {
  SH: ['上海', 'Shanghai'],
  SZ: ['深圳', 'Shenzhen'],
  BJ: ['北京', 'Beijing'],
}

/** `上海、北京`: where a kind of price is known. */
export const placesOf = (priceType: number): string =>
  (EXCHANGES.get(priceType) ?? []).map((at) => PLACE[at][0]).join('、')

/** Whether the exchange of a code takes this kind of price. A number that nobody knows is not judged here. */
export const isTakenBy = (code: StockCode, priceType: number): boolean =>
  EXCHANGES.get(priceType)?.includes(exchangeOf(code)) ?? true

/** What a code can be ordered by: a limit and the latest price everywhere, then the market orders of its exchange. */
export const priceTypesOf = (code: StockCode): readonly number[] => [
  PRICE_TYPE.limit,
  PRICE_TYPE.latest,
  ...[...EXCHANGES.keys()].filter((priceType) => isTakenBy(code, priceType)),
]

/** An order at what the book offers, 市价委托. 5 is none: the client makes a limit of it. */
export const isMarketType = (priceType: number): boolean => EXCHANGES.has(priceType)

/** The rule of a board as it binds an order of this kind of price: market orders may be of fewer shares on some. */
export const ruleOfType = <T extends Pick<BoardRule, 'quantityMax' | 'marketMax'>>(
  rule: T,
  priceType: number,
): T =>
  rule.marketMax === undefined || !isMarketType(priceType)
    ? rule
    : { ...rule, quantityMax: rule.marketMax }

/** Whether `price` goes along as the worst price of a market order. */
export const takesProtection = (code: StockCode, priceType: number): boolean =>
  isMarketType(priceType) && PROTECTED.has(boardOf(code) ?? 'main')

/** Whether the price of an order means something at the exchange: a limit, or the worst price of a market order. */
export const isPriced = ({
  code,
  priceType,
  price,
}: Pick<OrderTerms, 'code' | 'priceType' | 'price'>): boolean =>
  priceType === PRICE_TYPE.limit || (price > 0 && takesProtection(code, priceType))

/** What is wrong with a kind of price for a code, and what to send instead; undefined when nothing is. */
export function priceTypeFault(code: StockCode, priceType: number): string | undefined {
  if (isTakenBy(code, priceType)) return undefined
  const where = EXCHANGES.get(priceType) ?? []
  const [here, hereInEnglish] = PLACE[exchangeOf(code)]
  const instead = INSTEAD.get(priceType)
  const [other, otherInEnglish] =
    instead === undefined ? ['', ''] : [`${instead}，或用 `, `${instead}, or `]
  const chinese = `报价类型 ${priceType} 仅适用于${placesOf(priceType)}；${here}请用 ${other}${PRICE_TYPE.limit} 并给出 price`
  const english = `price type ${priceType} works in ${where.map((at) => PLACE[at][1]).join(' and ')}; in ${hereInEnglish} use ${otherInEnglish}${PRICE_TYPE.limit} with a price`
  return `${chinese} (${english})`
}

/** What is wrong with a kind of price at a moment (epoch milliseconds); undefined when nothing is. */
export function auctionFault(
  code: StockCode,
  priceType: number,
  epochMs: number,
): string | undefined {
  if (!isMarketType(priceType) || !isInClosingAuction(code, epochMs)) return undefined
  return `收盘集合竞价（14:57-15:00）不接受市价委托 ${priceType}；请用 ${PRICE_TYPE.limit} 并给出 price，或用 ${PRICE_TYPE.latest} (the closing auction, 14:57-15:00, takes no market order, price type ${priceType}; use ${PRICE_TYPE.limit} with a price, or ${PRICE_TYPE.latest})`
}

/** Said of a market order that needs a worst price, when none was given and the limits of the day are not known. */
export const PROTECTION_TEXT =
  '科创板、北交所市价委托需要保护限价，而当日涨跌停价未知：请在 price 中给出可接受的最差价，或用 11 并给出 price (a market order on the STAR market or in Beijing needs a worst price, and the limits of the day are not known: give it as price, or use 11 with a price)'

/** The worst price of a market order for which none was given: that at which the day ends. 0 = not known. */
export function protectionOf(side: Side, limits: PriceLimits | undefined): Price {
  if (limits === undefined) return 0 as Price
  return side === 'buy' ? limits.high : limits.low
}

/** The better of two prices for whoever must not trade beyond `protection`; 0 = no such bound. */
export function boundedBy(side: Side, price: Price, protection: Price): Price {
  if (protection <= 0) return price
  return (side === 'buy' ? Math.min(price, protection) : Math.max(price, protection)) as Price
}
