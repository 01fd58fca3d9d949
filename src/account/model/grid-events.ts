import type { Side } from '../../domain/order.ts'
import type { rescaledSession } from '../../strategy/grid/ex-day.ts'
import type { GridSession } from '../../strategy/grid/session.ts'
import type { GridTemplate } from '../../strategy/grid/templates.ts'
import type { Tracker } from '../../strategy/grid/tracker.ts'
import type { GridOrder, GridTrade } from './grid-book.ts'

/** What the journal tells about grids. `source` says who caused it. */
export type GridEvent =
  | {
      readonly kind: 'gridStarted'
      readonly session: GridSession
      /** Sessions that ended before and have lower numbers are forgotten. */
      readonly keepFromId: number
      readonly source: string
    }
  /** Paused or resumed. Resumed, it tracks from the price of that moment. */
  | {
      readonly kind: 'gridSwitched'
      readonly sessionId: number
      readonly isEnabled: boolean
      readonly tracker: Tracker
      readonly source: string
    }
  /** The price crossed a level, made a new extreme, or the holding went or came back. */
  | {
      readonly kind: 'gridTracked'
      readonly sessionId: number
      readonly tracker: Tracker
      readonly missingSinceMs: number
      readonly actedTickMs: number
    }
  /** An ex-day: its prices are those of the new scale. */
  | ({ readonly kind: 'gridRescaled'; readonly sessionId: number } & ReturnType<
      typeof rescaledSession
    >)
  /** A signal led to no order; the next crossing counts again. */
  | {
      readonly kind: 'gridRefused'
      readonly sessionId: number
      readonly side: Side
      readonly reason: string
      readonly actedTickMs: number
    }
  /** Registered, in the same commit as the order itself. */
  | {
      readonly kind: 'gridOrderPlaced'
      readonly order: GridOrder
      /** Levels that have rested since before this moment rest no longer. */
      readonly coolingFromMs: number
    }
  /** Its time was up without a fill: it is being canceled. */
  | {
      readonly kind: 'gridOrderTimedOut'
      readonly clientOrderId: string
      readonly isReorderWanted: boolean
    }
  /** Its fills are in the ledger. */
  | { readonly kind: 'gridBooked'; readonly clientOrderId: string; readonly trade: GridTrade }
  /** Ended; nothing more follows from it. */
  | {
      readonly kind: 'gridOrderClosed'
      readonly clientOrderId: string
      readonly outcome: GridOutcome
    }
  /** It takes no signals any more and waits for the end of its orders. */
  | {
      readonly kind: 'gridStopping'
      readonly sessionId: number
      readonly reason: string
      readonly source: string
    }
  | {
      readonly kind: 'gridStopped'
      readonly sessionId: number
      readonly reason: string
      readonly source: string
    }
  | {
      readonly kind: 'gridTemplateSaved'
      readonly template: GridTemplate
      readonly source: string
    }
  | { readonly kind: 'gridTemplateUsed'; readonly name: string; readonly source: string }
  | { readonly kind: 'gridTemplateDeleted'; readonly name: string; readonly source: string }

/** How an order of a grid ended. */
export type GridOutcome =
  | 'filled'
  | 'partial_filled_canceled'
  | 'canceled'
  | 'rejected'
  | 'reordered'
