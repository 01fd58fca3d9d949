import type { BoardRule } from '../../domain/data/board-rules.ts'
import { feesOf } from '../../domain/fees.ts'
import { type Money, toYuan } from '../../domain/money.ts'
import type { NewOrder } from '../../domain/order.ts'
import { isPriced, placesOf, ruleOfType } from '../../domain/price-type.ts'
import { err, ok, type Result } from '../../domain/result.ts'
import {
  isOnTick,
  type LotError,
  limitsInForce,
  lotError,
  priceText,
  rulesFor,
} from '../../domain/rules.ts'
import type { Quote } from '../../ports/quotes.port.ts'
import type { Draft } from './draft.ts'
import { type Terms, type TermsError, termsOf } from './matching.ts'

export interface CounterLimits {
  /** Orders of one account on one day; one more is refused. */
  readonly ordersPerDayMax: number
}

/** An order that is worth more than 100 billion yuan is a mistake, and its sums would not be exact. */
const AMOUNT_MAX = 1e15

const TERMS_TEXT: Readonly<Record<TermsError, (priceType: number) => string>> = {
  PRICE_TYPE_UNKNOWN: () => '不支持的报价类型',
  PRICE_MISSING: () => '限价委托的委托价格必须大于零',
  ELSEWHERE: (priceType) => `该报价类型仅适用于${placesOf(priceType)}市场`,
}

const LOT_TEXT: Readonly<Record<LotError, (rule: BoardRule) => string>> = {
  NOT_A_QUANTITY: () => '委托数量必须为正整数',
  BELOW_MINIMUM: ({ lotMin }) => `委托数量低于最小申报数量${lotMin}`,
  NOT_A_MULTIPLE: ({ lotStep }) => `委托数量必须为${lotStep}的整数倍`,
  ODD_REMAINDER_SPLIT: () => '零股余额必须一次性申报卖出',
  ABOVE_MAXIMUM: ({ quantityMax }) => `委托数量超过单笔上限${quantityMax}`,
}

export interface Question {
  readonly order: NewOrder
  readonly quote: Quote | undefined
}

/** What the counter makes of an order: its terms, or the `status_msg` of the refusal. */
export function check(
  draft: Draft,
  { order, quote }: Question,
  limits: CounterLimits,
): Result<Terms, string> {
  const { day } = draft.ledger
  const rule = rulesFor(order.code, day)
  if (rule === undefined) return err(`证券代码不可交易：${order.code}`)
  if (quote === undefined) return err(`证券代码不存在或无行情：${order.code}`)
  if (quote.lastPrice <= 0) return err(`证券停牌，不能委托：${order.code}`)
  if (draft.orderCount() >= limits.ordersPerDayMax) return err('当日委托笔数超过上限')
  const terms = termsOf(order, quote)
  if (!terms.ok) return err(TERMS_TEXT[terms.error](order.priceType))
  const refusal =
    (isPriced(order) ? priceRefusal(draft, { order, rule, quote, day }) : '') ||
    quantityRefusal(draft, order, rule) ||
    cashRefusal(draft, order, { limit: terms.value.limit, day })
  return refusal === '' ? ok(terms.value) : err(refusal)
}

interface PriceQuestion {
  readonly order: NewOrder
  readonly rule: BoardRule
  readonly quote: Quote
  readonly day: string
}

function priceRefusal(draft: Draft, { order, rule, quote, day }: PriceQuestion): string {
  const { code, price } = order
  if (!isOnTick(rule, price))
    return `委托价格不是最小变动单位${toYuan(rule.tickSize as Money)}的整数倍`
  const name = draft.holding(code)?.name ?? ''
  const limits = limitsInForce(code, day, { ...quote, name })
  if (limits === undefined) return ''
  if (price > limits.high) return `委托价格超过涨停价${priceText(code, limits.high)}`
  return price < limits.low ? `委托价格低于跌停价${priceText(code, limits.low)}` : ''
}

function quantityRefusal(draft: Draft, order: NewOrder, rule: BoardRule): string {
  const { code, side, quantity, priceType } = order
  const sellable = draft.sellable(code)
  if (side === 'sell' && quantity > sellable) {
    return `可用股份不足：委托${quantity}，可卖${sellable}`
  }
  const bound = ruleOfType(rule, priceType)
  const error = lotError(bound, { side, quantity, sellable })
  return error === undefined ? '' : LOT_TEXT[error](bound)
}

function cashRefusal(
  draft: Draft,
  { code, side, quantity }: NewOrder,
  { limit, day }: { readonly limit: number; readonly day: string },
): string {
  const amount = (limit * quantity) as Money
  if (amount > AMOUNT_MAX) return '委托金额超过上限'
  if (side === 'sell') return ''
  const needed = amount + feesOf(draft.rates, { code, side, day, amount })
  const available = draft.available()
  if (needed <= available) return ''
  return `可用资金不足：需要${yuan(needed)}，可用${yuan(available)}`
}

const yuan = (units: number) => toYuan(units as Money).toFixed(2)
