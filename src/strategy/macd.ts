import { round } from '../domain/money.ts'
import { err, ok, type Result } from '../domain/result.ts'

/** One completed day, prices in yuan. */
export interface DayPrices {
  /** `2026-08-10`. */
  readonly day: string
  readonly open: number
  readonly high: number
  readonly low: number
  readonly close: number
}

const FAST = 12
const SLOW = 26
const SIGNAL = 9
/** Fewer days say nothing: the slow mean and its signal have not settled. */
const DAYS_MIN = 36
const SERIES_MAX = 60
const SHORT_MEAN = 8
const LONG_MEAN = 34
const DIGITS = 3

/** By whether the signal line rises and whether DIF is above zero. */
const CATEGORIES = [
  { trend: '上升趋势(强)', base_position: '重仓', grid: '启动' },
  { trend: '上升趋势(弱/修复)', base_position: '半仓以下', grid: '启动' },
  { trend: '下降趋势(弱)/顶部反转', base_position: '半仓以下', grid: '启动' },
  { trend: '下降趋势(强)', base_position: '清仓', grid: '停用' },
] as const
type Category = 0 | 1 | 2 | 3

/** A day as a chart shows it. */
export interface MacdDay {
  readonly d: string
  readonly o: number
  readonly h: number
  readonly l: number
  readonly c: number
  readonly dif: number
  readonly dea: number
  readonly hist: number
  /** Means of the closes; null while the window is short. */
  readonly ma8: number | null
  readonly ma34: number | null
  readonly cat: Category
}

export interface MacdAdvice {
  readonly trend: string
  readonly base_position: string
  readonly grid: string
  readonly cross: string
  readonly dif: number
  readonly dea: number
  readonly dea_prev: number
  /** The last completed day. */
  readonly updated: string
  /** The last 60 days. */
  readonly series: readonly MacdDay[]
}

/**
 * What the MACD of daily closes says about base position and grid.
 *
 * Units   DIF = EMA12 − EMA26, DEA = EMA9(DIF), histogram = 2 · (DIF − DEA), each EMA with
 *         α = 2/(n+1) from the first value on; all of them rounded to three digits before they are
 *         compared, because that is how they are shown.
 * Errors  a line for people when there are too few days.
 */
export function macdAdvice(days: readonly DayPrices[]): Result<MacdAdvice, string> {
  if (days.length < DAYS_MIN) {
    return err(
      `数据不足：${days.length} 个交易日，至少需要 ${DAYS_MIN} 个 (too few daily bars: ${days.length}, at least ${DAYS_MIN} are needed)`,
    )
  }
  const closes = days.map(({ close }) => close)
  const slow = exponentialMean(closes, SLOW)
  const difs = exponentialMean(closes, FAST).map((fast, index) => fast - (slow[index] ?? 0))
  const deas = exponentialMean(difs, SIGNAL)
  const lines = difs.map((dif, index) => lineOf(dif, deas[index] ?? 0))
  const from = Math.max(0, days.length - SERIES_MAX)
  const series = days.slice(from).map((day, offset) => {
    const index = from + offset
    const line = lines[index] ?? lineOf(0, 0)
    const before = offset === 0 ? line : (lines[index - 1] ?? line)
    return {
      d: day.day,
      o: round(day.open, DIGITS),
      h: round(day.high, DIGITS),
      l: round(day.low, DIGITS),
      c: round(day.close, DIGITS),
      ...line,
      ma8: meanUntil(closes, index, SHORT_MEAN),
      ma34: meanUntil(closes, index, LONG_MEAN),
      cat: categoryOf(line, before),
    }
  })
  return adviceOf(series)
}

function adviceOf(series: readonly MacdDay[]): Result<MacdAdvice, string> {
  const [previous, last] = series.slice(-2)
  if (previous === undefined || last === undefined || !Number.isFinite(last.dif + last.dea)) {
    return err('指标无效 (no valid indicator)')
  }
  return ok({
    ...CATEGORIES[last.cat],
    cross: last.dif >= last.dea ? 'DIF在DEA上方(多头)' : 'DIF在DEA下方(空头)',
    dif: last.dif,
    dea: last.dea,
    dea_prev: previous.dea,
    updated: last.d,
    series,
  })
}

type Line = Pick<MacdDay, 'dif' | 'dea' | 'hist'>

const lineOf = (dif: number, dea: number): Line => ({
  dif: round(dif, DIGITS),
  dea: round(dea, DIGITS),
  hist: round(2 * (dif - dea), DIGITS),
})

/** DIF exactly 0 counts as not above. */
function categoryOf({ dif, dea }: Line, before: Line): Category {
  const isRising = dea >= before.dea
  if (isRising) return dif > 0 ? 0 : 1
  return dif > 0 ? 2 : 3
}

function exponentialMean(values: readonly number[], days: number): number[] {
  const share = 2 / (days + 1)
  const means: number[] = []
  for (const value of values) {
    const before = means.at(-1)
    means.push(before === undefined ? value : before + share * (value - before))
  }
  return means
}

function meanUntil(values: readonly number[], index: number, days: number): number | null {
  if (index + 1 < days) return null
  const window = values.slice(index + 1 - days, index + 1)
  return round(window.reduce((sum, value) => sum + value, 0) / days, DIGITS)
}
