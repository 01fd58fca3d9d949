import { bookAsFound, type ClosedPosition, type CostBook } from '../../domain/cost-book.ts'
import type { StockCode } from '../../domain/instrument.ts'
import type { Money } from '../../domain/money.ts'
import { type Position, thresholdCost } from '../../domain/position.ts'

/** Durable scalars of what was earned: a part of the account's own row. */
export interface EarningsMeta {
  /** Since when costs are followed, epoch ms of the market clock; 0: not yet. */
  readonly sinceMs: number
  readonly nextSaleId: number
  readonly nextClosedId: number
  readonly found?: FoundGain
}

/** What shares that no deal explains had gained since the close before, as they were taken on this exchange day. */
export interface FoundGain {
  readonly day: string
  readonly gained: Money
}
export const NOTHING_EARNED: EarningsMeta = { sinceMs: 0, nextSaleId: 1, nextClosedId: 1 }

/** What the client says that a holding has cost; null: nothing, or what cannot be. */
export function clientCost(held: Position): Money | null {
  const price = thresholdCost(held)
  const cost = price * held.quantity
  return price <= 0 || !Number.isSafeInteger(cost) ? null : (cost as Money)
}

/** A holding whose purchases nobody has seen. */
export const bookOfFound = (held: Position, openedMs: number): CostBook =>
  bookAsFound({
    code: held.code,
    name: held.name,
    quantity: held.quantity,
    cost: clientCost(held),
    openedMs,
  })

/** A closed holding as it is kept: 1, 2, 3 … within the account. */
export interface NumberedClosed extends ClosedPosition {
  readonly id: number
}

/** What each holding has cost. */
export interface Costs {
  readonly books: Map<StockCode, CostBook>
  /** Stocks whose shares the client may show otherwise than their deals do → market clock since when, 0: just touched. */
  readonly doubted: Map<StockCode, number>
}
export const emptyCosts = (): Costs => ({ books: new Map(), doubted: new Map() })
