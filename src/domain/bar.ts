import { periodEndMs } from './bar-time.ts'
import { exchangeDay, exchangeDayStartMs, MINUTE_MS } from './exchange-time.ts'
import { type Price, round, toYuan } from './money.ts'

/** Periods of history that can be asked for. */
export const PERIODS = ['1m', '5m', '15m', '30m', '60m', '1d'] as const
export type Period = (typeof PERIODS)[number]
/** What is stored; the other periods are put together from minutes when they are asked for. */
export type BasePeriod = '1m' | '1d'
export const basePeriodOf = (period: Period): BasePeriod => (period === '1d' ? '1d' : '1m')

/**
 * One bar. Volume and amount stand as the running totals of the day at both ends, so that the same
 * ticks may be counted twice (after a crash, or in a replay that is played again) and still give the
 * same bar.
 *
 * Units   prices in ten-thousandths of a yuan, amounts in yuan, volume as the source counts it.
 */
export interface Bar {
  /** Epoch milliseconds: the end of the minute; for a day its midnight. */
  readonly timeMs: number
  readonly open: number
  readonly high: number
  readonly low: number
  readonly close: number
  readonly volumeFrom: number
  readonly volumeTo: number
  readonly amountFrom: number
  readonly amountTo: number
}

/** Numbers of one bar in a packed row. */
const FIELDS = 9

/** Bars as they are stored and travel. */
export function packBars(bars: readonly Bar[]): Uint8Array {
  const values = new Float64Array(bars.length * FIELDS)
  for (const [index, bar] of bars.entries()) {
    values.set(
      [
        bar.timeMs,
        bar.open,
        bar.high,
        bar.low,
        bar.close,
        bar.volumeFrom,
        bar.volumeTo,
        bar.amountFrom,
        bar.amountTo,
      ],
      index * FIELDS,
    )
  }
  return new Uint8Array(values.buffer)
}

export const packedCount = (bytes: Uint8Array): number =>
  Math.floor(bytes.length / (FIELDS * Float64Array.BYTES_PER_ELEMENT))

export function unpackBars(bytes: Uint8Array): Bar[] {
  const values = new Float64Array(bytes.slice().buffer) // may have begun at any byte
  const bars: Bar[] = []
  for (let at = 0; at + FIELDS <= values.length; at += FIELDS) {
    const number = (field: number) => values[at + field] ?? 0
    bars.push({
      timeMs: number(0),
      open: number(1),
      high: number(2),
      low: number(3),
      close: number(4),
      volumeFrom: number(5),
      volumeTo: number(6),
      amountFrom: number(7),
      amountTo: number(8),
    })
  }
  return bars
}

/**
 * Both together, in the order of time. Where both have a bar, `older` saw its beginning and `newer` its
 * end; the same holds within `newer` when its time goes back.
 */
export function mergeBars(older: readonly Bar[], newer: readonly Bar[]): readonly Bar[] {
  if (isInOrder(newer) && endOf(older) < (newer[0]?.timeMs ?? Number.POSITIVE_INFINITY)) {
    return [...older, ...newer]
  }
  const byTime = new Map(older.map((bar) => [bar.timeMs, bar]))
  for (const bar of newer) {
    const known = byTime.get(bar.timeMs)
    byTime.set(bar.timeMs, known === undefined ? bar : joined(known, bar))
  }
  return [...byTime.values()].sort((left, right) => left.timeMs - right.timeMs)
}

const endOf = (bars: readonly Bar[]): number => bars.at(-1)?.timeMs ?? Number.NEGATIVE_INFINITY

const isInOrder = (bars: readonly Bar[]): boolean =>
  bars.every(({ timeMs }, index) => timeMs > (bars[index - 1]?.timeMs ?? Number.NEGATIVE_INFINITY))

const joined = (older: Bar, newer: Bar): Bar => ({
  timeMs: older.timeMs,
  open: older.open,
  high: Math.max(older.high, newer.high),
  low: Math.min(older.low, newer.low),
  close: newer.close,
  volumeFrom: Math.min(older.volumeFrom, newer.volumeFrom),
  volumeTo: Math.max(older.volumeTo, newer.volumeTo),
  amountFrom: Math.min(older.amountFrom, newer.amountFrom),
  amountTo: Math.max(older.amountTo, newer.amountTo),
})

/** A bar as it is shown: what was traded in it, and not since the morning. */
export interface BarRow {
  readonly timeMs: number
  readonly open: number
  readonly high: number
  readonly low: number
  readonly close: number
  readonly volume: number
  /** Yuan. */
  readonly amount: number
}

const rowOf = (bar: Bar): BarRow => ({
  timeMs: bar.timeMs,
  open: bar.open,
  high: bar.high,
  low: bar.low,
  close: bar.close,
  volume: bar.volumeTo - bar.volumeFrom,
  amount: round(bar.amountTo - bar.amountFrom, 2),
})

/** Bars of a period from stored ones (minutes, or days for `1d`), in the order of time. */
export function barsOf(stored: readonly Bar[], period: Period): BarRow[] {
  if (period === '1m' || period === '1d') return stored.map(rowOf)
  const rows: BarRow[] = []
  for (const bar of stored) {
    const timeMs = periodEndMs(bar.timeMs, period)
    const row = rowOf(bar)
    const last = rows.at(-1)
    if (last?.timeMs === timeMs) rows[rows.length - 1] = extended(last, row)
    else rows.push({ ...row, timeMs })
  }
  return rows
}

const extended = (row: BarRow, next: BarRow): BarRow => ({
  timeMs: row.timeMs,
  open: row.open,
  high: Math.max(row.high, next.high),
  low: Math.min(row.low, next.low),
  close: next.close,
  volume: row.volume + next.volume,
  amount: round(row.amount + next.amount, 2),
})

/**
 * The rows as the inside of a JSON array, so that pages can be put behind each other. `time` has 17 digits, which a JavaScript number holds exactly only while
 * the milliseconds are 000: so the text is put together here.
 */
export const barsJson = (rows: readonly BarRow[]): string => rows.map(rowJson).join(',')

const rowJson = ({ timeMs, open, high, low, close, volume, amount }: BarRow): string => {
  const prices = [open, high, low, close].map((price) => toYuan(price as Price))
  const [o, h, l, c] = prices
  return `{"time":${timeDigits(timeMs)},"open":${o},"high":${h},"low":${l},"close":${c},"volume":${volume},"amount":${amount}}`
}

/** `20260810093100000`: local time of the exchange to the millisecond. */
export function timeDigits(timeMs: number): string {
  const day = exchangeDay(timeMs)
  const minutes = Math.floor((timeMs - exchangeDayStartMs(day)) / MINUTE_MS)
  const two = (value: number) => String(value).padStart(2, '0')
  const rest = String(timeMs % MINUTE_MS).padStart(5, '0')
  return `${day.replaceAll('-', '')}${two(Math.floor(minutes / 60))}${two(minutes % 60)}${rest}`
}
