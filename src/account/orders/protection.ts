import { exchangeDay } from '../../domain/exchange-time.ts'
import { protectionOf, takesProtection } from '../../domain/price-type.ts'
import type { RiskOrder } from '../../domain/risk-input.ts'
import { limitsInForce, type PriceLimits } from '../../domain/rules.ts'
import { nameOf } from '../turn/holding.ts'
import type { Turn } from '../turn/turn.ts'

/**
 * The order with a worst price where its board asks for one and the caller gave none: the limit of the day, so that it
 * trades as without one. Unchanged when that is not known, which a rule refuses then.
 */
export function withProtection<T extends RiskOrder>(turn: Turn, order: T): T {
  const { code, side, priceType } = order
  if (order.price > 0 || !takesProtection(code, priceType)) return order
  const price = protectionOf(side, limitsToday(turn, order))
  return price === 0 ? order : { ...order, price }
}

/** A quote of another day knows the close of another day. */
function limitsToday({ state, inputs }: Turn, { code }: RiskOrder): PriceLimits | undefined {
  const quote = inputs.quote(code)
  if (quote === undefined || exchangeDay(quote.timeMs) !== state.day) return undefined
  return limitsInForce(code, state.day, { ...quote, name: nameOf(state, code) })
}
