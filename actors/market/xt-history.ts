import { parseAddress } from '../../src/config/xt.ts'
import type { Bar, BasePeriod } from '../../src/domain/bar.ts'
import { ServiceError } from '../../src/domain/errors.ts'
import { exchangeDay } from '../../src/domain/exchange-time.ts'
import { reportedPrice } from '../../src/domain/money.ts'
import { type HistoryBar, readHistory } from '../../src/drivers/xt/history.ts'
import { pythonOf, xtquantPathOf } from '../../src/drivers/xt/settings.ts'
import type { MarketLog } from '../../src/market/saved.ts'
import type { XtMarketParts } from './open-xt.ts'

/** Days of a code, both inclusive (`2026-08-11`). */
export interface BarsWanted {
  readonly code: string
  readonly period: BasePeriod
  readonly from: string
  readonly to: string
}
/** Gets bars from outside. Errors  `CONFLICT` with what the source says. */
export type FetchBars = (wanted: BarsWanted) => Promise<readonly Bar[]>

/** History of the terminal on this computer; undefined when its sidecar is on another. */
export function xtHistory(
  { plan, history }: XtMarketParts,
  log: MarketLog,
  nowMs: () => number,
): FetchBars | undefined {
  const address = parseAddress(plan.sidecar.attach)
  const isHere = address === undefined || /^(127\.|localhost$)/.test(address.host)
  if (!isHere) return undefined
  const options = {
    python: pythonOf(plan.sidecar),
    xtquantPath: xtquantPathOf(plan),
    log,
    ...history,
    quotePort: plan.quotePort,
    frameBytesMax: plan.limits.frameBytesMax,
  }
  return async ({ code, period, from, to }) => {
    const request = { code, period, start: plain(from), end: plain(to) }
    try {
      await readHistory({ method: 'download', ...request }, options)
      const { bars } = await readHistory({ method: 'bars', ...request }, options)
      return barsOf(bars, period, exchangeDay(nowMs()))
    } catch (error) {
      throw new ServiceError('CONFLICT', error instanceof Error ? error.message : String(error))
    }
  }
}

const plain = (day: string): string => day.replaceAll('-', '')

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
  for (const [timeMs, open, high, low, close, volume, amount] of rows) {
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
