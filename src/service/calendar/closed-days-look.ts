import type { Config } from '../../config/schema.ts'
import { EXCHANGE_HOLIDAYS } from '../../domain/data/holidays.ts'
import { exchangeDay, exchangeDayStartMs, exchangeWeekday } from '../../domain/exchange-time.ts'
import { livesByCalendar } from './calendar-watch.ts'

type Looked = Pick<Config, 'closed_days' | 'market'>

/** The notice of a year has had 16 and more. */
const NOTICE_DAYS_LEAST = 10
const DAYS_NAMED_MAX = 5

const yearOf = (day: string): number => Number(day.slice(0, 4))
const isWeekday = (day: string): boolean => exchangeWeekday(exchangeDayStartMs(day)) % 6 !== 0

/**
 * What looks like a slip in `closed_days`: days to come that trade by the table of this release, on which nothing would
 * act, and years of which so few are given that others of them will count as trading days, and nobody is told.
 */
export function closedDaysWarnings(config: Looked, nowMs: number): readonly string[] {
  if (!livesByCalendar(config)) return []
  const today = exchangeDay(nowMs)
  const given = [...new Set(config.closed_days)].filter(isWeekday).toSorted()
  const trading = given.filter(
    (day) =>
      day >= today && EXCHANGE_HOLIDAYS[yearOf(day)]?.split(' ').includes(day.slice(5)) === false,
  )
  const years = [...new Set(config.closed_days.map(yearOf))].filter(
    (year) =>
      year >= yearOf(today) &&
      EXCHANGE_HOLIDAYS[year] === undefined &&
      given.filter((day) => yearOf(day) === year).length < NOTICE_DAYS_LEAST,
  )
  const named = `${trading.slice(0, DAYS_NAMED_MAX).join(', ')}${trading.length > DAYS_NAMED_MAX ? ' …' : ''}`
  return [
    ...(trading.length === 0
      ? []
      : [
          `closed_days: ${named} 按本程序的日历是交易日，将按休市处理：当天不判断止盈止损，也不下单；请与交易所公告核对 (trading days by the calendar of this program, on which no stop would be judged and nothing ordered: compare them with the notice of the exchange)`,
        ]),
    ...years.map(
      (year) =>
        `closed_days: ${year} 年的休市日太少，该年已算已知，未列出的休市日都按交易日处理；请按交易所公告列全 (few days of ${year} are given; the year counts as known, and those that are missing as trading days: give all of the notice)`,
    ),
  ]
}
