import type { Price } from '../domain/money.ts'
import type { QuotesFrom, Tick } from '../protocol/market.ts'
import type { FetchBars } from './bars.port.ts'

/** What a source knows of a code for today. Prices in ten-thousandths of a yuan; 0 or empty = not known. */
export interface Instrument {
  readonly code: string
  readonly name: string
  /** Close of the day before, as it is for today; tells which day the rest is of. */
  readonly lastClose: Price
  readonly lowerLimit: Price
  readonly upperLimit: Price
  readonly tickSize: Price
  /** Fewest shares of a purchase. */
  readonly lotMin: number
}

/** Where ticks come from. The market thread owns it and calls it from one loop. */
export interface MarketSource {
  /** From now on this code is fed. `hint`: a price to start from, ten-thousandths, 0 = none. */
  want(code: string, hint: number): void
  /**
   * Starts feeding; `emit` must be awaited before the next tick when the feed is to be exact. A source that is
   * asked elsewhere calls `isBack` with its first quote, and with the first one after it had been away.
   */
  start(emit: (tick: Tick) => Promise<void> | void, isBack?: () => void): void
  /** No tick after it resolves. */
  stop(): Promise<void>
  /**
   * What it knows of codes today; unknown ones are left out. It may be of yesterday, which the caller finds out.
   * Absent where a source knows nothing but ticks.
   *
   * Errors  rejects with one line for people when it cannot say now.
   */
  instruments?(codes: readonly string[]): Promise<readonly Instrument[]>
  /**
   * Codes of everything that can be traded there today. Absent where a source knows nothing but ticks.
   *
   * Errors  as {@link instruments}.
   */
  listed?(): Promise<readonly string[]>
  /** Which computers it has its quotes from now. Absent where that is this one. */
  from?(): QuotesFrom
}

/** A market that a driver brings. */
export interface LiveMarket {
  readonly feed: MarketSource
  /** Its history; where there is none to get, it says so. */
  readonly fetch: FetchBars
}
