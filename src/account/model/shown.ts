import type { StockCode } from '../../domain/instrument.ts'
import type { Money, Quantity } from '../../domain/money.ts'
import type { Side } from '../../domain/order.ts'

/**
 * A moment in the talk with the broker. `at` counts our calls: what was answered before call `at` left
 * is known to whoever answers it. Clocks have no part in that.
 */
export interface Moment {
  readonly at: number
  /** Wall clock, epoch ms. */
  readonly wallMs: number
}

/** What the broker has said of the shares of a stock. */
export interface SharesShown extends Moment {
  readonly sellable: Quantity
  readonly quantity: Quantity
}

export interface CashShown extends Moment {
  readonly available: Money
}

/** Shares of a deal that was booked; sales are negative. */
export interface DealtShares extends Moment {
  readonly shares: number
  /** When it was made, by the broker, epoch ms. */
  readonly dealtMs: number
}

/** What is known of the shares of a stock. */
export interface SharesKnown {
  /** Of the last list that we asked for and believed: the only report whose moment is known. */
  readonly listed?: SharesShown
  /** Of a push that came after that list was asked. Nobody knows its moment: it may lower, never raise. */
  readonly pushed?: SharesShown
  /** Shares before `deals`. */
  readonly base: number
  /** Booked since the list was asked. */
  readonly deals: readonly DealtShares[]
}

export interface CashKnown {
  readonly listed?: CashShown
  readonly pushed?: CashShown
}

/** An order of which the last report that we asked for cannot be proven to know. */
export interface Unseen {
  readonly code: StockCode
  readonly side: Side
  /** Calls from this one on left after the broker's number was known; undefined while it is not. */
  readonly numberedAt?: number
  readonly filled: Quantity
  /** Of its last news, wall clock. */
  readonly newsMs: number
}

export type SharesBook = Map<StockCode, SharesKnown>
