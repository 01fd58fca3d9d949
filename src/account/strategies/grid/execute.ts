import type { StockCode } from '../../../domain/instrument.ts'
import type { Money, Price, Quantity } from '../../../domain/money.ts'
import { type OrderRecord, PRICE_TYPE, type Side } from '../../../domain/order.ts'
import { counterpartyPrice } from '../../../domain/reckoned-price.ts'
import { limitsOfDay, rulesFor } from '../../../domain/rules.ts'
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
import type { GridOrder } from '../../model/grid-book.ts'
import type { AccountState } from '../../model/state.ts'
import { freeShares } from '../../orders/available.ts'
import {
  type DoorTerms,
  type IntentOutcome,
  type OrderIntent,
  submitIntent,
} from '../../orders/order-intent.ts'
import { boardRuleOf } from '../../orders/quote-rules.ts'
import { nameOf, positionsOf } from '../../turn/holding.ts'
import type { Turn } from '../../turn/turn.ts'
import { bookFills } from './booking.ts'
import { reservedOf } from './lookups.ts'

/** A signal of a session with the crossing behind it. */
export interface Crossing extends GridSignal {
  readonly level: number
  readonly peakPrice: Price
  readonly valleyPrice: Price
  readonly callbackPpm: number
  /** The canceled order whose place the new one takes. */
  readonly follows?: { readonly order: OrderRecord; readonly attempt: number }
}

/** Fills of a grid bear the number of their order, also simulated ones. */
const TERMS: DoorTerms = { simulatedPrefix: 'GRID_SIM' }

/** Guards and plan of the grid, then the door. The order is registered with the grid in its own commit. */
export function execute(turn: Turn, session: GridSession, crossing: Crossing): IntentOutcome {
  const { state, inputs } = turn
  const { nowMs } = inputs
  const policy = state.policy.grid
  const quote = inputs.quote(session.code)
  const latestPrice = quote?.lastPrice ?? (0 as Price)
  const limits = limitsOf(turn, session)
  const seen = { nowMs, latestPrice, limits, isHeld: isHeld(state, session.code) }
  const refusal = guardRefusal(policy, session, { signal: crossing, ...seen })
  if (refusal !== undefined) return refusedBy(refusal)
  const plan = (crossing.side === 'buy' ? planBuy : planSell)(policy, session, {
    nowMs,
    latestPrice,
    triggerPrice: crossing.triggerPrice,
    highLimit: limits?.high ?? (0 as Price),
    rule: boardRuleOf(session.code, state.day),
    reserved: reservedOf(state, session.id) as Money,
    sellable: freeShares(state, session.code),
    isReorder: crossing.follows !== undefined,
  } satisfies PlanInput)
  if ('refused' in plan) return refusedBy(plan.refused)
  const outcome = submitIntent(turn, intentOf(turn, session, { crossing, plan }))
  if (outcome.kind === 'sent') register(turn, session, { ...outcome, crossing, plan })
  return outcome
}

/** Whether there is anything of what a grid works on. */
export const isHeld = (state: AccountState, code: StockCode): boolean =>
  (positionsOf(state).get(code)?.quantity ?? 0) > 0

const refusedBy = (code: GuardRefusal | PlanRefusal): IntentOutcome => ({
  kind: 'refused',
  refusal: { code, message: code, isPassing: false },
})

/** Lowest and highest price of the day. */
function limitsOf({ state, inputs }: Turn, { code }: GridSession) {
  const seen = inputs.quote(code) ?? { lastClose: 0 as Price }
  return limitsOfDay(code, state.day, { ...seen, name: nameOf(state, code) })
}

interface Planned {
  readonly crossing: Crossing
  readonly plan: GridOrderPlan
}

function intentOf(turn: Turn, session: GridSession, planned: Planned): OrderIntent {
  const { follows, side, triggerPrice } = planned.crossing
  return {
    code: session.code,
    side,
    quantity: planned.plan.quantity,
    priceType: PRICE_TYPE.limit,
    price: orderPrice(turn, session, planned),
    strategy: turn.state.policy.grid.strategyName,
    source: 'grid',
    signalPrice: triggerPrice,
    follows: follows?.order,
    terms: TERMS,
  }
}

type Sent = Planned & Extract<IntentOutcome, { kind: 'sent' }>

/** With its crossing, and in simulation mode with the fills that it has already. */
function register(turn: Turn, session: GridSession, sent: Sent): void {
  const { state, inputs } = turn
  const { clientOrderId, fills, plan } = sent
  const { side, level, triggerPrice, peakPrice, valleyPrice, callbackPpm, follows } = sent.crossing
  turn.emit({
    kind: 'gridOrderPlaced',
    coolingFromMs: inputs.nowMs - state.policy.grid.levelCooldownMs,
    order: {
      clientOrderId,
      sessionId: session.id,
      code: session.code,
      side,
      requested: plan.quantity,
      level,
      triggerPrice,
      reservedPrice: plan.reservedPrice,
      peakPrice,
      valleyPrice,
      callbackPpm,
      attempt: follows === undefined ? 0 : follows.attempt + 1,
      parent: follows?.order.clientOrderId ?? '',
      placedMs: inputs.nowMs,
      bookedQuantity: 0 as Quantity,
      bookedAmount: 0 as Money,
      isReorderWanted: false,
      isClosed: false,
    },
  })
  if (fills === undefined) return
  bookFills(turn, clientOrderId, fills)
  turn.emit({ kind: 'gridOrderClosed', clientOrderId, outcome: 'filled' })
}

/**
 * The other side's price where that is wanted, and for a purchase never more than the quota was
 * charged with: a limit, because the money of a fill must be known before it happens.
 */
function orderPrice(
  { state, inputs }: Turn,
  { code }: GridSession,
  { crossing, plan }: Planned,
): Price {
  const { side, triggerPrice } = crossing
  // A simulated order is filled at the price that set it off.
  if (!state.policy.grid.isCounterpartyPrice || state.simulation !== undefined) return triggerPrice
  const price = counterpartyPrice(side, inputs.quote(code), triggerPrice)
  return side === 'buy' ? highestOnTick(turnRule(state.day, code), price, plan) : price
}

const turnRule = (day: string, code: GridSession['code']): number =>
  rulesFor(code, day)?.tickSize ?? 1

const highestOnTick = (tickSize: number, price: Price, { reservedPrice }: GridOrderPlan): Price =>
  Math.min(price, reservedPrice - (reservedPrice % tickSize)) as Price

/** Whether an order of the session on this side is not finished. */
export const hasOpenOrder = (orders: readonly GridOrder[], side: Side): boolean =>
  orders.some((order) => order.side === side)
