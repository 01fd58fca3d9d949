import { type Price, round, toYuan, UNITS_PER_YUAN } from '../../domain/money.ts'
import { EXECUTED_LOSS_MIN } from '../../domain/settings/stop-profit.ts'
import { fixedStop, type ProtectInput, type ProtectPolicy, protectPrice } from './protect.ts'

/** Ratios of dynamic take-profit and stop-loss, all decimal. */
export interface StopProfitPolicy extends ProtectPolicy {
  /** `INITIAL_TAKE_PROFIT_RATIO`: gain over the cost that arms the first take-profit, 0.06. */
  readonly breakoutRatio: number
  /** `INITIAL_TAKE_PROFIT_PULLBACK_RATIO`: fall from the high after that which sells, 0.005. */
  readonly pullbackRatio: number
  /** `INITIAL_TAKE_PROFIT_RATIO_PERCENTAGE`: fraction sold, 0.6. */
  readonly sellRatio: number
}

/** Doubles err by less than this part of a price, and no threshold comes this near to the next unit. */
const NOISE = 1e-12

/*
 * Every threshold is turned into a whole price once, so that detection and bands compare the same
 * integers and the exact threshold price fires. `base` is the price that the ratio refers to.
 */

/** The highest whole price that is not above a threshold. */
export const highestUpTo = (threshold: number, base: Price): Price =>
  Math.floor(threshold + base * NOISE) as Price
const lowestFrom = (threshold: number, base: Price): Price =>
  Math.ceil(threshold - base * NOISE) as Price

/** At this price or below the holding is given up, whether or not a profit was taken before. */
export const stopPrice = (policy: ProtectPolicy, cost: Price): Price =>
  highestUpTo(fixedStop(policy, cost), cost)

/** At this price or below it is sold: the stop, but where that is nearer to the cost than the smallest loss. */
export const executedStop = (policy: ProtectPolicy, cost: Price): Price =>
  Math.min(stopPrice(policy, cost), highestUpTo(cost * (1 - EXECUTED_LOSS_MIN), cost)) as Price

/** From this price on the first take-profit is armed. */
export const breakoutPrice = ({ breakoutRatio }: StopProfitPolicy, cost: Price): Price =>
  lowestFrom(cost * (1 + breakoutRatio), cost)

/** At this price or below the fall from the high since the breakout is large enough to sell. */
export const pullbackPrice = ({ pullbackRatio }: StopProfitPolicy, high: Price): Price =>
  highestUpTo(high * (1 - pullbackRatio), high)

/** Lowest price at which the first take-profit is still worth having. */
export function minimumPrice(policy: StopProfitPolicy, cost: Price): Price {
  const kept = 1 - policy.pullbackRatio
  return lowestFrom(cost * (1 + policy.breakoutRatio) * kept * kept, cost)
}

/** At this price or below the rest is sold once the first take-profit has filled. */
export function exitPrice(
  policy: ProtectPolicy,
  holding: Omit<ProtectInput, 'profitTriggered'>,
): Price {
  const exact = protectPrice(policy, { ...holding, profitTriggered: true })
  return highestUpTo(exact, holding.highestPrice)
}

/** The protective price of a holding as people read it: rounded to the tick of its board, as it is stored. */
export function shownStop(policy: ProtectPolicy, holding: ProtectInput, tickSize: number): Price {
  const exact = toYuan(protectPrice(policy, holding) as Price)
  return (round(exact * (UNITS_PER_YUAN / tickSize), 0) * tickSize) as Price
}

const HIGH_RATIO_MAX = 20
const HIGH_RATIO_MIN = 0.1

/** A high this far from the cost is damaged data (a split, a bad tick), and no rule relies on it. */
export const isPlausibleHigh = (high: Price, cost: Price): boolean =>
  high > 0 && high <= cost * HIGH_RATIO_MAX && high >= cost * HIGH_RATIO_MIN
