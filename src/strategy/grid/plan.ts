import type { BoardRule } from '../../domain/data/board-rules.ts'
import { fewestShares, wholeLots } from '../../domain/lot.ts'
import type { Money, Price, Quantity } from '../../domain/money.ts'
import type { Side } from '../../domain/order.ts'
import { openCostOf } from './ledger.ts'
import type { GridPolicy } from './policy.ts'
import { PPM, shareOf } from './ratios.ts'
import type { GridSession } from './session.ts'

/** Why a signal is not worth a plan. */
export type GuardRefusal =
  | 'session_ended'
  | 'session_paused'
  | 'other_session'
  | 'holding_missing'
  | 'selling_out'
  | 'signal_too_old'
  | 'price_drifted'
  | 'at_limit_up'
  | 'at_limit_down'
  | 'suspended'

/** A callback after a crossing, on its way to an order. */
export interface GridSignal {
  readonly sessionId: number
  readonly side: Side
  readonly triggerPrice: Price
  /** Epoch ms of the market clock. */
  readonly timeMs: number
}

interface GuardInput {
  readonly nowMs: number
  /** 0 = none. */
  readonly latestPrice: Price
  /** Lowest and highest price of the day; undefined = not known, which stops nothing. */
  readonly limits: { readonly low: Price; readonly high: Price } | undefined
  /** There are shares of the stock, whoever bought them. */
  readonly isHeld: boolean
  /** All of them are about to be sold: a full exit is not finished, or waits to be sent. */
  readonly isSellingOut: boolean
}

/** A signal may be from so far ahead of the clock. */
const EARLY_MS = 5_000

/**
 * The last look before an order is planned.
 *
 * Source  docs/domain.md 6.7.
 */
export function guardRefusal(
  policy: GridPolicy,
  session: GridSession,
  input: GuardInput & { readonly signal: GridSignal },
): GuardRefusal | undefined {
  const { signal, nowMs, latestPrice, limits, isHeld, isSellingOut } = input
  if (session.id !== signal.sessionId) return 'other_session'
  if (session.status !== 'active') return 'session_ended'
  if (!session.isEnabled) return 'session_paused'
  if (!isHeld) return 'holding_missing'
  if (isSellingOut && signal.side === 'buy') return 'selling_out'
  const ageMs = nowMs - signal.timeMs
  if (ageMs < -EARLY_MS || ageMs > policy.signalMaxAgeMs) return 'signal_too_old'
  if (hasDrifted(policy, signal.triggerPrice, latestPrice)) return 'price_drifted'
  return policy.isLimitGuarded && limits !== undefined
    ? limitRefusal(signal.side, latestPrice, {
        low: limits.low + policy.limitMargin,
        high: limits.high - policy.limitMargin,
      })
    : undefined
}

function limitRefusal(
  side: Side,
  latest: Price,
  { low, high }: { readonly low: number; readonly high: number },
): GuardRefusal | undefined {
  if (latest <= 0) return 'suspended'
  if (side === 'buy') return latest >= high ? 'at_limit_up' : undefined
  return latest <= low ? 'at_limit_down' : undefined
}

/** Without a latest price there is nothing to compare with. */
const hasDrifted = (policy: GridPolicy, trigger: Price, latest: Price): boolean =>
  latest > 0 && Math.abs(latest - trigger) * PPM > policy.signalMaxDriftPpm * trigger

/** Why no order goes out for a signal. */
export type PlanRefusal =
  | 'no_quota'
  | 'quota_used'
  | 'cooling_down'
  | 'budget_too_small'
  | 'below_lot'
  | 'above_remaining'
  | 'nothing_sellable'

export interface GridOrderPlan {
  readonly quantity: Quantity
  /** What the quota is charged with until the fill is known; a purchase never pays more. */
  readonly reservedPrice: Price
}
export type Plan = GridOrderPlan | { readonly refused: PlanRefusal }

/** What the market and the account look like at the moment of a plan. */
export interface PlanInput {
  readonly nowMs: number
  /** Price that set it off. */
  readonly triggerPrice: Price
  /** 0 = none. */
  readonly latestPrice: Price
  /** Highest price of the day; 0 = not known. */
  readonly highLimit: Price
  readonly rule: Pick<BoardRule, 'lotMin' | 'quantityMax'>
  /** Of purchases under way or filled and not booked. */
  readonly reserved: Money
  /** Shares that may be sold now, sales under way taken off. */
  readonly sellable: Quantity
  /** An order that takes the place of a canceled one does not wait again. */
  readonly isReorder: boolean
}

const LEAST_BUDGET = 1_000_000 // 100 yuan

/**
 * Shares of a purchase: never more than the budget of one level buys, nor than the quota has left.
 *
 * Source  docs/domain.md 6.8.
 */
export function planBuy(policy: GridPolicy, session: GridSession, input: PlanInput): Plan {
  const { maxInvestment } = session
  if (maxInvestment <= 0) return { refused: 'no_quota' }
  if (!input.isReorder && isWithin(session.lastBuyMs, input.nowMs, policy.buyCooldownMs)) {
    return { refused: 'cooling_down' }
  }
  const remaining = maxInvestment - openCostOf(session.ledger) - input.reserved
  if (remaining <= 0) return { refused: 'quota_used' }
  const budget = Math.min(remaining, levelBudget(session))
  if (budget < LEAST_BUDGET) return { refused: 'budget_too_small' }
  const reservedPrice = buyRisk(policy, input)
  const wanted =
    session.tradeMode === 'shares'
      ? wholeLots(session.fixedQuantity)
      : wholeLots(budget / reservedPrice)
  if (wanted < fewestShares(input.rule)) return { refused: 'below_lot' }
  const quantity = Math.min(wanted, input.rule.quantityMax) as Quantity
  if (quantity * reservedPrice > remaining) return { refused: 'above_remaining' }
  return { quantity, reservedPrice }
}

/** Money for one level. */
export const levelBudget = ({
  maxInvestment,
  positionPpm,
}: Pick<GridSession, 'maxInvestment' | 'positionPpm'>): Money =>
  shareOf(maxInvestment, positionPpm, PPM) as Money

/** The most that a share of a purchase may cost. */
function buyRisk(policy: GridPolicy, { triggerPrice, latestPrice, highLimit }: PlanInput): Price {
  const price = Math.max(triggerPrice, latestPrice)
  if (!policy.isCounterpartyPrice) return price as Price
  const buffered = Math.ceil((price * (PPM + policy.buyBufferPpm)) / PPM)
  return (highLimit > 0 ? Math.min(buffered, highLimit) : buffered) as Price
}

/** Shares of a sale; of what the broker lets go today, so that T+1 is kept. */
export function planSell(policy: GridPolicy, session: GridSession, input: PlanInput): Plan {
  if (!input.isReorder && isSaleCooling(policy, session, input)) {
    return { refused: 'cooling_down' }
  }
  const { sellable, rule } = input
  if (sellable <= 0) return { refused: 'nothing_sellable' }
  const wanted =
    session.tradeMode === 'shares'
      ? wholeLots(session.fixedQuantity)
      : Math.max(wholeLots((sellable * session.positionPpm) / PPM), fewestShares(rule))
  const quantity = Math.min(wanted <= sellable ? wanted : wholeLots(sellable), rule.quantityMax)
  if (quantity < fewestShares(rule)) return { refused: 'below_lot' }
  return { quantity: quantity as Quantity, reservedPrice: input.triggerPrice }
}

function isSaleCooling(policy: GridPolicy, session: GridSession, input: PlanInput): boolean {
  const { sellCooldownMs, sellCooldownRisePpm } = policy
  const { lastSellMs, lastSellTrigger } = session
  const hasRisen =
    sellCooldownRisePpm > 0 &&
    lastSellTrigger > 0 &&
    input.triggerPrice * PPM > lastSellTrigger * (PPM + sellCooldownRisePpm)
  return isWithin(lastSellMs, input.nowMs, hasRisen ? sellCooldownMs / 2 : sellCooldownMs)
}

const isWithin = (thenMs: number, nowMs: number, spanMs: number): boolean =>
  thenMs > 0 && nowMs - thenMs < spanMs

/**
 * Shares of each trade where a start does not say them: a part of what is held, at least the fewest of the board. The part is
 * cut to whole lots as it is, so that 499.5 shares are four hundred, and of no sale more than was asked for.
 */
export const derivedShares = (held: Quantity, positionPpm: number, least: number): Quantity =>
  Math.max(wholeLots((held * positionPpm) / PPM), wholeLots(least)) as Quantity
