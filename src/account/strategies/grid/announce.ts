import { type InBoth, inBoth, withoutCodes } from '../../../domain/in-both.ts'
import type { Price, Quantity } from '../../../domain/money.ts'
import type { Side } from '../../../domain/order.ts'
import { judge } from '../../../domain/risk.ts'
import { tickSizeOf } from '../../../domain/rules.ts'
import type { Quote } from '../../../ports/quotes.port.ts'
import { type NextStep, nextSteps } from '../../../strategy/grid/next-steps.ts'
import { type GridSession, investedOf, isCooling } from '../../../strategy/grid/session.ts'
import { LEVEL_UNITS } from '../../../strategy/grid/tracker.ts'
import type { AccountState } from '../../model/state.ts'
import { riskInput } from '../../orders/approval.ts'
import { assetsNow } from '../../orders/assets.ts'
import { type Sight, Turn } from '../../turn/turn.ts'
import { refusalInBoth } from './answers/refusal-words.ts'
import { openOrders } from './lookups.ts'
import { type PlannedOrder, planned } from './planned.ts'

/** Why the next order of a side would not be sent if its moment were now. */
export interface Blocked extends InBoth {
  /** Of a guard or plan of the grid, else of a pre-trade rule. */
  readonly code: string
}

/** The next order of a grid on one side, as it would be sent now. */
export interface NextOrder extends NextStep {
  /** Undefined where nothing would be sent. */
  readonly quantity?: Quantity
  readonly orderPrice?: Price
  readonly blocked?: Blocked
}

/**
 * What an active session would send next on each side, found by asking the rules that trade: the tracker for the
 * price, guards and plan for the shares, and the rules of all orders for what would stop it.
 */
export function nextOrders(
  state: AccountState,
  sight: Sight,
  session: GridSession,
): Readonly<Record<Side, NextOrder>> {
  const steps = nextSteps(session, tickSizeOf(session.code))
  const next = (side: Side) => nextOrder(state, sight, { session, step: steps[side] })
  return { buy: next('buy'), sell: next('sell') }
}

interface Ahead {
  readonly session: GridSession
  readonly step: NextStep
}

function nextOrder(state: AccountState, sight: Sight, { session, step }: Ahead): NextOrder {
  const { side, sendsAt: triggerPrice } = step
  const there = sightAt(sight, session, triggerPrice)
  const signal = { sessionId: session.id, side, triggerPrice, timeMs: sight.nowMs }
  const order = planned(state, there, { ...session, isEnabled: true }, { signal, isReorder: false })
  const before = notYet(state, sight, { session, step })
  if ('refused' in order) return { ...step, blocked: before ?? refusalInBoth(order.refused) }
  const blocked = before ?? ruleAgainst(state, there, { session, step, order })
  const { plan, price: orderPrice } = order
  return { ...step, quantity: plan.quantity, orderPrice, ...(blocked && { blocked }) }
}

/** The moment at which the order would be sent: nobody knows what stands in the book then. */
function sightAt(sight: Sight, { code }: GridSession, lastPrice: Price): Sight {
  const quote = (asked: typeof code): Quote | undefined => {
    const now = sight.quote(asked)
    if (now === undefined || asked !== code) return now
    return { ...now, lastPrice, timeMs: sight.nowMs, bid: [], ask: [] }
  }
  return { ...sight, quote }
}

/** What keeps the tracker from even getting there, or its signal from being followed. */
function notYet(
  state: AccountState,
  { nowMs, ...sight }: Sight,
  { session, step: { side, phase, level } }: Ahead,
): Blocked | undefined {
  if (openOrders(state, session.id).some((order) => order.side === side)) {
    return refusalInBoth('order_unfinished')
  }
  if (phase === 'other') return refusalInBoth('other_side')
  const { levelCooldownMs: cooldownMs } = state.policy.grid
  if (phase === 'level' && side === 'buy' && investedOf(session) >= session.maxInvestment) {
    return refusalInBoth('quota_used')
  }
  if (phase === 'level' && isCooling(session, { level, nowMs, cooldownMs })) {
    return refusalInBoth('level_cooling')
  }
  const isUnknown = side === 'buy' && assetsNow(state, { ...sight, nowMs }) === undefined
  return isUnknown ? refusalInBoth('total_unknown') : undefined
}

/** The first of the rules of all orders that would stop it. Changes nothing, as a preview. */
function ruleAgainst(
  state: AccountState,
  sight: Sight,
  { session, step, order }: Ahead & { readonly order: PlannedOrder },
): Blocked | undefined {
  const { price, priceType, plan } = order
  const wanted = { code: session.code, side: step.side, quantity: plan.quantity, priceType, price }
  const turn = new Turn(state, { ...sight, wallMs: state.wallMs })
  const { strategyName: strategy } = state.policy.grid
  const rules = judge(riskInput(turn, { ...wanted, strategy }, true))
  // How many orders leave within a second says nothing of a moment to come.
  const refusal = rules.find(({ status, code }) => status === 'refused' && code !== 'ORDER_RATE')
  if (refusal === undefined) return undefined
  const { zh, en } = inBoth(refusal.message)
  return { code: refusal.code, zh: withoutCodes(zh), en: withoutCodes(en) }
}

/** A level as a price: exact, so it may lie between two ticks. */
export const levelPrice = (level: number): Price => (level / LEVEL_UNITS) as Price
