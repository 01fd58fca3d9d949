import type { Tick } from '../protocol/market.ts'
import type { FetchBars } from './bars.port.ts'

/** Where ticks come from. The market thread owns it and calls it from one loop. */
export interface MarketSource {
  /** From now on this code is fed. `hint`: a price to start from, ten-thousandths, 0 = none. */
  want(code: string, hint: number): void
  /** Starts feeding; `emit` must be awaited before the next tick when the feed is to be exact. */
  start(emit: (tick: Tick) => Promise<void> | void): void
  /** No tick after it resolves. */
  stop(): Promise<void>
}

/** A market that a driver brings. */
export interface LiveMarket {
  readonly feed: MarketSource
  /** Its history; where there is none to get, it says so. */
  readonly fetch: FetchBars
}
