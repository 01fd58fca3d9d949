import { bareCode } from '../../domain/instrument.ts'
import { largestQuantity } from '../../domain/largest-quantity.ts'
import { type Price, type Quantity, toYuan } from '../../domain/money.ts'
import { PRICE_TYPE } from '../../domain/order.ts'
import { priceTypesOf, ruleOfType, takesProtection } from '../../domain/price-type.ts'
import { judge } from '../../domain/risk.ts'
import { estimateOf, type RiskInput } from '../../domain/risk-input.ts'
import { limitsInForce } from '../../domain/rules.ts'
import type { Quote } from '../../ports/quotes.port.ts'
import type {
  OrderPreview,
  PreviewedLevel,
  PreviewedQuote,
  PreviewOrder,
} from '../../protocol/orders.ts'
import type { Turn } from '../turn/turn.ts'
import { riskInput } from './approval.ts'
import { seenBy, waitsUntil } from './order-queue.ts'
import { codeOf } from './orders.ts'
import { withProtection } from './protection.ts'
import { boardRuleOf } from './quote-rules.ts'

/**
 * What the account would say to this order now, by the same rules that it would be sent by. Changes
 * nothing. Cannot know an idempotency key that was used before.
 *
 * Errors  `CODE_INVALID`, `UNKNOWN_EXCHANGE`.
 */
export function previewOrder(turn: Turn, request: PreviewOrder): OrderPreview {
  const { side, priceType } = request
  const wanted = withProtection(turn, {
    code: codeOf(request.code),
    side,
    quantity: request.quantity as Quantity,
    priceType,
    price: request.price as Price,
  })
  const until = waitsUntil(turn, turn.state.policy.limits.pacedWaitMs)
  const input = { ...riskInput(turn, wanted), queue: seenBy(turn, until) }
  const rules = judge(input)
  const refusal = rules.find(({ status }) => status === 'refused')
  const { price, amount, fees } = estimateOf(input.order, input)
  const lots = ruleOfType(boardRuleOf(wanted.code, input.day), priceType)
  return {
    allowed: refusal === undefined,
    code: refusal?.code ?? null,
    message: refusal?.message ?? '',
    rules: rules.map((rule) => ({ ...rule, ok: rule.status !== 'refused' })),
    price: toYuan(price),
    amount: toYuan(amount),
    fees: {
      commission: toYuan(fees.commission),
      stamp_duty: toYuan(fees.stampDuty),
      transfer_fee: toYuan(fees.transfer),
      total: toYuan(fees.total),
    },
    stock_name: isUnnamed(input) ? null : input.name,
    quote: quoteOf(input, turn.inputs.quote(wanted.code)),
    quantity_max: largestQuantity(input, lots) ?? null,
    lot_min: lots.lotMin,
    lot_step: lots.lotStep,
    tick_size: toYuan(lots.tickSize as Price),
    price_types: priceTypesOf(wanted.code).map((type) => ({
      type,
      takes_price: type === PRICE_TYPE.limit || takesProtection(wanted.code, type),
    })),
  }
}

/** It is called by its digits where nobody has told a name. */
const isUnnamed = ({ name, order }: RiskInput): boolean =>
  name === '' || name === bareCode(order.code)

/** The very quote that the rules have judged by. */
function quoteOf(
  { order, day, name, nowMs, quote }: RiskInput,
  book: Quote | undefined,
): PreviewedQuote | null {
  if (quote === undefined) return null
  const limits = limitsInForce(order.code, day, { ...quote, name })
  return {
    time: quote.timeMs,
    age_seconds: Math.max(0, nowMs - quote.timeMs) / 1_000,
    last_price: toYuan(quote.lastPrice),
    last_close: toYuan(quote.lastClose),
    limit_up: limits === undefined ? null : toYuan(limits.high),
    limit_down: limits === undefined ? null : toYuan(limits.low),
    ask: levelsOf(quote.ask, book?.askVolume),
    bid: levelsOf(quote.bid, book?.bidVolume),
  }
}

/** A source that tells no volume tells none of any level: 0 shares at a price are no level of a book. */
const levelsOf = (
  prices: readonly Price[],
  volumes: readonly number[] = [],
): readonly PreviewedLevel[] =>
  prices.flatMap((price, index) =>
    price > 0 ? [{ price: toYuan(price), volume: volumes[index] || null }] : [],
  )
