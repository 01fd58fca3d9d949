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
  const text = String(time).padStart(17, '0')
  const at = (from: number, to: number): number => Number(text.slice(from, to))
  if (text.slice(8) === '000000000') {
    return `${text.slice(0, 4)}-${text.slice(4, 6)}-${text.slice(6, 8)}`
  }
  return Date.UTC(at(0, 4), at(4, 6) - 1, at(6, 8), at(8, 10), at(10, 12), at(12, 14)) / 1_000
}
