import type { StockCode } from '../../../domain/instrument.ts'
import type { Money, Price } from '../../../domain/money.ts'
import { PRICE_TYPE, type Side } from '../../../domain/order.ts'
import { onStep, withinCage } from '../../../domain/price-cage.ts'
import { counterpartyPrice } from '../../../domain/reckoned-price.ts'
import { limitsInForce, tickSizeOf } from '../../../domain/rules.ts'
import type { Quote } from '../../../ports/quotes.port.ts'
import {
  type GridOrderPlan,
  type GridSignal,
  type GuardRefusal,
  guardRefusal,
  type PlanInput,
  type PlanRefusal,
  planBuy,
  planSell,
} from '../../../strategy/grid/plan.ts'
import type { GridSession } from '../../../strategy/grid/session.ts'
import type { AccountState } from '../../model/state.ts'
import { freeShares } from '../../orders/available.ts'
import { boardRuleOf } from '../../orders/quote-rules.ts'
import { isSellingOut } from '../../orders/selling-out.ts'
import { nameOf, positionsOf } from '../../turn/holding.ts'
import type { Sight } from '../../turn/turn.ts'
import { reservedOf } from './lookups.ts'

/** The order that a signal leads to, before the rules of all orders are asked. */
export interface PlannedOrder {
  readonly plan: GridOrderPlan
  readonly priceType: number
  readonly price: Price
}
export type Planned = PlannedOrder | { readonly refused: GuardRefusal | PlanRefusal }

/** Guards and plan of the grid at the quote that is seen. Whoever trades and whoever tells of it ask here. */
export function planned(
  state: AccountState,
  sight: Sight,
  session: GridSession,
  { signal, isReorder }: { readonly signal: GridSignal; readonly isReorder: boolean },
): Planned {
  const { code } = session
  const { nowMs } = sight
  const policy = state.policy.grid
  const quote = sight.quote(code)
  const latestPrice = quote?.lastPrice ?? (0 as Price)
  const limits = limitsOf(state, session, quote)
  const holding = { isHeld: isHeld(state, code), isSellingOut: isSellingOut(state, sight, code) }
  const seen = { nowMs, latestPrice, limits, ...holding }
  const refused = guardRefusal(policy, session, { signal, ...seen })
  if (refused !== undefined) return { refused }
  const plan = (signal.side === 'buy' ? planBuy : planSell)(policy, session, {
    nowMs,
    latestPrice,
    triggerPrice: signal.triggerPrice,
    highLimit: limits?.high ?? (0 as Price),
    rule: boardRuleOf(code, state.day),
    reserved: reservedOf(state, session.id) as Money,
    sellable: freeShares(state, code),
    isReorder,
  } satisfies PlanInput)
  if ('refused' in plan) return plan
  const price = orderPrice(state, session, { signal, plan, quote })
  return { plan, priceType: PRICE_TYPE.limit, price }
}

/** Whether there is anything of what a grid works on. */
export const isHeld = (state: AccountState, code: GridSession['code']): boolean =>
  (positionsOf(state).get(code)?.quantity ?? 0) > 0

/** Lowest and highest price of the day; undefined where the market itself trades beyond those of the table. */
const limitsOf = (state: AccountState, { code }: GridSession, quote: Quote | undefined) => {
  const none = 0 as Price
  const seen = { lastClose: none, lastPrice: none, ...quote, name: nameOf(state, code) }
  return limitsInForce(code, state.day, seen)
}

interface Priced {
  readonly signal: { readonly side: Side; readonly triggerPrice: Price }
  readonly plan: GridOrderPlan
  readonly quote: Quote | undefined
}

/**
 * The other side's price where that is wanted, as far as the exchange takes it, and for a purchase never more than the quota was
 * charged with: a limit, because the money of a fill must be known before it happens. On a price step, also where the quote is
 * on none: whoever sends it off a step has it refused.
 */
function orderPrice(
  state: AccountState,
  { code }: GridSession,
  { signal: { side, triggerPrice }, plan, quote }: Priced,
): Price {
  const price = onStep(code, side, wantedPrice(state, code, { side, triggerPrice, quote }))
  const most = plan.reservedPrice - (plan.reservedPrice % tickSizeOf(code))
  return side === 'sell' ? price : (Math.min(price, most) as Price)
}

function wantedPrice(
  { policy, simulation }: AccountState,
  code: StockCode,
  { side, triggerPrice, quote }: Priced['signal'] & Pick<Priced, 'quote'>,
): Price {
  // A simulated order is filled at the price that set it off.
  if (!policy.grid.isCounterpartyPrice || simulation !== undefined) return triggerPrice
  return withinCage({ code, side, price: counterpartyPrice(side, quote, triggerPrice) }, quote)
}
