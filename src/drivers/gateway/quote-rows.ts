import { exchangeDay, exchangeDayStartMs, timeRead } from '../../domain/exchange-time.ts'
import type { Tick } from '../../protocol/market.ts'
import type { HistoryBar } from '../terminal/bars.ts'

const LEVELS = 5
const TIME = /^(\d{4})-?(\d{2})-?(\d{2})[ T]?(\d{2}):?(\d{2}):?(\d{2})/

const number = (value: unknown): number => (typeof value === 'number' ? value : 0)
const levels = (value: unknown): readonly number[] =>
  Array.from({ length: LEVELS }, (_, index) => number(Array.isArray(value) ? value[index] : 0))

/** `20260811 10:00:01` or `2026-08-11 10:00:01`, at the exchange. */
function timeOfText(text: unknown): number | undefined {
  const [, year, month, day, hour, minute, second] = TIME.exec(String(text)) ?? []
  if (year === undefined) return undefined
  const ms = Date.parse(`${year}-${month}-${day}T${hour}:${minute}:${second}+08:00`)
  return Number.isFinite(ms) ? ms : undefined
}

/** When a quote is seen, and whether it has changed since a moment ago: then it is of now, whatever it says. */
export interface Seen {
  readonly nowMs: number
  readonly isOfNow: boolean
  /** When another one of the stock was seen last, however long ago: it is no older than that. Absent: none was. */
  readonly lastMs?: number | undefined
}

/**
 * A quote of another gateway. Where it tells no time, that of its being seen stands in once it has changed before
 * our eyes; of one that has changed while nobody looked, that of the last look before. Of one that is seen first nobody
 * knows how old it is: it counts as one of before the day has opened.
 */
export function tickOf(code: string, row: unknown, seen: Seen): Tick | undefined {
  const { nowMs, isOfNow, lastMs = exchangeDayStartMs(exchangeDay(nowMs)) } = seen
  if (typeof row !== 'object' || row === null) return undefined
  const at = (name: string): unknown => Reflect.get(row, name)
  if (typeof at('lastPrice') !== 'number') return undefined
  const standInMs = isOfNow ? nowMs : lastMs
  return {
    time: timeRead(number(at('time'))) ?? timeOfText(at('timetag')) ?? standInMs,
    stock_code: code,
    lastPrice: number(at('lastPrice')),
    open: number(at('open')),
    high: number(at('high')),
    low: number(at('low')),
    lastClose: number(at('lastClose')),
    volume: number(at('volume')),
    amount: number(at('amount')),
    bidPrice: levels(at('bidPrice')),
    askPrice: levels(at('askPrice')),
    bidVol: levels(at('bidVol')),
    askVol: levels(at('askVol')),
  }
}

/** Bars of an answer; `time` is `YYYYMMDDHHMMSSmmm`, which a number of JSON holds to the second, or of the epoch. */
export function barRowsOf(bars: unknown): readonly HistoryBar[] {
  if (!Array.isArray(bars)) return []
  return bars.flatMap((bar: unknown) => {
    if (typeof bar !== 'object' || bar === null) return []
    const at = (name: string): number => number(Reflect.get(bar, name))
    const written: unknown = Reflect.get(bar, 'time')
    const timeMs = timeRead(Number(written)) ?? timeOfText(written)
    if (timeMs === undefined) return []
    return [
      [timeMs, at('open'), at('high'), at('low'), at('close'), at('volume'), at('amount')] as const,
    ]
  })
}
