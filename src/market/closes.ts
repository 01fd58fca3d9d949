import { isSameExchangeDay } from '../domain/exchange-time.ts'
import { type Price, reportedPrice } from '../domain/money.ts'
import { isAfterClose, isAfterHours, isDayAfter, isOnTradingDay } from '../domain/session.ts'
import type { Tick } from '../protocol/market.ts'
import { AT } from './quote-row.ts'

/**
 * Which price of a day was its close, for the day after.
 *
 *  afterClose  one that was seen at or after 15:00: a feed that broke off before knows none. The closing
 *              auction ends then; a price from before it, however late, may be another one.
 *  lastTick    the last one: a recording is the whole truth.
 *  never       none: what is made here is never split.
 */
export type CloseRule = 'afterClose' | 'lastTick' | 'never'

/**
 * What a row knows of closes, ten-thousandths of a yuan, to be kept beside its quote; with the newest quote of a trading
 * day (epoch ms), what that day has told of its `lastClose` and of its high, and the high of the day before. An earlier
 * release kept fewer of them.
 */
export type Closes = readonly [
  closeBefore: number,
  lastCloseBefore: number,
  close: number,
  tradedMs?: number,
  tradedLastClose?: number,
  tradedHigh?: number,
  highBefore?: number,
]

/** What the rows of the board keep of the trading day before: its close, its `lastClose`, its high. Allocates nothing per tick. */
export class DayEnds {
  readonly #values: Float64Array
  readonly #rule: CloseRule
  #hasOtherClose = false

  /** `values`: those of the board; a row is named by where it begins in them. */
  constructor(values: Float64Array, rule: CloseRule) {
    this.#values = values
    this.#rule = rule
  }

  /** Whether the newest tick gave another `lastClose` than the one before it on the same day. */
  get hasOtherClose(): boolean {
    return this.#hasOtherClose
  }

  /** Called before the tick is written, while the row still shows the quote before it. */
  note(row: number, tick: Tick, lastPrice: Price, high: Price): void {
    if (this.#rule === 'never') return
    const { time: timeMs } = tick
    const isTest = !isOnTradingDay(timeMs) || isAfterHours(timeMs)
    if (this.#rule !== 'lastTick' && isTest) return this.#compareNothing(row)
    if (!this.#noteClose(row, timeMs, lastPrice, reportedPrice(tick.lastClose))) return
    // A stock that is halted all day keeps the close it had.
    if (lastPrice > 0) this.#notePrice(row, timeMs, lastPrice, high)
  }

  /** What an earlier process knew of a row, after its last quote was written. */
  restore(row: number, closes: Closes): void {
    const values = this.#values
    const [closeBefore, lastCloseBefore, close, ...told] = closes
    const [tradedMs, tradedLastClose, tradedHigh, highBefore] = told
    values[row + AT.closeBefore] = closeBefore
    values[row + AT.lastCloseBefore] = lastCloseBefore
    values[row + AT.close] = close
    // The quote beside it may be of a test in the evening, or one that says nothing.
    if (tradedMs !== undefined) values[row + AT.tradedMs] = tradedMs
    if (tradedLastClose !== undefined) values[row + AT.tradedLastClose] = tradedLastClose
    if (tradedHigh !== undefined) values[row + AT.tradedHigh] = tradedHigh
    if (highBefore !== undefined) values[row + AT.highBefore] = highBefore
  }

  /** False: nothing else will come of a quote that says nothing. */
  #noteClose(row: number, timeMs: number, lastPrice: Price, lastClose: Price): boolean {
    const values = this.#values
    const beforeMs = values[row + AT.tradedMs] as number
    const isSameDay = isSameExchangeDay(beforeMs, timeMs)
    const isOther = values[row + AT.tradedLastClose] !== lastClose
    this.#hasOtherClose = isSameDay && isOther && lastClose > 0
    if (!isSameDay) {
      // Quotes of a day of which nothing else comes would hide what the last one with a word said.
      if (lastPrice === 0 && lastClose === 0) return false
      this.#endDay(row, beforeMs, timeMs)
    }
    values[row + AT.tradedMs] = timeMs
    // One that lacks it takes back nothing of what its day has told.
    if (lastClose > 0 || !isSameDay) values[row + AT.tradedLastClose] = lastClose
    return true
  }

  /** The close tells the high of its day. Earlier prices may be those of an auction, which have not traded, or repeat a row. */
  #notePrice(row: number, timeMs: number, lastPrice: Price, high: Price): void {
    const values = this.#values
    const isClose = this.#rule === 'lastTick' || isAfterClose(timeMs)
    values[row + AT.close] = isClose ? lastPrice : -lastPrice
    const isTold = isClose && !this.#isRepeated(row, lastPrice)
    values[row + AT.tradedHigh] = isTold ? Math.max(high, lastPrice) : 0
  }

  /** While nothing is traded, as of a stock that is halted, a terminal may repeat the last row of the day before. */
  #isRepeated(row: number, lastPrice: Price): boolean {
    const values = this.#values
    const isSameClose = values[row + AT.tradedLastClose] === values[row + AT.lastCloseBefore]
    return isSameClose && lastPrice === values[row + AT.closeBefore]
  }

  #compareNothing(row: number): void {
    this.#hasOtherClose = false
    this.#values[row + AT.closeBefore] = 0
    this.#values[row + AT.lastCloseBefore] = 0
    this.#values[row + AT.highBefore] = 0
  }

  /** A feed that was away for a trading day, or at the close, knows no close. */
  #endDay(row: number, beforeMs: number, timeMs: number): void {
    const values = this.#values
    const close = values[row + AT.close] as number
    const isNext = beforeMs > 0 && isDayAfter(timeMs, beforeMs)
    const isWhole = this.#rule === 'lastTick' || isAfterClose(beforeMs)
    const known = isNext && isWhole ? Math.max(0, close) : 0
    values[row + AT.closeBefore] = known
    values[row + AT.lastCloseBefore] = isNext ? (values[row + AT.tradedLastClose] as number) : 0
    values[row + AT.close] = known
    values[row + AT.highBefore] = isNext ? (values[row + AT.tradedHigh] as number) : 0
    values[row + AT.tradedHigh] = 0
  }
}
