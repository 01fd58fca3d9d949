import type { StockCode } from '../../domain/instrument.ts'
import { largestSale } from '../../domain/largest-quantity.ts'
import type { Quantity } from '../../domain/money.ts'
import type { RiskOrder } from '../../domain/risk-input.ts'
import { lotError } from '../../domain/rules.ts'
import { positionsOf } from '../turn/holding.ts'
import type { Turn } from '../turn/turn.ts'
import { unshownShares } from './available.ts'
import { boardRuleOf } from './quote-rules.ts'

/**
 * The most of the free shares that one protective sale may be of: what the board takes at once, and what one order may
 * be worth, but never less than the fewest shares of the board. A limit cuts what protects, and never keeps it back.
 */
export function largestProtective(
  turn: Turn,
  sale: Pick<RiskOrder, 'code' | 'priceType' | 'price'>,
  free: Quantity,
): Quantity {
  const { state, inputs } = turn
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
  return inLots(turn, code, Math.min(free, Math.max(most, rule.lotMin)) as Quantity)
}

/**
 * While what may be sold has another odd part than what is held, a cancel may have freed more than is told, and the odd part
 * would be refused: whole lots go first, which always may, and it follows with a list.
 */
function inLots({ state }: Turn, code: StockCode, quantity: Quantity): Quantity {
  const rule = boardRuleOf(code, state.day)
  const shown = positionsOf(state).get(code)?.quantity ?? 0
  const held = (shown + unshownShares(state, code)) as Quantity
  if (lotError(rule, { side: 'sell', quantity, sellable: held }) === undefined) return quantity
  const whole = quantity - (quantity % rule.lotStep)
  return (whole < rule.lotMin ? quantity : whole) as Quantity
}
