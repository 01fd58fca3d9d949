import type { BoardRule } from '../../../domain/data/board-rules.ts'
import type { Money, Price, Quantity } from '../../../domain/money.ts'
import { PRICE_TYPE, type Side } from '../../../domain/order.ts'
import { counterPrice } from '../../../domain/reckoned-price.ts'
import { priceLimits, rulesFor } from '../../../domain/rules.ts'
import {
  type GridOrderPlan,
  type GridSignal,
  guardRefusal,
  type PlanInput,
  planBuy,
  planSell,
} from '../../../strategy/grid/plan.ts'
import type { GridSession } from '../../../strategy/grid/session.ts'
import type { GridOrder } from '../../model/grid-book.ts'
import { approve, freeShares } from '../../orders/approval.ts'
import { freshId } from '../../orders/fresh-id.ts'
import { submit } from '../../orders/orders.ts'
import { positionsOf } from '../../turn/holding.ts'
import type { Turn } from '../../turn/turn.ts'
import { bookFills } from './booking.ts'
import { reservedOf } from './lookups.ts'

/** A signal of a session with the crossing behind it. */
export interface Wish extends GridSignal {
  readonly level: number
  readonly peakPrice: Price
  readonly valleyPrice: Price
  readonly callbackPpm: number
  /** The canceled order whose place the new one takes. */
  readonly follows?: Pick<GridOrder, 'clientOrderId' | 'attempt'>
}

/** Where nothing is known about a board: what holds on most. */
const USUAL_RULE: Pick<BoardRule, 'lotMin' | 'quantityMax'> = {
  lotMin: 100,
  quantityMax: 1_000_000,
}

/**
 * Guards, plan, pre-trade rules, order: registered with the grid in the commit of the order itself.
 * Returns the reason when nothing was sent.
 */
export function execute(turn: Turn, session: GridSession, wish: Wish): string | undefined {
  const { state, inputs } = turn
  const { nowMs } = inputs
  const policy = state.policy.grid
  const quote = inputs.quote(session.code)
  const latestPrice = quote?.lastPrice ?? (0 as Price)
  const limits = limitsOf(turn, session)
  const refusal = guardRefusal(policy, session, { signal: wish, nowMs, latestPrice, limits })
  if (refusal !== undefined) return refusal
  const plan = (wish.side === 'buy' ? planBuy : planSell)(policy, session, {
    nowMs,
    latestPrice,
    triggerPrice: wish.triggerPrice,
    highLimit: limits?.high ?? (0 as Price),
    rule: rulesFor(session.code, state.day) ?? USUAL_RULE,
    reserved: reservedOf(state, session.id) as Money,
    sellable: freeShares(state, session.code),
    isReorder: wish.follows !== undefined,
  } satisfies PlanInput)
  return 'refused' in plan ? plan.refused : send(turn, session, { wish, plan })
}

/** Lowest and highest price of the day, as the rules of the board give them. */
function limitsOf({ state, inputs }: Turn, { code }: GridSession) {
  const lastClose = inputs.quote(code)?.lastClose ?? (0 as Price)
  const name = positionsOf(state).get(code)?.name ?? ''
  return priceLimits(code, state.day, { lastClose, name })
}

interface Order {
  readonly wish: Wish
  readonly plan: GridOrderPlan
}

function send(turn: Turn, session: GridSession, { wish, plan }: Order): string | undefined {
  const { state, inputs } = turn
  const { code, id: sessionId } = session
  const { side, level, triggerPrice, peakPrice, valleyPrice, callbackPpm, follows } = wish
  const { quantity, reservedPrice } = plan
  const clientOrderId = freshId(turn)
  const price = orderPrice(turn, session, { wish, plan })
  const strategy = state.policy.grid.strategyName
  const approval = approve(turn, {
    clientOrderId,
    requestHash: '',
    code,
    side,
    quantity,
    priceType: PRICE_TYPE.limit,
    price,
    strategy,
    source: 'grid',
  })
  if (!approval.ok) return approval.error.code
  const simulated = submit(turn, approval.value)
  if (simulated?.state === 'rejected') return simulated.statusMessage
  turn.emit({
    kind: 'gridOrderPlaced',
    coolingFromMs: inputs.nowMs - state.policy.grid.levelCooldownMs,
    order: {
      clientOrderId,
      sessionId,
      code,
      side,
      requested: quantity,
      level,
      triggerPrice,
      reservedPrice,
      peakPrice,
      valleyPrice,
      callbackPpm,
      attempt: follows === undefined ? 0 : follows.attempt + 1,
      parent: follows?.clientOrderId ?? '',
      placedMs: inputs.nowMs,
      bookedQuantity: 0 as Quantity,
      bookedAmount: 0 as Money,
      isReorderWanted: false,
      isClosed: false,
    },
  })
  if (simulated !== undefined) {
    const amount = (quantity * price) as Money
    bookFills(turn, clientOrderId, { orderId: simulated.orderId, quantity, amount })
    turn.emit({ kind: 'gridOrderClosed', clientOrderId, outcome: 'filled' })
  }
  return undefined
}

/**
 * The other side's price where that is wanted, and for a purchase never more than the quota was
 * charged with: a limit, because the money of a fill must be known before it happens.
 */
function orderPrice({ state, inputs }: Turn, { code }: GridSession, { wish, plan }: Order): Price {
  const { side, triggerPrice } = wish
  // A simulated order is filled at the price that set it off.
  if (!state.policy.grid.isCounterpartyPrice || state.simulation !== undefined) return triggerPrice
  const price = counterPrice(side, inputs.quote(code), triggerPrice)
  return side === 'buy' ? highestOnTick(turnRule(state.day, code), price, plan) : price
}

const turnRule = (day: string, code: GridSession['code']): number =>
  rulesFor(code, day)?.tickSize ?? 1

const highestOnTick = (tickSize: number, price: Price, { reservedPrice }: GridOrderPlan): Price =>
  Math.min(price, reservedPrice - (reservedPrice % tickSize)) as Price

/** Whether an order of the session on this side is not finished. */
export const hasOpenOrder = (orders: readonly GridOrder[], side: Side): boolean =>
  orders.some((order) => order.side === side)
