import type { Bar, BasePeriod } from '../../domain/bar.ts'
import { isOpening, minuteOf } from '../../domain/bar-time.ts'
import { exchangeTimeOfDayMs } from '../../domain/exchange-time.ts'
import { reportedPrice } from '../../domain/money.ts'
import type { Tick } from '../../protocol/market.ts'

/** What is known of one code, in float64: the open minute, the open day, and the running totals. */
const AT = {
  /** The open minute; its end is 0 while none is open. */
  end: 0,
  until: 1,
  open: 2,
  high: 3,
  low: 4,
  close: 5,
  volumeFrom: 6,
  amountFrom: 7,
  /** Totals of the day as last seen. */
  volume: 8,
  amount: 9,
  /** The open day by its midnight; 0 while none is open. */
  day: 10,
  dayOpen: 11,
  dayHigh: 12,
  dayLow: 13,
  dayClose: 14,
  /** Time of the latest tick. */
  time: 15,
  fields: 16,
} as const
const FIELDS = AT.fields

/** Takes a finished bar. */
export type OnBar = (slot: number, period: BasePeriod, bar: Bar) => void

export interface AggregatorOptions {
  /** Slots of the quote board. */
  readonly codesMax: number
  /** See `minuteOf`. */
  readonly isAlwaysOpen: boolean
  readonly onBar: OnBar
}

/**
 * Puts ticks together into bars of a minute and of a day, one code a row. A tick within the open minute
 * moves a few numbers in place and allocates nothing.
 */
export class BarAggregator {
  readonly #values: Float64Array
  readonly #isAlwaysOpen: boolean
  readonly #onBar: OnBar
  /** The last day whose opening was seen, of any code, by its midnight: what was traded since then has all been told. */
  #openedDay = 0

  constructor({ codesMax, isAlwaysOpen, onBar }: AggregatorOptions) {
    this.#values = new Float64Array(codesMax * FIELDS)
    this.#isAlwaysOpen = isAlwaysOpen
    this.#onBar = onBar
  }

  /**
   * What an earlier process has seen last: its day goes on, and its totals are where minutes begin. One from before
   * the auction has the totals of the day before.
   */
  seed(slot: number, tick: Tick): void {
    const price = reportedPrice(tick.lastPrice)
    if (price === 0 || minuteOf(tick.time, this.#isAlwaysOpen) === undefined) return
    const row = slot * FIELDS
    this.#openDay(row, tick, price)
    this.#see(row, tick)
  }

  /** `price` in ten-thousandths of a yuan, above 0, as the quote board has it. */
  tick(slot: number, tick: Tick, price: number): void {
    const values = this.#values
    const row = slot * FIELDS
    const { time } = tick
    const isNext = time >= (values[row + AT.until] ?? 0) || time < (values[row + AT.time] ?? 0)
    if (isNext && !this.#openMinute(slot, tick, price)) return
    if (price > (values[row + AT.high] ?? 0)) values[row + AT.high] = price
    if (price < (values[row + AT.low] ?? 0)) values[row + AT.low] = price
    values[row + AT.close] = price
    this.#seeDay(row, tick, price)
    this.#see(row, tick)
  }

  /** The bars that are still open, as they stand. */
  open(slot: number): { readonly minute?: Bar; readonly day?: Bar } {
    const row = slot * FIELDS
    const minute = this.#minute(row)
    const day = this.#day(row)
    return { ...(minute && { minute }), ...(day && { day }) }
  }

  /** False when the tick belongs to no minute. */
  #openMinute(slot: number, tick: Tick, price: number): boolean {
    const values = this.#values
    const row = slot * FIELDS
    const minute = minuteOf(tick.time, this.#isAlwaysOpen)
    if (minute === undefined) return false
    const before = this.#minute(row)
    if (before !== undefined) this.#onBar(slot, '1m', before)
    if (isOpening(tick.time)) this.#openedDay = midnightOf(tick.time)
    this.#turnDay(slot, tick, price)
    values[row + AT.end] = minute.endMs
    values[row + AT.until] = minute.untilMs
    values[row + AT.open] = price
    values[row + AT.high] = price
    values[row + AT.low] = price
    values[row + AT.volumeFrom] = values[row + AT.volume] ?? 0
    values[row + AT.amountFrom] = values[row + AT.amount] ?? 0
    return true
  }

  /**
   * On the first tick of a day the totals begin anew; when time has gone back, or nobody has seen the day open, they are
   * unknown: what had been traded until then is of no minute.
   */
  #turnDay(slot: number, tick: Tick, price: number): void {
    const values = this.#values
    const row = slot * FIELDS
    const isSameDay = values[row + AT.day] === midnightOf(tick.time)
    const isBack = tick.time < (values[row + AT.time] ?? 0)
    if (isSameDay && !isBack) return
    const before = this.#day(row)
    if (before !== undefined) this.#onBar(slot, '1d', before)
    const isSeen = before !== undefined && this.#openedDay === midnightOf(tick.time)
    const isWhole = (isSeen && !isBack) || this.#isAlwaysOpen || isOpening(tick.time)
    values[row + AT.volume] = isWhole ? 0 : tick.volume
    values[row + AT.amount] = isWhole ? 0 : tick.amount
    this.#openDay(row, tick, price)
  }

  #openDay(row: number, { time, open, high, low }: Tick, price: number): void {
    const values = this.#values
    values[row + AT.day] = midnightOf(time)
    values[row + AT.dayOpen] = reportedPrice(open) || price
    values[row + AT.dayHigh] = Math.max(reportedPrice(high), price)
    values[row + AT.dayLow] = Math.min(reportedPrice(low) || price, price)
    values[row + AT.dayClose] = price
  }

  #seeDay(row: number, { high, low }: Tick, price: number): void {
    const values = this.#values
    const highest = Math.max(values[row + AT.dayHigh] ?? 0, reportedPrice(high), price)
    const lowest = Math.min(values[row + AT.dayLow] ?? 0, reportedPrice(low) || price, price)
    values[row + AT.dayHigh] = highest
    values[row + AT.dayLow] = lowest
    values[row + AT.dayClose] = price
  }

  #see(row: number, { time, volume, amount }: Tick): void {
    const values = this.#values
    values[row + AT.time] = time
    values[row + AT.volume] = Math.max(values[row + AT.volume] ?? 0, volume)
    values[row + AT.amount] = Math.max(values[row + AT.amount] ?? 0, amount)
  }

  #minute(row: number): Bar | undefined {
    const timeMs = this.#values[row + AT.end] ?? 0
    if (timeMs === 0) return undefined
    return {
      timeMs,
      open: this.#values[row + AT.open] ?? 0,
      high: this.#values[row + AT.high] ?? 0,
      low: this.#values[row + AT.low] ?? 0,
      close: this.#values[row + AT.close] ?? 0,
      volumeFrom: this.#values[row + AT.volumeFrom] ?? 0,
      volumeTo: this.#values[row + AT.volume] ?? 0,
      amountFrom: this.#values[row + AT.amountFrom] ?? 0,
      amountTo: this.#values[row + AT.amount] ?? 0,
    }
  }

  #day(row: number): Bar | undefined {
    const timeMs = this.#values[row + AT.day] ?? 0
    if (timeMs === 0) return undefined
    return {
      timeMs,
      open: this.#values[row + AT.dayOpen] ?? 0,
      high: this.#values[row + AT.dayHigh] ?? 0,
      low: this.#values[row + AT.dayLow] ?? 0,
      close: this.#values[row + AT.dayClose] ?? 0,
      volumeFrom: 0,
      volumeTo: this.#values[row + AT.volume] ?? 0,
      amountFrom: 0,
      amountTo: this.#values[row + AT.amount] ?? 0,
    }
  }
}

const midnightOf = (timeMs: number): number => timeMs - exchangeTimeOfDayMs(timeMs)
