import { z } from 'zod'
import { PERIODS, type Period } from '../domain/bar.ts'
import { DAY_MS, exchangeDay, exchangeDayStartMs, MINUTE_MS } from '../domain/exchange-time.ts'
import type { BarsPage, MarketReplies, MarketRequest } from './market.ts'

/** The exchanges opened in December of that year; nothing is older. */
const FIRST_DAY = '1990-01-01'
export const START_DEFAULT = '20200101'
const MINUTES_OF_DAY = DAY_MS / MINUTE_MS

/** `20260811` into `2026-08-11`; undefined when there is no such day. */
function dayOf(text: string): string | undefined {
  if (!/^\d{8}$/.test(text)) return undefined
  const day = `${text.slice(0, 4)}-${text.slice(4, 6)}-${text.slice(6)}`
  const startMs = exchangeDayStartMs(day)
  return !Number.isNaN(startMs) && exchangeDay(startMs) === day ? day : undefined
}

/** A day as `20260811`; empty: none is said. */
export const dayText = z
  .string()
  .refine(
    (text) => text === '' || dayOf(text) !== undefined,
    '须为 YYYYMMDD 格式的日期 (must be a day as YYYYMMDD)',
  )

/** What a caller may say about a stretch of history. */
export const historySpan = {
  period: z.enum(PERIODS).default('1d'),
  start_time: dayText.default(START_DEFAULT).describe('YYYYMMDD'),
  end_time: dayText.default('').describe('YYYYMMDD; empty = today'),
}

/** Input of a job that downloads history; the code with its suffix, the days as the caller wrote them. */
export const downloadInput = z.object({
  stock_code: z.string(),
  period: z.enum(PERIODS),
  start_time: z.string(),
  end_time: z.string(),
})
export type DownloadInput = z.output<typeof downloadInput>

/** What such a job has come to. */
export interface DownloadResult extends DownloadInput {
  /** Bars that are there now, counted after reading them back. */
  readonly rows: number
  readonly source: string
}

const earlier = (left: string, right: string) => [left, right].sort()[0] ?? left
const later = (left: string, right: string) => [left, right].sort()[1] ?? left

interface Span {
  readonly period: Period
  /** First and last day, `2026-08-11`. */
  readonly from: string
  readonly to: string
}

/** The days that are meant: no earlier than the exchange, no later than today. */
export function spanOf(
  { period, start_time, end_time }: Omit<DownloadInput, 'stock_code'>,
  nowMs: number,
): Span {
  const today = exchangeDay(nowMs)
  const start = dayOf(start_time === '' ? START_DEFAULT : start_time) ?? FIRST_DAY
  const end = dayOf(end_time) ?? today
  return { period, from: later(start, FIRST_DAY), to: earlier(end, today) }
}

/** Rows that such a stretch can come to at most, on a market that never closes. */
export function rowsAtMost({ period, from, to }: Span): number {
  const days = (exchangeDayStartMs(to) - exchangeDayStartMs(from)) / DAY_MS + 1
  return days * (period === '1d' ? 1 : MINUTES_OF_DAY / minutesOf(period))
}

/** Stored bars that at least become one row. */
export const minutesOf = (period: Period): number =>
  period === '1d' ? 1 : Number(period.slice(0, -1))

export type BarsRequest = Extract<MarketRequest, { kind: 'bars' }>
export type CountRequest = Extract<MarketRequest, { kind: 'barCount' }>

/** The pages of a stretch of history, one asked for after the other. Errors  those of `ask`. */
export const barPages = (
  ask: (request: BarsRequest) => Promise<BarsPage>,
  query: Omit<BarsRequest, 'kind' | 'after'>,
): AsyncGenerator<BarsPage> =>
  pages((after) => ask({ kind: 'bars', ...query, ...(after !== null && { after }) }))

/**
 * Whether more than `max` bars are stored of a stretch: counted no further than that, and none is carried.
 * Errors  those of `ask`.
 */
export async function hasMoreBars(
  ask: (request: CountRequest) => Promise<MarketReplies['barCount']>,
  query: Omit<CountRequest, 'kind' | 'after'>,
  max: number,
): Promise<boolean> {
  let total = 0
  const all = pages((after) =>
    ask({ kind: 'barCount', ...query, ...(after !== null && { after }) }),
  )
  for await (const { count } of all) {
    total += count
    if (total > max) return true
  }
  return false
}

async function* pages<P extends { readonly next: string | null }>(
  ask: (after: string | null) => Promise<P>,
): AsyncGenerator<P> {
  let after: string | null = null
  do {
    const page: P = await ask(after)
    yield page
    after = page.next
  } while (after !== null)
}
