import { exchangeDayNumber, isSameExchangeDay } from '../domain/exchange-time.ts'
import { type Price, reportedPrice, toYuan } from '../domain/money.ts'
import { isAfterClose, isAfterHours, isDayAfter, isOnTradingDay } from '../domain/session.ts'
import type { Quote, Quotes } from '../ports/quotes.port.ts'
import type { Tick } from '../protocol/market.ts'
import type { BoardLimits } from './instruments.ts'
import {
  beginRead,
  beginWrite,
  endWrite,
  isTorn,
  type MarketMemory,
  ROW_FIELDS,
  ROW_SEQUENCE_WORD,
  writesWord,
} from './memory.ts'

export const LEVELS = 5
/** Where a field stands in its row, in float64. Prices are integers of ten-thousandths. */
const AT = {
  time: 0,
  lastPrice: 1,
  open: 2,
  high: 3,
  low: 4,
  lastClose: 5,
  volume: 6,
  amount: 7,
  bid: 8,
  ask: 8 + LEVELS,
  bidVolume: 8 + 2 * LEVELS,
  askVolume: 8 + 3 * LEVELS,
  closeBefore: 8 + 4 * LEVELS,
  lastCloseBefore: 9 + 4 * LEVELS,
  /** Price that is the close of the day should no other follow; negative: it is too early for that. */
  close: 10 + 4 * LEVELS,
  /** Limits that the source told, the day for which it did, and the close of the day before from which they follow. */
  lowerLimit: 11 + 4 * LEVELS,
  upperLimit: 12 + 4 * LEVELS,
  limitDay: 13 + 4 * LEVELS,
  limitClose: 14 + 4 * LEVELS,
  /** Of the newest quote of a day on which the exchange trades: on others it tests its systems. */
  tradedMs: 15 + 4 * LEVELS,
  tradedLastClose: 16 + 4 * LEVELS,
  end: 17 + 4 * LEVELS,
} as const

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
 * day (epoch ms) and what that day has told of its `lastClose`, absent in what an earlier release kept.
 */
export type Closes = readonly [
  closeBefore: number,
  lastCloseBefore: number,
  close: number,
  tradedMs?: number,
  tradedLastClose?: number,
]

const sequenceWord = (slot: number): number => slot * ROW_FIELDS * 2 + ROW_SEQUENCE_WORD

/** 0 where a feed gave fewer. The length is asked first: an absent element would make every number an object. */
const levelAt = (levels: readonly number[], level: number): number =>
  level < levels.length ? (levels[level] as number) : 0

/** Write side of the quote board. One instance, in the market thread. Allocates nothing per tick. */
export class QuoteWriter {
  readonly #values: Float64Array
  readonly #words: Int32Array
  readonly #writesWord: number
  readonly #closeRule: CloseRule
  #newHigh = 0
  #isHighTold = false
  #hasOtherClose = false

  constructor({ quotes, codesMax }: MarketMemory, closeRule: CloseRule = 'never') {
    this.#values = new Float64Array(quotes)
    this.#words = new Int32Array(quotes)
    this.#writesWord = writesWord(codesMax)
    this.#closeRule = closeRule
  }

  /**
   * The high of the day that the last write has brought, when it is another one than before and above
   * its last price: the price has been there between two ticks. Else 0.
   */
  get newHigh(): Price {
    return this.#newHigh as Price
  }

  /** Whether the newest tick tells the high of the day, not below its own price. */
  get isHighTold(): boolean {
    return this.#isHighTold
  }

  /**
   * Whether the newest tick gave another `lastClose` than the one before it on the same day: that one was of
   * yesterday, and what was judged by it is judged anew, wherever the price stands.
   */
  get hasOtherClose(): boolean {
    return this.#hasOtherClose
  }

  /**
   * Whether a quote of this time was overtaken on its way: a newer one stands that is fresh. A feed that
   * really went back in time is believed once what it said before is older than `withinMs`.
   */
  isOvertaken(slot: number, timeMs: number, nowMs: number, withinMs: number): boolean {
    const standingMs = this.#values[slot * ROW_FIELDS + AT.time] as number
    return timeMs < standingMs && Math.abs(nowMs - standingMs) <= withinMs
  }

  /** Whether this tick tells a lower high of the day than the one that stands: what that kept would be gone. */
  takesHighBack(slot: number, tick: Tick): boolean {
    return reportedPrice(tick.high) < (this.#values[slot * ROW_FIELDS + AT.high] as number)
  }

  /** Returns the last price as written, ten-thousandths of a yuan, 0 = none. */
  write(slot: number, tick: Tick): Price {
    const values = this.#values
    const row = slot * ROW_FIELDS
    const sequence = sequenceWord(slot)
    const lastPrice = reportedPrice(tick.lastPrice)
    const high = reportedPrice(tick.high)
    this.#newHigh = high > lastPrice && high !== values[row + AT.high] ? high : 0
    this.#isHighTold = high > 0 && high >= lastPrice
    const lastClose = reportedPrice(tick.lastClose)
    beginWrite(this.#words, sequence)
    if (this.#closeRule !== 'never') this.#noteClose(row, tick.time, lastPrice, lastClose)
    values[row + AT.time] = tick.time
    values[row + AT.lastPrice] = lastPrice
    values[row + AT.open] = reportedPrice(tick.open)
    values[row + AT.high] = high
    values[row + AT.low] = reportedPrice(tick.low)
    values[row + AT.lastClose] = lastClose
    values[row + AT.volume] = tick.volume
    values[row + AT.amount] = tick.amount
    for (let level = 0; level < LEVELS; level++) {
      values[row + AT.bid + level] = reportedPrice(levelAt(tick.bidPrice, level))
      values[row + AT.ask + level] = reportedPrice(levelAt(tick.askPrice, level))
      values[row + AT.bidVolume + level] = levelAt(tick.bidVol, level)
      values[row + AT.askVolume + level] = levelAt(tick.askVol, level)
    }
    endWrite(this.#words, sequence)
    // Plain: nobody waits for it, and there is one writer.
    this.#words[this.#writesWord] = ((this.#words[this.#writesWord] as number) + 1) | 0
    return lastPrice
  }

  /** What an earlier process knew of the closes of a row, after its last quote was written. */
  restoreCloses(slot: number, closes: Closes): void {
    const [closeBefore, lastCloseBefore, close, tradedMs, tradedLastClose] = closes
    const row = slot * ROW_FIELDS
    const sequence = sequenceWord(slot)
    beginWrite(this.#words, sequence)
    this.#values[row + AT.closeBefore] = closeBefore
    this.#values[row + AT.lastCloseBefore] = lastCloseBefore
    this.#values[row + AT.close] = close
    // The quote beside it may be of a test in the evening, or one that says nothing.
    if (tradedMs !== undefined) this.#values[row + AT.tradedMs] = tradedMs
    if (tradedLastClose !== undefined) this.#values[row + AT.tradedLastClose] = tradedLastClose
    endWrite(this.#words, sequence)
  }

  /** What the source told of the limits of a day; they stand beside the quotes of that day which agree with it. */
  writeLimits(slot: number, { dayNumber, lastClose, low, high }: BoardLimits): void {
    const row = slot * ROW_FIELDS
    const sequence = sequenceWord(slot)
    beginWrite(this.#words, sequence)
    this.#values[row + AT.lowerLimit] = low
    this.#values[row + AT.upperLimit] = high
    this.#values[row + AT.limitDay] = dayNumber
    this.#values[row + AT.limitClose] = lastClose
    endWrite(this.#words, sequence)
  }

  /** Called before the tick is written, while the row still shows the quote before it. */
  #noteClose(row: number, timeMs: number, lastPrice: Price, lastClose: Price): void {
    const values = this.#values
    const isRecorded = this.#closeRule === 'lastTick'
    const isTest = !isOnTradingDay(timeMs) || isAfterHours(timeMs)
    if (!isRecorded && isTest) return this.#compareNothing(row)
    const beforeMs = values[row + AT.tradedMs] as number
    const isSameDay = isSameExchangeDay(beforeMs, timeMs)
    const isOther = values[row + AT.tradedLastClose] !== lastClose
    this.#hasOtherClose = isSameDay && isOther && lastClose > 0
    if (!isSameDay) {
      // Quotes of a day of which nothing else comes would hide what the last one with a word said.
      if (lastPrice === 0 && lastClose === 0) return
      this.#endDay(row, beforeMs, timeMs)
    }
    values[row + AT.tradedMs] = timeMs
    // One that lacks it takes back nothing of what its day has told.
    if (lastClose > 0 || !isSameDay) values[row + AT.tradedLastClose] = lastClose
    // A stock that is halted all day keeps the close it had.
    if (lastPrice > 0) this.#notePrice(row, timeMs, lastPrice)
  }

  #notePrice(row: number, timeMs: number, lastPrice: Price): void {
    const isClose = this.#closeRule === 'lastTick' || isAfterClose(timeMs)
    this.#values[row + AT.close] = isClose ? lastPrice : -lastPrice
  }

  #compareNothing(row: number): void {
    this.#hasOtherClose = false
    this.#values[row + AT.closeBefore] = 0
    this.#values[row + AT.lastCloseBefore] = 0
  }

  /** A feed that was away for a trading day, or at the close, knows no close. */
  #endDay(row: number, beforeMs: number, timeMs: number): void {
    const values = this.#values
    const close = values[row + AT.close] as number
    const isNext = beforeMs > 0 && isDayAfter(timeMs, beforeMs)
    const isWhole = this.#closeRule === 'lastTick' || isAfterClose(beforeMs)
    const known = isNext && isWhole ? Math.max(0, close) : 0
    values[row + AT.closeBefore] = known
    values[row + AT.lastCloseBefore] = isNext ? (values[row + AT.tradedLastClose] as number) : 0
    values[row + AT.close] = known
  }
}

/** Read side of the quote board; cheap to make, one per thread. */
export class QuoteReader implements Quotes {
  /** For another thread to read as well. */
  readonly memory: Pick<MarketMemory, 'quotes' | 'codesMax'>
  readonly #values: Float64Array
  readonly #words: Int32Array
  readonly #row = new Float64Array(AT.end)
  readonly #writesWord: number

  constructor({ quotes, codesMax }: Pick<MarketMemory, 'quotes' | 'codesMax'>) {
    this.memory = { quotes, codesMax }
    this.#values = new Float64Array(quotes)
    this.#words = new Int32Array(quotes)
    this.#writesWord = writesWord(codesMax)
  }

  read(slot: number): Quote | undefined {
    if (!this.#copy(slot)) return undefined
    const row = this.#row
    const isLimited = areLimitsOf(row)
    return {
      timeMs: row[AT.time] ?? 0,
      lastPrice: price(row[AT.lastPrice]),
      open: price(row[AT.open]),
      high: price(row[AT.high]),
      low: price(row[AT.low]),
      lastClose: price(row[AT.lastClose]),
      bid: levelsFrom(row, AT.bid) as Price[],
      ask: levelsFrom(row, AT.ask) as Price[],
      bidVolume: levelsFrom(row, AT.bidVolume),
      askVolume: levelsFrom(row, AT.askVolume),
      volume: row[AT.volume] ?? 0,
      amount: row[AT.amount] ?? 0,
      closeBefore: price(row[AT.closeBefore]),
      lastCloseBefore: price(row[AT.lastCloseBefore]),
      lowerLimit: isLimited ? price(row[AT.lowerLimit]) : NONE,
      upperLimit: isLimited ? price(row[AT.upperLimit]) : NONE,
    }
  }

  /** What is kept of closes beside a quote; undefined before the first one. */
  closes(slot: number): Closes | undefined {
    if (!this.#copy(slot)) return undefined
    const row = this.#row
    return [
      row[AT.closeBefore] ?? 0,
      row[AT.lastCloseBefore] ?? 0,
      row[AT.close] ?? 0,
      row[AT.tradedMs] ?? 0,
      row[AT.tradedLastClose] ?? 0,
    ]
  }

  stamp(slots: readonly number[]): number {
    let sum = 0
    for (const slot of slots) sum += this.sequence(slot)
    return sum
  }

  /** Changes with every write of any row. */
  writes(): number {
    return Atomics.load(this.#words, this.#writesWord)
  }

  /** Changes with every write of the row; 0 before the first. */
  sequence(slot: number): number {
    return Atomics.load(this.#words, sequenceWord(slot))
  }

  /** The newest last price alone, 0 = none. Allocates nothing. */
  lastPrice(slot: number): Price {
    return this.#price(slot, AT.lastPrice)
  }

  /** The newest high of the day alone, 0 = none. Allocates nothing. */
  high(slot: number): Price {
    return this.#price(slot, AT.high)
  }

  #price(slot: number, field: number): Price {
    const at = slot * ROW_FIELDS + field
    const word = sequenceWord(slot)
    for (;;) {
      const sequence = beginRead(this.#words, word)
      const value = this.#values[at]
      if (!isTorn(this.#words, word, sequence)) return price(value)
    }
  }

  /** False before the first write. */
  #copy(slot: number): boolean {
    const word = sequenceWord(slot)
    const start = slot * ROW_FIELDS
    for (;;) {
      const sequence = beginRead(this.#words, word)
      if (sequence === 0) return false
      for (let field = 0; field < AT.end; field++) {
        this.#row[field] = this.#values[start + field] ?? 0
      }
      if (!isTorn(this.#words, word, sequence)) return true
    }
  }
}

const NONE = 0 as Price

/** Whether the limits of a row are those of the day of its quote, and follow from the same close of the day before. */
const areLimitsOf = (row: Float64Array): boolean =>
  row[AT.limitDay] === exchangeDayNumber(row[AT.time] as number) &&
  row[AT.limitClose] === row[AT.lastClose]

/** Spelled out: a view and its iterator would cost ten times as much. */
const levelsFrom = (row: Float64Array, at: number): number[] => [
  row[at] as number,
  row[at + 1] as number,
  row[at + 2] as number,
  row[at + 3] as number,
  row[at + 4] as number,
]

const price = (value: number | undefined): Price => (value ?? 0) as Price

/** A quote of the board as it travels: yuan. */
export function tickOf(code: string, quote: Quote): Tick {
  return {
    time: quote.timeMs,
    stock_code: code,
    lastPrice: toYuan(quote.lastPrice),
    open: toYuan(quote.open),
    high: toYuan(quote.high),
    low: toYuan(quote.low),
    lastClose: toYuan(quote.lastClose),
    volume: quote.volume,
    amount: quote.amount,
    bidPrice: quote.bid.map(toYuan),
    askPrice: quote.ask.map(toYuan),
    bidVol: quote.bidVolume,
    askVol: quote.askVolume,
  }
}
