import type { Price } from '../../domain/money.ts'

/** What the configuration says about grids. Ratios in millionths, times in milliseconds. */
export interface GridPolicy {
  /** Name on orders and records. */
  readonly strategyName: string
  readonly levelCooldownMs: number
  readonly buyCooldownMs: number
  readonly sellCooldownMs: number
  /** A rise over the last sale that halves the wait for the next one; 0 = none does. */
  readonly sellCooldownRisePpm: number
  readonly signalMaxAgeMs: number
  readonly signalMaxDriftPpm: number
  /** Orders take the price of the other side, not the one that set them off. */
  readonly isCounterpartyPrice: boolean
  /** Reserve on top of the price of a purchase, in that mode. */
  readonly buyBufferPpm: number
  readonly isLimitGuarded: boolean
  /** So near to a price limit no order goes out. */
  readonly limitMargin: Price
  readonly isAutoCancel: boolean
  readonly pendingTimeoutMs: number
  readonly isAutoReorder: boolean
  readonly reordersMax: number
}
