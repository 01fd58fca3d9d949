import type { InBoth } from '../../domain/in-both.ts'
import type { StockCode } from '../../domain/instrument.ts'
import { type Price, shares } from '../../domain/money.ts'
import { PRICE_TYPE, type Side } from '../../domain/order.ts'
import { priceText } from '../../domain/rules.ts'

const SIDE: Readonly<Record<Side, string>> = { buy: '买入', sell: '卖出' }

interface Wanted {
  readonly side: Side
  readonly quantity: number
  readonly priceType: number
  readonly price: Price
}

/** `限价 36.50`, `at 36.50`. */
export function limitOf(
  code: string,
  { priceType, price }: Pick<Wanted, 'priceType' | 'price'>,
): InBoth {
  const text = priceText(code as StockCode, price)
  if (priceType === PRICE_TYPE.limit) return { zh: `限价 ${text}`, en: `at ${text}` }
  const isLatest = priceType === PRICE_TYPE.latest
  return {
    zh: `${isLatest ? '最新价' : `报价类型 ${priceType}`}${price > 0 ? ` 保护限价 ${text}` : ''}`,
    en: `at ${isLatest ? 'the latest price' : `price type ${priceType}`}${price > 0 ? `, ${text} at worst` : ''}`,
  }
}

/** `买入 600036.SH 100 股，限价 36.50`, `buy 100 shares of 600036.SH at 36.50`. */
export function orderTerms(code: string, wanted: Wanted): InBoth {
  const limit = limitOf(code, wanted)
  const count = shares(wanted.quantity)
  return {
    zh: `${SIDE[wanted.side]} ${code} ${count} 股，${limit.zh}`,
    en: `${wanted.side} ${count} shares of ${code} ${limit.en}`,
  }
}

/** `买入 600036.SH 100 股，价格 36.50`: what was traded. */
export function tradeTerms(of: {
  readonly code: StockCode
  readonly side: Side
  readonly quantity: number
  readonly price: Price
}): InBoth {
  const [count, price] = [shares(of.quantity), priceText(of.code, of.price)]
  return {
    zh: `${SIDE[of.side]} ${of.code} ${count} 股，价格 ${price}`,
    en: `${of.side} ${count} shares of ${of.code} at ${price}`,
  }
}
