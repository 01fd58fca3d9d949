import { reactive, watch } from 'vue'
import type { Schemas } from '../shared/api.ts'
import { store as keep, stored } from '../shared/prefs.ts'

/** A stock that is looked at without being held. */
export interface Watched {
  /** With its exchange. */
  readonly code: string
  readonly name: string
}

/** A watched stock with its quote; undefined as long as nobody has told one. */
export interface WatchedRow extends Watched {
  readonly price: number | undefined
  /** Percent against the last close. */
  readonly change: number | undefined
  readonly open: number | undefined
  readonly high: number | undefined
  readonly low: number | undefined
  readonly volume: number | undefined
  /** Yuan. */
  readonly amount: number | undefined
  /** Epoch milliseconds of the market. */
  readonly timeMs: number | undefined
}

const KEY = 'steward.watch'
export const WATCHED_MAX = 100

/** The list of this browser; each account has a page, and so a list, of its own. */
export const watched = reactive<Watched[]>(readable(stored<unknown>(KEY)))
watch(watched, () => keep(KEY, watched))

/** What somebody else has written there is no list. */
export function readable(kept: unknown): Watched[] {
  if (!Array.isArray(kept)) return []
  return kept
    .filter(
      (one): one is Watched =>
        typeof one === 'object' &&
        one !== null &&
        /^\d{6}\.(SH|SZ|BJ)$/.test(String((one as Partial<Watched>).code)) &&
        typeof (one as Partial<Watched>).name === 'string',
    )
    .slice(0, WATCHED_MAX)
}

/** Puts a stock on the list; false when there is no room. */
export function watchStock({ code, name }: Watched): boolean {
  if (watched.some((one) => one.code === code)) return true
  if (watched.length >= WATCHED_MAX) return false
  watched.push({ code, name })
  return true
}

export function unwatch(code: string): void {
  const at = watched.findIndex((one) => one.code === code)
  if (at >= 0) watched.splice(at, 1)
}

/** 0 is how a quote says that there is none: before the first trade of the day, or of a halted stock. */
const positive = (value: number | undefined): number | undefined =>
  value !== undefined && value > 0 ? value : undefined

export function rowOf(stock: Watched, tick: Schemas['Tick'] | undefined): WatchedRow {
  const [price, close] = [positive(tick?.lastPrice), positive(tick?.lastClose)]
  const isKnown = price !== undefined && close !== undefined
  return {
    ...stock,
    price,
    change: isKnown ? ((price - close) / close) * 100 : undefined,
    open: positive(tick?.open),
    high: positive(tick?.high),
    low: positive(tick?.low),
    volume: tick?.volume,
    amount: tick?.amount,
    timeMs: positive(tick?.time),
  }
}
