import { type Bar, mergeBars, unpackBars } from '../../src/domain/bar.ts'
import { exchangeDay } from '../../src/domain/exchange-time.ts'
import { type Price, toYuan } from '../../src/domain/money.ts'
import type { Result } from '../../src/domain/result.ts'
import { poolWork } from '../../src/jobs/pool-work.ts'
import { type MacdAdvice, macdAdvice } from '../../src/strategy/macd.ts'

/** Stored days of one code. */
export interface MacdWanted {
  readonly bars: readonly Uint8Array[]
  /** The last day that is complete, `2026-08-10`. */
  readonly lastDay: string
}

/** The advice from the completed days. */
export const work = poolWork<MacdWanted, Result<MacdAdvice, string>>(({ bars, lastDay }) => {
  const days = bars.map(unpackBars).reduce<readonly Bar[]>(mergeBars, [])
  const yuan = (units: number) => toYuan(units as Price)
  const prices = days.map(({ timeMs, open, high, low, close }) => ({
    day: exchangeDay(timeMs),
    open: yuan(open),
    high: yuan(high),
    low: yuan(low),
    close: yuan(close),
  }))
  return macdAdvice(prices.filter(({ day }) => day <= lastDay))
})
