import { timeRead } from '../domain/exchange-time.ts'
import { normalizeCode, type StockCode } from '../domain/instrument.ts'
import { reportedPrice } from '../domain/money.ts'
import { err, ok, type Result } from '../domain/result.ts'
import type { Tick } from '../protocol/market.ts'
import { LEVELS } from './quote-row.ts'
import { type LineBytes, type ScannedTick, TickScanner } from './tick-scan.ts'

/** Spellings remembered, so that each is normalised once. */
const SPELLINGS_MAX = 16_384
const NO_LEVELS: readonly number[] = Object.freeze(Array<number>(LEVELS).fill(0))

export type BadTick =
  | 'not JSON'
  | 'no valid time'
  | 'time goes backwards'
  | 'time far ahead of the lines after it'
  | 'no valid stock_code'
  | 'no valid lastPrice'
  | 'a number is negative or not a number'
  | 'line too long'

type Raw = { readonly [K in keyof Tick]?: unknown }

/** Reads the lines of one replay file; keeps the spellings of codes it has met. */
export class TickLines {
  readonly #codes = new Map<string, StockCode | undefined>()
  readonly #scanner = new TickScanner((spelling) => this.#code(spelling))

  /**
   * The sound tick of a line that is written as most are, which is `into`. Undefined says nothing about the
   * line: {@link TickLines.parse} does.
   */
  scan(line: LineBytes, afterMs: number, into: ScannedTick): Tick | undefined {
    const tick = this.#scanner.scan(line, into)
    if (tick === undefined || tick.stock_code === '') return undefined
    const { lastPrice, lastClose } = tick
    const time = timeRead(tick.time)
    if (time === undefined || time < afterMs || !isPrice(lastPrice)) return undefined
    tick.time = time
    return lastPrice === 0 && lastClose === 0 ? undefined : tick
  }

  /**
   * One line into a tick. Missing fields are 0, missing levels 0, levels beyond the fifth are cut. Its time may be in
   * milliseconds, seconds or digits.
   *
   * A `lastPrice` of 0 is a tick only before the open, when `lastClose` says what the stock is worth.
   * @param afterMs time of the tick before; an equal time is in order
   */
  parse(line: string, afterMs: number): Result<Tick, BadTick> {
    const raw = rawOf(line)
    if (raw === undefined) return err('not JSON')
    const { stock_code } = raw
    const time = timeIn(raw)
    if (time === undefined) return err('no valid time')
    if (time < afterMs) return err('time goes backwards')
    const code = typeof stock_code === 'string' ? this.#code(stock_code) : undefined
    if (code === undefined) return err('no valid stock_code')
    if (!isPrice(raw.lastPrice)) return err('no valid lastPrice')
    const tick = fill(raw, { time, code, lastPrice: raw.lastPrice })
    if (tick === undefined) return err('a number is negative or not a number')
    if (tick.lastPrice === 0 && tick.lastClose === 0) return err('no valid lastPrice')
    return ok(tick)
  }

  /** The time of a line, epoch ms; undefined when it has none. */
  timeOf(line: string): number | undefined {
    return timeIn(rawOf(line))
  }

  #code(spelling: string): StockCode | undefined {
    if (this.#codes.has(spelling)) return this.#codes.get(spelling)
    if (this.#codes.size >= SPELLINGS_MAX) this.#codes.clear()
    const result = normalizeCode(spelling)
    const code = result.ok ? result.value : undefined
    this.#codes.set(spelling, code)
    return code
  }
}

function rawOf(line: string): Raw | undefined {
  try {
    const value: unknown = JSON.parse(line)
    return typeof value === 'object' && value !== null ? value : undefined
  } catch {
    return undefined
  }
}

const timeIn = (raw: Raw | undefined): number | undefined =>
  typeof raw?.time === 'number' ? timeRead(raw.time) : undefined

/** 0, or something that is still a price after rounding to the unit of the board. */
const isPrice = (value: unknown): value is number =>
  typeof value === 'number' && (value === 0 || reportedPrice(value) > 0)

interface Given {
  readonly time: number
  readonly code: StockCode
  readonly lastPrice: number
}

function fill(raw: Raw, { time, code, lastPrice }: Given): Tick | undefined {
  const tick: Tick = {
    time,
    stock_code: code,
    lastPrice,
    open: amountOf(raw.open),
    high: amountOf(raw.high),
    low: amountOf(raw.low),
    lastClose: amountOf(raw.lastClose),
    volume: amountOf(raw.volume),
    amount: amountOf(raw.amount),
    bidPrice: levelsOf(raw.bidPrice),
    askPrice: levelsOf(raw.askPrice),
    bidVol: levelsOf(raw.bidVol),
    askVol: levelsOf(raw.askVol),
  }
  return isSound(tick) ? tick : undefined
}

/** NaN marks what is not a sound number. */
const amountOf = (value: unknown): number => {
  if (value === undefined || value === null) return 0
  return typeof value === 'number' && value >= 0 && value < Number.POSITIVE_INFINITY
    ? value
    : Number.NaN
}

function levelsOf(value: unknown): readonly number[] {
  if (value === undefined || value === null) return NO_LEVELS
  if (!Array.isArray(value)) return [Number.NaN]
  const levels: number[] = []
  for (let level = 0; level < LEVELS; level++) levels.push(amountOf(value[level]))
  return levels
}

const isSound = (tick: Tick): boolean =>
  !Number.isNaN(
    tick.open +
      tick.high +
      tick.low +
      tick.lastClose +
      tick.volume +
      tick.amount +
      sum(tick.bidPrice) +
      sum(tick.askPrice) +
      sum(tick.bidVol) +
      sum(tick.askVol),
  )

const sum = (values: readonly number[]): number => {
  let total = 0
  for (let at = 0; at < values.length; at++) total += values[at] ?? 0
  return total
}
