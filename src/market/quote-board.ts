import { exchangeDayNumber } from '../domain/exchange-time.ts'
import { type Price, reportedPrice, toYuan } from '../domain/money.ts'
import type { Quote, Quotes } from '../ports/quotes.port.ts'
import type { Tick } from '../protocol/market.ts'
import { type CloseRule, type Closes, DayEnds } from './closes.ts'
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
import { AT, LEVELS } from './quote-row.ts'

const sequenceWord = (slot: number): number => slot * ROW_FIELDS * 2 + ROW_SEQUENCE_WORD

/** 0 where a feed gave fewer. The length is asked first: an absent element would make every number an object. */
const levelAt = (levels: readonly number[], level: number): number =>
  level < levels.length ? (levels[level] as number) : 0

/** Write side of the quote board. One instance, in the market thread. Allocates nothing per tick. */
export class QuoteWriter {
  readonly #values: Float64Array
  readonly #words: Int32Array
  readonly #writesWord: number
  readonly #dayEnds: DayEnds
  #newHigh = 0
  #isHighTold = false

  constructor({ quotes, codesMax }: MarketMemory, closeRule: CloseRule = 'never') {
    this.#values = new Float64Array(quotes)
    this.#words = new Int32Array(quotes)
    this.#writesWord = writesWord(codesMax)
    this.#dayEnds = new DayEnds(this.#values, closeRule)
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
    return this.#dayEnds.hasOtherClose
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
    this.#dayEnds.note(row, tick, lastPrice, high)
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
    const sequence = sequenceWord(slot)
    beginWrite(this.#words, sequence)
    this.#dayEnds.restore(slot * ROW_FIELDS, closes)
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
      highBefore: price(row[AT.highBefore]),
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
      row[AT.tradedHigh] ?? 0,
      row[AT.highBefore] ?? 0,
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
