import { type Price, type Quantity, toYuan } from '../../domain/money.ts'
import { judge } from '../../domain/risk.ts'
import { estimateOf } from '../../domain/risk-input.ts'
import type { OrderPreview, PreviewOrder } from '../../protocol/account.ts'
import type { Turn } from '../turn/turn.ts'
import { riskInput } from './approval.ts'
import { seenBy, waitsUntil } from './order-queue.ts'
import { codeOf } from './orders.ts'
import { withProtection } from './protection.ts'

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
  }
}
