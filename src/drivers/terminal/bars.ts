import { type Bar, type BasePeriod, mergeBars } from '../../domain/bar.ts'
import { namedMinuteMs } from '../../domain/bar-time.ts'
import { exchangeDay, timeRead } from '../../domain/exchange-time.ts'
import { reportedPrice } from '../../domain/money.ts'

/** One bar as the broker stores it: time in epoch ms (some builds write seconds or digits), prices in yuan, volume in shares. */
export type HistoryBar = readonly [
  time: number,
  open: number,
  high: number,
  low: number,
  close: number,
  volume: number,
  amount: number,
]

/**
 * Rows of the terminal as bars, with the totals of the day at both ends. The day that is not over yet is left to the
 * ticks. Of rows of one time the last counts; one without a price, as of a halted stock, or without a time is none.
 */
export function barsOf(
  rows: readonly HistoryBar[],
  period: BasePeriod,
  today: string,
): readonly Bar[] {
  const bars: Bar[] = []
  let day = ''
  let volumeTo = 0
  let amountTo = 0
  for (const [writtenMs, row] of inOrder(rows)) {
    const timeMs = period === '1m' ? namedMinuteMs(writtenMs) : writtenMs
    const [, ...numbers] = row
    const [open = 0, high = 0, low = 0, close = 0] = numbers.slice(0, 4).map(reportedPrice)
    if (Math.min(open, high, low, close) <= 0) continue
    const dayOfRow = exchangeDay(timeMs)
    if (period === '1d' && dayOfRow >= today) continue
    if (dayOfRow !== day) [day, volumeTo, amountTo] = [dayOfRow, 0, 0]
    const [volumeFrom, amountFrom] = [volumeTo, amountTo]
    volumeTo += amountOf(row[5])
    amountTo += amountOf(row[6])
    bars.push({ timeMs, open, high, low, close, volumeFrom, volumeTo, amountFrom, amountTo })
  }
  return mergeBars([], bars)
}

function inOrder(rows: readonly HistoryBar[]): readonly (readonly [number, HistoryBar])[] {
  const byTime = new Map<number, HistoryBar>()
  for (const row of rows) {
    const timeMs = timeRead(row[0])
    if (timeMs !== undefined) byTime.set(timeMs, row)
  }
  return [...byTime].sort(([left], [right]) => left - right)
}

const amountOf = (told: number): number => (told > 0 && Number.isFinite(told) ? told : 0)
