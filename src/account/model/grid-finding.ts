import type { StockCode } from '../../domain/instrument.ts'
import type { Price, Quantity } from '../../domain/money.ts'
import type { Side } from '../../domain/order.ts'
import type { Position } from '../../domain/position.ts'
import type { Cause } from './cause.ts'

/** What a look at a grid came to. */
export type GridVerdict =
  | 'grid_paused'
  | 'grid_off'
  | 'grid_not_now'
  | 'grid_between_levels'
  | 'grid_held_back'
  | 'grid_awaits_callback'
  | 'grid_order_open'
  | 'grid_refused'
  | 'grid_order'
  | 'grid_exit'

export interface GridFinding {
  readonly verdict: GridVerdict
  /** Why a session ended, or why an order was not sent. */
  readonly reason?: string
}

/** One look at the grid of a stock, kept in memory for those who ask why. */
export interface GridLook extends GridFinding {
  /** Market clock, epoch ms. */
  readonly timeMs: number
  readonly code: StockCode
  readonly cause: Cause
  readonly price: Price
  /** Time of the quote, epoch ms. */
  readonly quoteMs: number
  readonly position: Position | undefined
  /** The level that was crossed, else the nearer one; in units of the session's levels. */
  readonly level: number
  readonly gates: Readonly<Record<'master' | 'grids' | 'session', boolean>>
  readonly order?: {
    readonly clientOrderId: string
    readonly side: Side
    readonly quantity: Quantity
  }
}
