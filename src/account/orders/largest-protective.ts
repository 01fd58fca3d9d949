import { largestSale } from '../../domain/largest-quantity.ts'
import type { Quantity } from '../../domain/money.ts'
import type { RiskOrder } from '../../domain/risk-input.ts'
import type { Turn } from '../turn/turn.ts'
import { boardRuleOf } from './quote-rules.ts'

/**
 * The most of the free shares that one protective sale may be of: what the board takes at once, and what one order may
 * be worth, but never less than the fewest shares of the board. A limit cuts what protects, and never keeps it back.
 */
export function largestProtective(
  { state, inputs }: Turn,
  sale: Pick<RiskOrder, 'code' | 'priceType' | 'price'>,
  free: Quantity,
): Quantity {
  const { code } = sale
  const { day, policy, risk } = state
  const rule = boardRuleOf(code, day)
  const most = largestSale(
    {
      order: { ...sale, side: 'sell', quantity: free },
      day,
      quote: inputs.quote(code),
      feeRates: policy.feeRates,
      limits: risk,
    },
    free,
    rule,
  )
  return Math.min(free, Math.max(most, rule.lotMin)) as Quantity
}
