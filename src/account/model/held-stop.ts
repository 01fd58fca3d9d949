import type { Price } from '../../domain/money.ts'

/** A stop-loss that orders of its own stock keep back: what it would sell, so that it is sent when all of it is free again. */
export interface HeldStop {
  /** The stop price: as long as the price is not above it, it is still wanted. */
  readonly threshold: Price
  /** Client order ids of what keeps it back. */
  readonly orders: readonly string[]
  /** Shares that may be sold, those of these orders included, and what they had filled by then. */
  readonly whole: number
  readonly filled: number
}
