import {
  type Bar,
  barsJson,
  barsOf,
  mergeBars,
  type Period,
  unpackBars,
} from '../../src/domain/bar.ts'
import { DAY_MS, exchangeDayStartMs } from '../../src/domain/exchange-time.ts'
import { poolWork } from '../../src/jobs/pool-work.ts'

/** One page of stored bars and how it is wanted. */
export interface BarsWanted {
  readonly bars: readonly Uint8Array[]
  readonly period: Period
  /** First and last day, `2026-08-11`. */
  readonly from: string
  readonly to: string
}

export interface BarsMade {
  readonly rows: number
  /** The rows without the brackets of an array. */
  readonly json: string
}

/** Stored bars into those of a period, as JSON. */
export const work = poolWork<BarsWanted, BarsMade>(({ bars, period, from, to }) => {
  const [fromMs, endMs] = [exchangeDayStartMs(from), exchangeDayStartMs(to) + DAY_MS]
  const isWanted = ({ timeMs }: Bar) =>
    period === '1d' ? timeMs >= fromMs && timeMs < endMs : timeMs > fromMs && timeMs <= endMs
  const merged = bars.map(unpackBars).reduce<readonly Bar[]>(mergeBars, [])
  const rows = barsOf(merged.filter(isWanted), period)
  return { rows: rows.length, json: barsJson(rows) }
})
