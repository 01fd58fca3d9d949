import type { Price } from '../../domain/money.ts'

/** One row of `DYNAMIC_TAKE_PROFIT`: from this gain of the high over the cost, exit at high × coefficient. */
export interface ProfitTier {
  /** Decimal ratio, inclusive. */
  readonly level: number
  readonly coefficient: number
}

export interface ProtectPolicy {
  /** `STOP_LOSS_RATIO`, decimal, negative: −0.075. */
  readonly stopLossRatio: number
  /** Ascending by level. */
  readonly tiers: readonly ProfitTier[]
}

export interface ProtectInput {
  readonly costPrice: Price
  readonly highestPrice: Price
  readonly profitTriggered: boolean
}

/** The stop that the cost alone gives, not rounded. */
export const fixedStop = ({ stopLossRatio }: ProtectPolicy, cost: Price): number =>
  cost * (1 + stopLossRatio)

const EMPTY_TABLE_COEFFICIENT = 0.95
/** Ratios are compared with this tolerance, so that the exact threshold price counts. */
export const RATIO_TOLERANCE = 1e-9

/**
 * The price below which a holding is given up: the fixed stop until the first take-profit has
 * filled, afterwards the tier of the highest price. It does not ratchet: each tier edge lowers it.
 *
 * Units   ten-thousandths of a yuan, not rounded; 0 when the cost is unknown.
 * Source  docs/domain.md 5.2.
 */
export function protectPrice(
  policy: ProtectPolicy,
  { costPrice, highestPrice, profitTriggered }: ProtectInput,
): number {
  if (costPrice <= 0) return 0
  if (!profitTriggered) return fixedStop(policy, costPrice)
  const high = highestPrice > 0 ? highestPrice : costPrice
  if (policy.tiers.length === 0) return high * EMPTY_TABLE_COEFFICIENT
  const tier = tierOf(policy, { costPrice, highestPrice: high })
  return tier === undefined ? fixedStop(policy, costPrice) : high * tier.coefficient
}

/** The highest row whose level the gain of the high has reached; undefined below the lowest. */
export function tierOf(
  { tiers }: ProtectPolicy,
  { costPrice, highestPrice }: Omit<ProtectInput, 'profitTriggered'>,
): ProfitTier | undefined {
  const gain = (highestPrice - costPrice) / costPrice
  return tiers.findLast(({ level }) => gain >= level - RATIO_TOLERANCE)
}
