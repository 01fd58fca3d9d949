import type { StockCode } from '../../domain/instrument.ts'
import type { Money, Price, Quantity } from '../../domain/money.ts'
import type { Side } from '../../domain/order.ts'
import type { GridSession } from '../../strategy/grid/session.ts'
import type { GridTemplate } from '../../strategy/grid/templates.ts'

/**
 * What a grid knows about one of its orders; the row of the grid's order table. Status and fills
 * are those of the order itself. A grid order is registered before the order leaves, and booked
 * when it has ended and its fills are known.
 */
export interface GridOrder {
  readonly clientOrderId: string
  readonly sessionId: number
  readonly code: StockCode
  readonly side: Side
  readonly requested: Quantity
  /** The level that was crossed, in units of the tracker. */
  readonly level: number
  readonly triggerPrice: Price
  /** What the quota is charged with for each share until it is booked. */
  readonly reservedPrice: Price
  readonly peakPrice: Price
  readonly valleyPrice: Price
  readonly callbackPpm: number
  /** 0 for the first, 1 for the one that took its place after a cancel. */
  readonly attempt: number
  /** Client order id of the one before; empty for the first. */
  readonly parent: string
  /** Epoch ms of the market clock. */
  readonly placedMs: number
  /** Of its fills, what the ledger has. */
  readonly bookedQuantity: Quantity
  readonly bookedAmount: Money
  /** Canceled because its time was up without a fill: another one may take its place. */
  readonly isReorderWanted: boolean
  /** Ended, and all that followed from it has been done. */
  readonly isClosed: boolean
}

/** One booked fill; the row of the grid's trade table. */
export interface GridTrade {
  /** 1, 2, 3 … within the session. */
  readonly id: number
  readonly sessionId: number
  readonly code: StockCode
  readonly side: Side
  readonly level: number
  /** Average of its deals. */
  readonly price: Price
  readonly quantity: Quantity
  readonly amount: Money
  /** By the rates in force when it was booked; absent in books of an earlier release. */
  readonly fee?: Money
  readonly peakPrice: Price
  readonly valleyPrice: Price
  readonly callbackPpm: number
  /** The broker's number of the order; a later booking of the same order adds `_2`. */
  readonly tradeId: string
  readonly timeMs: number
  readonly centerBefore: Price
  readonly centerAfter: Price
}

/** Everything about grids that an account keeps in memory. Durable; changed by the fold alone. */
export interface GridBook {
  /** By number, oldest first; those that ended long ago have been forgotten. */
  readonly sessions: Map<number, GridSession>
  /** Numbers of those that have not ended; follows from `sessions`. */
  readonly live: Set<number>
  /** By client order id. */
  readonly orders: Map<string, GridOrder>
  /** Orders that are not closed; follows from `orders`. */
  readonly open: Set<string>
  /** By name. */
  readonly templates: Map<string, GridTemplate>
}

export const emptyGridBook = (): GridBook => ({
  sessions: new Map(),
  live: new Set(),
  orders: new Map(),
  open: new Set(),
  templates: new Map(),
})

/** Files a session as it is from now on; also after a load. */
export function fileSession(book: GridBook, session: GridSession): void {
  book.sessions.set(session.id, session)
  if (session.status === 'stopped') book.live.delete(session.id)
  else book.live.add(session.id)
}

/** The same for an order. */
export function fileOrder(book: GridBook, order: GridOrder): void {
  book.orders.set(order.clientOrderId, order)
  if (order.isClosed) book.open.delete(order.clientOrderId)
  else book.open.add(order.clientOrderId)
}

const DIGITS = 10
const padded = (value: number): string => String(value).padStart(DIGITS, '0')

/** Key of a row that belongs to a session: sorts by session, then by the row's own number. */
export const rowKey = (sessionId: number, id: number): string =>
  `${padded(sessionId)}/${padded(id)}`
