import type { Bar, BasePeriod } from '../../domain/bar.ts'
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
 * Rows of the terminal as bars, with the totals of the day at both ends. The day that is not over yet
 * is left to the ticks.
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
  for (const [time, open, high, low, close, volume, amount] of rows) {
    const timeMs = timeRead(time)
    if (timeMs === undefined) continue
    const dayOfRow = exchangeDay(timeMs)
    if (period === '1d' && dayOfRow >= today) continue
    if (dayOfRow !== day) [day, volumeTo, amountTo] = [dayOfRow, 0, 0]
    const [volumeFrom, amountFrom] = [volumeTo, amountTo]
    volumeTo += volume
    amountTo += amount
    const [o, h, l, c] = [open, high, low, close].map(reportedPrice)
    const prices = { open: o ?? 0, high: h ?? 0, low: l ?? 0, close: c ?? 0 }
    bars.push({ timeMs, ...prices, volumeFrom, volumeTo, amountFrom, amountTo })
  }
  return bars
}
