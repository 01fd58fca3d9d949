import type { Bar } from '../../domain/bar.ts'
import { sessionMinutes } from '../../domain/bar-time.ts'
import { DAY_MS, exchangeDay, exchangeDayStartMs } from '../../domain/exchange-time.ts'
import type { StockCode } from '../../domain/instrument.ts'
import { type Price, round, toYuan } from '../../domain/money.ts'
import { tickSizeOf } from '../../domain/rules.ts'
import { isTradingDay } from '../../domain/session.ts'
import { draw, hash } from '../random.ts'

/** Spread of one day's change, as a share of the price: about 2 % in most sessions. */
const DAY_SPREAD = 0.025
/** How far high and low lie beyond open and close at most. */
const SHADOW = 0.012
const LOT = 100
const DAY_LOTS_MIN = 20_000
const DAY_LOTS_SPAN = 180_000

/** Where the invented past of a simulated code ends: the previous close of its first real quote. */
export interface Anchor {
  readonly code: StockCode
  readonly seed: number
  /** The day of the first quote, `2026-08-11`; the past ends before it. */
  readonly day: string
  /** Ten-thousandths of a yuan. */
  readonly close: number
}

/**
 * The daily bars of a simulated code from `fromDay` until the day before its first quote, invented
 * backwards from there: the same anchor always has the same past, and it meets the first quote.
 */
export function dailyPast({ code, seed, day, close }: Anchor, fromDay: string): Bar[] {
  const bars: Bar[] = []
  const endMs = exchangeDayStartMs(fromDay)
  let after = close
  for (let atMs = exchangeDayStartMs(day) - DAY_MS; atMs >= endMs; atMs -= DAY_MS) {
    const text = exchangeDay(atMs)
    if (!isTradingDay(text)) continue
    const bar = dayBefore({ code, seed, day: text, atMs, close: after })
    bars.push(bar.day)
    after = bar.previousClose
  }
  return bars.reverse()
}

interface DayWanted {
  readonly code: StockCode
  readonly seed: number
  readonly day: string
  readonly atMs: number
  readonly close: number
}

function dayBefore({ code, seed, day, atMs, close }: DayWanted) {
  const size = tickSizeOf(code)
  const next = generator(hash(`${code} ${day}`, seed))
  const onGrid = (units: number) => Math.max(size, Math.round(units / size) * size)
  // The sum of three is nearer to a wake-up than one alone.
  const change = (next() + next() + next() - 1.5) * DAY_SPREAD
  const previousClose = onGrid(close / (1 + change))
  const open = onGrid(previousClose + (close - previousClose) * next() * 0.5)
  const high = onGrid(Math.max(open, close) * (1 + next() * SHADOW))
  const low = onGrid(Math.min(open, close) * (1 - next() * SHADOW))
  const volume = Math.floor(DAY_LOTS_MIN + next() * DAY_LOTS_SPAN) * LOT
  const amount = round(toYuan(((high + low + open + close) / 4) as Price) * volume, 2)
  const totals = { volumeFrom: 0, volumeTo: volume, amountFrom: 0, amountTo: amount }
  return { previousClose, day: { timeMs: atMs, open, high, low, close, ...totals } }
}

/**
 * The minutes of one such day. They begin at its open, end at its close, touch its high and its low
 * and never leave them, and trade what the day has traded.
 */
export function minutePast({ code, seed }: Pick<Anchor, 'code' | 'seed'>, day: Bar): Bar[] {
  const text = exchangeDay(day.timeMs)
  const ends = sessionMinutes(day.timeMs)
  const size = tickSizeOf(code)
  const next = generator(hash(`${code} ${text} minutes`, seed))
  const closes = pathOf(day, { steps: ends.length, size, next })
  const volumes = volumesOf(day.volumeTo, ends.length, next)
  let volume = 0
  let amount = 0
  return ends.map((timeMs, index) => {
    const open = index === 0 ? day.open : (closes[index - 1] ?? day.open)
    const close = closes[index] ?? day.close
    const [volumeFrom, amountFrom] = [volume, amount]
    volume += volumes[index] ?? 0
    amount =
      index === ends.length - 1 ? day.amountTo : round((day.amountTo * volume) / day.volumeTo, 2)
    return {
      timeMs,
      open,
      high: Math.max(open, close),
      low: Math.min(open, close),
      close,
      volumeFrom,
      volumeTo: volume,
      amountFrom,
      amountTo: amount,
    }
  })
}

interface PathOptions {
  readonly steps: number
  readonly size: number
  readonly next: () => number
}

/** Closes of the minutes: straight lines from open over both extremes to close, and noise around them. */
function pathOf(day: Bar, { steps, size, next }: PathOptions): number[] {
  const first = 1 + Math.floor(next() * (steps / 2 - 2))
  const second = Math.floor(steps / 2 + next() * (steps / 2 - 2))
  const rises = next() < 0.5
  const marks = [
    { at: -1, price: day.open },
    { at: first, price: rises ? day.high : day.low },
    { at: second, price: rises ? day.low : day.high },
    { at: steps - 1, price: day.close },
  ]
  const closes: number[] = []
  for (const [index, to] of marks.entries()) {
    const from = marks[index - 1]
    if (from === undefined) continue
    for (let at = from.at + 1; at <= to.at; at++) {
      const share = (at - from.at) / (to.at - from.at)
      const noise = at === to.at ? 0 : (next() - 0.5) * (day.high - day.low) * 0.2
      const wanted = from.price + (to.price - from.price) * share + noise
      closes.push(Math.min(day.high, Math.max(day.low, Math.round(wanted / size) * size)))
    }
  }
  return closes
}

/** More at the open and at the close than at noon; whole lots that add up to the day. */
function volumesOf(total: number, steps: number, next: () => number): number[] {
  const weights = Array.from({ length: steps }, (_, index) => {
    const fromMiddle = Math.abs(index / (steps - 1) - 0.5) * 2
    return (0.5 + fromMiddle * fromMiddle) * (0.5 + next())
  })
  const sum = weights.reduce((left, right) => left + right, 0)
  const volumes = weights.map((weight) => Math.floor((weight / sum) * (total / LOT)) * LOT)
  const rest = total - volumes.reduce((left, right) => left + right, 0)
  volumes[steps - 1] = (volumes[steps - 1] ?? 0) + rest
  return volumes
}

const generator = (start: number): (() => number) => {
  let state = start
  return () => {
    const [value, after] = draw(state)
    state = after
    return value
  }
}
