import type { StockCode } from '../../domain/instrument.ts'
import type { ExecuteBuy, ExecuteSell, PlaceOrder } from '../../protocol/orders.ts'

/** A moment on both clocks, epoch ms. */
export interface Instant {
  /** Market clock. */
  readonly nowMs: number
  /** Wall clock that never jumps. */
  readonly wallMs: number
}

/** What a person asked for that becomes one order when its turn has come: shares and cash are those of then. */
export type AskedForOne = PlaceOrder | ExecuteSell

interface Queued<Asked> {
  readonly clientOrderId: string
  readonly code: StockCode
  /** The key of the request, which is that of the order but for one of several. */
  readonly asked: Asked
  readonly queued: Instant
  /** Later it is not sent: whoever asked may have given up. */
  readonly until: Instant
}

/** One of those of a request for several stocks, which has a key of its own. */
export type QueuedOfBatch = Queued<ExecuteBuy>

/**
 * An order of a person that waits because of `risk.max_orders_per_second`. In memory only: what a
 * restart takes away was never sent. A request for several stocks is besides remembered as a batch.
 */
export type QueuedOrder = Queued<AskedForOne> | QueuedOfBatch

/** An order that a strategy wants and that had no place within the second: it comes before people's. */
export interface HeldBack {
  /** As `ownerOf` has it. */
  readonly owner: string
  readonly code: StockCode
  readonly at: Instant
  /** When there is a place again, by the market clock, epoch ms. */
  readonly againMs: number
  readonly isProtective: boolean
}
