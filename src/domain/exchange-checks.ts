import type { BoardRule } from './data/board-rules.ts'
import { shares } from './money.ts'
import {
  auctionFault,
  isPriced,
  PROTECTION_TEXT,
  priceTypeFault,
  ruleOfType,
  takesProtection,
} from './price-type.ts'
import { type Finding, noQuote, notForThis, off, pass, refused, yuan } from './risk-finding.ts'
import type { RiskInput } from './risk-input.ts'
import { isOnTick, type LotError, limitsInForce, lotError, priceText, rulesFor } from './rules.ts'

// What the exchange, or the counter for it, would refuse as well: the terms of an order by the rules of its board.

/** The exchange of the code knows this kind of price, and takes it now. */
export const priceType = ({ order, nowMs, isAlwaysOpen }: RiskInput): Finding => {
  const { code, priceType } = order
  const fault =
    priceTypeFault(code, priceType) ??
    (isAlwaysOpen ? undefined : auctionFault(code, priceType, nowMs))
  const values = { actual: order.priceType }
  return fault === undefined ? pass(values) : refused(fault, values)
}

/** It was put in from the limits of the day where the caller gave none, if they are known. */
export const protectionPrice = ({ order: { code, priceType, price } }: RiskInput): Finding => {
  if (!takesProtection(code, priceType)) return notForThis()
  return price > 0 ? pass({ actual: yuan(price) }) : refused(PROTECTION_TEXT)
}

const freeShares = ({ sellable, sellableReserved }: RiskInput): number =>
  Math.max(0, sellable - sellableReserved)

/** No more is sold than may be today and is not reserved. */
export const sellable = (input: RiskInput): Finding => {
  const { side, quantity } = input.order
  if (side !== 'sell') return notForThis()
  const free = freeShares(input)
  const values = { limit: free, actual: quantity }
  if (quantity <= free && free > 0) return pass(values)
  return refused(
    `可卖数量不足: 委托 ${shares(quantity)}，可卖 ${shares(free)} (sellable ${shares(free)}, asked ${shares(quantity)})`,
    values,
  )
}

const noRules = (): Finding => off('该证券无交易规则数据 (no rules known for this code)')

const LOT_TEXT: Readonly<Record<LotError, (rule: BoardRule) => string>> = {
  NOT_A_QUANTITY: () => '委托数量必须为正整数 (not a whole number of shares)',
  BELOW_MINIMUM: ({ lotMin }) =>
    `委托数量低于最小申报数量 ${lotMin} (below the minimum of ${lotMin} shares)`,
  NOT_A_MULTIPLE: ({ lotStep }) =>
    `委托数量必须为 ${lotStep} 的整数倍 (not a multiple of ${lotStep} shares)`,
  ODD_REMAINDER_SPLIT: () => '零股余额必须一次性卖出 (an odd remainder is sold whole)',
  ABOVE_MAXIMUM: ({ quantityMax }) =>
    `委托数量超过单笔上限 ${shares(quantityMax)} (above the most of one order, ${shares(quantityMax)} shares)`,
}

/** Shares by the lots and the most of one order of the board. */
export const lotSize = (input: RiskInput): Finding => {
  const { order, day } = input
  const board = rulesFor(order.code, day)
  if (board === undefined) return noRules()
  const { side, quantity, priceType } = order
  const rule = ruleOfType(board, priceType)
  const error = lotError(rule, { side, quantity, sellable: freeShares(input) as typeof quantity })
  const limit = error === 'ABOVE_MAXIMUM' ? rule.quantityMax : rule.lotMin
  const values = { limit, actual: quantity }
  return error === undefined ? pass(values) : refused(LOT_TEXT[error](rule), values)
}

/** A price that is given lies on the tick. */
export const tickSize = ({ order, day }: RiskInput): Finding => {
  if (!isPriced(order)) return notForThis()
  const rule = rulesFor(order.code, day)
  if (rule === undefined) return noRules()
  const values = { limit: yuan(rule.tickSize), actual: yuan(order.price) }
  if (isOnTick(rule, order.price)) return pass(values)
  return refused(
    `委托价格不是最小变动单位 ${values.limit} 的整数倍 (off the tick size of ${values.limit})`,
    values,
  )
}

/** A price that is given lies within the limits of the day, where these are in force. */
export const priceLimit = ({ order, day, name, quote }: RiskInput): Finding => {
  if (!isPriced(order)) return notForThis()
  if (quote === undefined) return noQuote()
  const limits = limitsInForce(order.code, day, { ...quote, name })
  if (limits === undefined) return off('无涨跌幅限制 (no price limit)')
  const { low, high } = limits
  const actual = yuan(order.price)
  if (order.price > high) {
    const most = priceText(order.code, high)
    const text = `委托价格高于涨停价 ${most} (above the upper price limit ${most})`
    return refused(text, { limit: yuan(high), actual })
  }
  if (order.price < low) {
    const least = priceText(order.code, low)
    const text = `委托价格低于跌停价 ${least} (below the lower price limit ${least})`
    return refused(text, { limit: yuan(low), actual })
  }
  return pass({ limit: `${priceText(order.code, low)}-${priceText(order.code, high)}`, actual })
}

/** There is a price at which it trades. */
export const halt = ({ quote }: RiskInput): Finding => {
  if (quote === undefined) return noQuote()
  const values = { actual: yuan(quote.lastPrice) }
  return quote.lastPrice > 0 ? pass(values) : refused('证券停牌 (trading is halted)', values)
}
