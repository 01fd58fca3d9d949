import type { Schemas } from './api.ts'
import { exchangeMs, exchangeTime } from './format.ts'

export type EarningsAnswer = Schemas['Earnings']
export type SalesAnswer = Schemas['SalesPage']
export type ClosedAnswer = Schemas['ClosedPositionsPage']
export type EquityAnswer = Schemas['Equity']
export type EarningsSum = Schemas['EarningsSum']
export type EarningsDay = Schemas['EarningsDay']

/** Exchange days, both included. */
export interface DaySpan {
  readonly from: string
  readonly to: string
}

/** Spans that are chosen with one click. */
export const SPANS = ['today', 'week', 'month', 'lastMonth', 'year'] as const
/** The same for fills. */
export const FILL_SPANS = ['today', 'yesterday', 'week', 'month'] as const
export type SpanName = (typeof SPANS)[number] | (typeof FILL_SPANS)[number]

const DAY_MS = 86_400_000
const dayText = (ms: number): string => new Date(ms).toISOString().slice(0, 10)
const dayMs = (day: string): number => Date.parse(`${day}T00:00:00Z`)

/** The exchange day of a moment, epoch ms. */
export const dayAt = (nowMs: number): string => exchangeTime(nowMs).slice(0, 10)

/** `today` is an exchange day; weeks begin on Monday. */
export function spanOf(name: SpanName, today: string): DaySpan {
  const [year = '', month = ''] = today.split('-')
  switch (name) {
    case 'today':
      return { from: today, to: today }
    case 'yesterday': {
      const day = dayText(dayMs(today) - DAY_MS)
      return { from: day, to: day }
    }
    case 'week': {
      const sinceMonday = (new Date(dayMs(today)).getUTCDay() + 6) % 7
      return { from: dayText(dayMs(today) - sinceMonday * DAY_MS), to: today }
    }
    case 'month':
      return { from: `${year}-${month}-01`, to: today }
    case 'lastMonth': {
      const to = dayText(dayMs(`${year}-${month}-01`) - DAY_MS)
      return { from: `${to.slice(0, 7)}-01`, to }
    }
    case 'year':
      return { from: `${year}-01-01`, to: today }
  }
}

/** A span, and the name by which it was chosen last. */
export interface Chosen<Name extends SpanName> {
  readonly span: DaySpan
  readonly name: Name | undefined
  /** The day of that. */
  readonly day: string
}

/**
 * What was chosen by its name goes on with the day; what was chosen by its days stays. Of names that mean the same days, as all
 * do on the first of a month, it is the one that was chosen. Pure.
 */
export function onDay<Name extends SpanName>(
  { span, name, day }: Chosen<Name>,
  names: readonly Name[],
  today: string,
): DaySpan {
  const isSpan = (one: Name): boolean => {
    const { from, to } = spanOf(one, day)
    return from === span.from && to === span.to
  }
  const found = name !== undefined && isSpan(name) ? name : names.find(isSpan)
  return found === undefined ? span : spanOf(found, today)
}

/** No day before it was traded. */
const FIRST_DAY = '1990-12-19'
const DAY = /^\d{4}-\d\d-\d\d$/

/**
 * Why days that were typed are no span to ask for; one that stands there while its year is typed is not whole yet.
 * `isOpen`: a bound may be left out. Pure.
 */
export function faultOf(
  { from, to }: DaySpan,
  isOpen = false,
): 'reversed' | 'incomplete' | undefined {
  const isWhole = (day: string): boolean =>
    (isOpen && day === '') || (DAY.test(day) && day >= FIRST_DAY)
  if (!isWhole(from) || !isWhole(to)) return 'incomplete'
  return from !== '' && to !== '' && from > to ? 'reversed' : undefined
}

/** Months of a span, `2026-11`, the newest first, at most so many. */
export function monthsOf({ from, to }: DaySpan, max: number): readonly string[] {
  const months: string[] = []
  let day = to
  while (months.length < max && day.slice(0, 7) >= from.slice(0, 7)) {
    months.push(day.slice(0, 7))
    day = dayText(dayMs(`${day.slice(0, 7)}-01`) - DAY_MS)
  }
  return months
}

/** A day of a calendar; `undefined` fills the week up. */
export interface CalendarCell {
  readonly day: string
  readonly row: EarningsDay | undefined
}

/** Weeks of a month from Monday to Sunday, with what was earned on each day. */
export function weeksOf(
  month: string,
  rows: readonly EarningsDay[],
): readonly (readonly (CalendarCell | undefined)[])[] {
  const byDay = new Map(rows.map((row) => [row.day, row]))
  const first = dayMs(`${month}-01`)
  const blanks = (new Date(first).getUTCDay() + 6) % 7
  const cells: (CalendarCell | undefined)[] = Array.from({ length: blanks }, () => undefined)
  for (let ms = first; dayText(ms).startsWith(month); ms += DAY_MS) {
    cells.push({ day: dayText(ms), row: byDay.get(dayText(ms)) })
  }
  while (cells.length % 7 > 0) cells.push(undefined)
  return Array.from({ length: cells.length / 7 }, (_, week) => cells.slice(week * 7, week * 7 + 7))
}

/** Points of a curve: epoch ms of the exchange time that an answer says. */
export const curveOf = (points: EquityAnswer['points']) =>
  points.map(({ time, equity }) => ({
    atMs: exchangeMs(time),
    value: equity,
  }))

/** The curve of an exchange day: its stored minutes, and behind them what a page has been told since it was opened, maybe days ago. */
export function curveOfDay(
  day: string,
  stored: EquityAnswer['points'],
  told: readonly { readonly atMs: number; readonly total: number }[],
) {
  const minutes = curveOf(stored.filter(({ time }) => time.startsWith(day)))
  const lastMs = minutes.at(-1)?.atMs ?? 0
  const since = told.filter(({ atMs }) => atMs > lastMs && dayAt(atMs) === day)
  return [...minutes, ...since.map(({ atMs, total }) => ({ atMs, value: total }))]
}
