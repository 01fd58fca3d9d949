import { type Price, reportedPrice, toYuan } from '../domain/money.ts'
import type { Quote, Quotes } from '../ports/quotes.port.ts'
import type { Tick } from '../protocol/market.ts'
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
  end: 8 + 4 * LEVELS,
} as const

const sequenceWord = (slot: number): number => slot * ROW_FIELDS * 2 + ROW_SEQUENCE_WORD

/** 0 where a feed gave fewer. The length is asked first: an absent element would make every number an object. */
const levelAt = (levels: readonly number[], level: number): number =>
  level < levels.length ? (levels[level] as number) : 0

/** Write side of the quote board. One instance, in the market thread. Allocates nothing per tick. */
export class QuoteWriter {
  readonly #values: Float64Array
  readonly #words: Int32Array
  readonly #writesWord: number

  constructor({ quotes, codesMax }: MarketMemory) {
    this.#values = new Float64Array(quotes)
    this.#words = new Int32Array(quotes)
    this.#writesWord = writesWord(codesMax)
  }

  /** Returns the last price as written, ten-thousandths of a yuan, 0 = none. */
  write(slot: number, tick: Tick): Price {
    const values = this.#values
    const row = slot * ROW_FIELDS
    const sequence = sequenceWord(slot)
    const lastPrice = reportedPrice(tick.lastPrice)
    beginWrite(this.#words, sequence)
    values[row + AT.time] = tick.time
    values[row + AT.lastPrice] = lastPrice
    values[row + AT.open] = reportedPrice(tick.open)
    values[row + AT.high] = reportedPrice(tick.high)
    values[row + AT.low] = reportedPrice(tick.low)
    values[row + AT.lastClose] = reportedPrice(tick.lastClose)
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
}

/** Read side of the quote board; cheap to make, one per thread. */
export class QuoteReader implements Quotes {
  readonly #values: Float64Array
  readonly #words: Int32Array
  readonly #row = new Float64Array(AT.end)
  readonly #writesWord: number

  constructor({ quotes, codesMax }: MarketMemory) {
    this.#values = new Float64Array(quotes)
    this.#words = new Int32Array(quotes)
    this.#writesWord = writesWord(codesMax)
  }

  read(slot: number): Quote | undefined {
    if (!this.#copy(slot)) return undefined
    const row = this.#row
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
    }
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
    const at = slot * ROW_FIELDS + AT.lastPrice
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
