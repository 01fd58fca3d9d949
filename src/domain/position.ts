import type { ExDay } from './ex-day.ts'
import type { StockCode } from './instrument.ts'
import type { Price, Quantity } from './money.ts'

/** A holding with what this service remembers about it; the row of the position table. */
export interface Position {
  readonly code: StockCode
  readonly name: string
  readonly quantity: Quantity
  /** Reported by the broker and never restored from disk: 0 until it has answered. */
  readonly sellable: Quantity
  /** Average holding cost. */
  readonly costPrice: Price
  /** First build cost; set once, unchanged by later averaging. 0 = unknown. */
  readonly baseCostPrice: Price
  /** Highest price seen while held. */
  readonly highestPrice: Price
  /** Displayed protective price; the triggers are computed anew from cost and high. */
  readonly stopLossPrice: Price
  /** Set only by a confirmed fill of the first take-profit sale. */
  readonly profitTriggered: boolean
  readonly breakoutTriggered: boolean
  readonly breakoutHighestPrice: Price
  /** Per-stock switch of dynamic take-profit and stop-loss. */
  readonly stopProfitEnabled: boolean
  /** `2026-08-11 09:31:02`. */
  readonly openDate: string
  /** Epoch milliseconds of the newest tick acted upon; older ones are ignored after a restart. */
  readonly actedTickMs: number
  readonly updatedMs: number
  /** When the broker has shown it otherwise than before, epoch milliseconds. Absent in rows of earlier releases. */
  readonly reportedMs?: number
  /**
   * What a share has cost on the scale of today's prices, while the broker's cost is still that of before an
   * ex-day; absent or 0: the broker's own is.
   */
  readonly effectiveCost?: Price
  /** The last ex-day of it; absent before the first. */
  readonly exDay?: ExDay
}

/** What is remembered of a holding that waits for its breakout. */
export const NO_BREAKOUT = { breakoutTriggered: false, breakoutHighestPrice: 0 as Price } as const

/** What a holding is shown with whose cost nobody has told, so that ratios stay defined; no rule goes by it. */
export const UNKNOWN_COST = 100 as Price

/** Whether the cost of a holding is one that its broker has told. */
export const isCostTold = ({ costPrice }: Pick<Position, 'costPrice'>): boolean =>
  costPrice > UNKNOWN_COST

/** The cost that every threshold goes by; 0 = nobody has told one. */
export function thresholdCost({
  costPrice,
  effectiveCost = 0 as Price,
}: Pick<Position, 'costPrice' | 'effectiveCost'>): Price {
  const cost = effectiveCost > 0 ? effectiveCost : costPrice
  return cost > UNKNOWN_COST ? cost : (0 as Price)
}

/**
 * Holdings stand in the order of their codes, as a start reads them from disk: what is shown, and what
 * is done for one after the other, has the same order in every life of the account.
 */
export function putPosition(positions: Map<StockCode, Position>, position: Position): void {
  const { code } = position
  const isNew = !positions.has(code)
  positions.set(code, position)
  if (!isNew) return
  for (const [later, held] of [...positions].filter(([known]) => known > code)) {
    positions.delete(later)
    positions.set(later, held)
  }
}
