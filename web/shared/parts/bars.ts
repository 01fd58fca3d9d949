/** Of the time of a bar. */
const DIGITS = 17

/** A history bar as the service answers it: `time` has 17 digits, `YYYYMMDDHHMMSSmmm`, exchange time. */
export interface Bar {
  readonly time: number
  readonly open: number
  readonly high: number
  readonly low: number
  readonly close: number
  readonly volume: number
}

/** A fill to be marked. `time` is `YYYY-MM-DD HH:MM:SS`. */
export interface ChartFill {
  readonly time: string
  readonly side: 'buy' | 'sell'
}

/** A fill in a chart of these bars. */
interface ChartMark {
  readonly time: string | number
  readonly side: 'buy' | 'sell'
}

/**
 * Where fills stand among bars, which bear their end as their time: at the bar in which they were made, the oldest
 * first, because the chart looks for those in sight by halves. Fills of days without a bar are left out. A bar has one
 * mark of a side: the chart puts them above each other, and a day of a grid has many.
 */
export function marksOf(fills: readonly ChartFill[], bars: readonly Bar[]): readonly ChartMark[] {
  const times = bars.map(({ time }) => String(time).padStart(DIGITS, '0'))
  const made = fills
    .map(({ time, side }) => ({ side, time: time.replaceAll(/\D/g, '').padEnd(DIGITS, '0') }))
    .sort((one, other) => (one.time < other.time ? -1 : Number(one.time > other.time)))
  let at = 0
  const marks = new Map<string, ChartMark>()
  for (const { side, time } of made) {
    while (at < times.length && (times[at] ?? '') <= time) at += 1
    // A day's own bar begins with it, and behind the last one of a day is what came with the close.
    const bar = [times[at], times[at - 1]].find((end) => end?.slice(0, 8) === time.slice(0, 8))
    if (bar !== undefined) marks.set(`${bar} ${side}`, { time: barTime(Number(bar)), side })
  }
  return [...marks.values()]
}

/** A price level; `tone` names a colour of the page. */
export interface ChartLine {
  readonly price: number
  readonly title: string
  readonly tone: 'warn' | 'brand' | 'up' | 'down' | 'ink-3'
}

/**
 * The time of a bar for the chart, which knows no zones: the day itself for a daily bar, else the exchange
 * clock as if it were UTC, in seconds.
 */
export function barTime(time: number): string | number {
  const text = String(time).padStart(DIGITS, '0')
  const at = (from: number, to: number): number => Number(text.slice(from, to))
  if (text.slice(8) === '000000000') {
    return `${text.slice(0, 4)}-${text.slice(4, 6)}-${text.slice(6, 8)}`
  }
  return Date.UTC(at(0, 4), at(4, 6) - 1, at(6, 8), at(8, 10), at(10, 12), at(12, 14)) / 1_000
}
