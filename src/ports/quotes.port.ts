import type { Price } from '../domain/money.ts'

/** The newest quote of one code, read from the board. Prices in ten-thousandths of a yuan, 0 = none. */
export interface Quote {
  readonly timeMs: number
  readonly lastPrice: Price
  readonly open: Price
  readonly high: Price
  readonly low: Price
  readonly lastClose: Price
  /** Best first, five levels. */
  readonly bid: readonly Price[]
  readonly ask: readonly Price[]
  readonly bidVolume: readonly number[]
  readonly askVolume: readonly number[]
  readonly volume: number
  readonly amount: number
  /**
   * Close of the trading day before, as this market has seen it itself; 0 or absent = it has not. `lastClose` is what
   * the exchange says of the same day, after splits and dividends: where they differ, shares are without a right.
   */
  readonly closeBefore?: Price
  /** What the quotes of the trading day before gave as their `lastClose`; 0 or absent = not known. */
  readonly lastCloseBefore?: Price
  /** Highest price that the quotes of the trading day before have told; 0 or absent = not known. */
  readonly highBefore?: Price
  /** Price limits that the source has told for the day of this quote; 0 or absent = it has not. */
  readonly lowerLimit?: Price
  readonly upperLimit?: Price
}

/** Read side of the quote board. */
export interface Quotes {
  /** Undefined before the first tick of the slot. Never torn: retried while a write is under way. */
  read(slot: number): Quote | undefined
  /** Sum of the sequence numbers of these slots; changes whenever one of them is written. */
  stamp(slots: readonly number[]): number
}

/** The alarm clock of one account, by the market clock. */
export interface Alarm {
  /** Epoch ms; Infinity = none. The last word counts. */
  set(timeMs: number): void
  /** It has rung: the same moment may be set again. */
  rung(): void
}

/** The bands of one account (or of the paper client): prices between which nothing can happen. */
export interface Bands {
  /**
   * Rings when a last price is < low or > high, and once when a tick brings a high of the day that is.
   * Ten-thousandths; `low > high` rings on every tick. Between `high` and `quiet` a price only makes a new high: see
   * {@link AccountBands}.
   */
  set(slot: number, low: number, high: number, quiet?: number): void
  /** Never rings. */
  clear(slot: number): void
  /** Slots that have left their band since the last call; forgets them. */
  takeCrossed(): readonly number[]
}

/** Those of an account, to which new highs that decide nothing are told apart: when the high of the day keeps them. */
export interface AccountBands extends Bands {
  /** Slots with a new high and nothing else since the last call; forgets them. */
  takeNoted(): readonly number[]
  /** From now on this account takes new highs by itself, or is woken for the next one. */
  gather(isGathering: boolean): void
}
