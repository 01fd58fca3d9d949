import { EXCHANGE_HOLIDAYS } from './data/holidays.ts'
import {
  DAY_MS,
  exchangeDay,
  exchangeDayNumber,
  exchangeDayStartMs,
  exchangeTimeOfDayMs,
  exchangeWeekday,
  MINUTE_MS,
} from './exchange-time.ts'

const SUNDAY = 0
const SATURDAY = 6
const isWeekend = (weekday: number): boolean => weekday === SUNDAY || weekday === SATURDAY
/** Continuous trading, milliseconds since midnight at the exchange, both ends included. */
export const SESSIONS = [
  { fromMs: (9 * 60 + 30) * MINUTE_MS, toMs: (11 * 60 + 30) * MINUTE_MS },
  { fromMs: 13 * 60 * MINUTE_MS, toMs: 15 * 60 * MINUTE_MS },
] as const

const HOLIDAYS: ReadonlySet<string> = new Set(
  Object.entries(EXCHANGE_HOLIDAYS).flatMap(([year, days]) =>
    days.split(' ').map((day) => `${year}-${day}`),
  ),
)

/** Beside the table: what a person has read in a notice of the exchange before a release knew it. */
let given: ReadonlySet<string> = new Set()
let givenYears: ReadonlySet<number> = new Set()

/** Has these days, as `2027-02-08`, count as closed too, and their years as known. Set once, as this thread begins. */
export function closeAlso(days: readonly string[]): void {
  given = new Set(days)
  givenYears = new Set(days.map((day) => Number(day.slice(0, 4))))
  lastDay.number = Number.NaN
}

/** Weekdays on which the exchange is closed, by the table and these days beside it, in their order. */
export const closedWeekdays = (beside: readonly string[]): readonly string[] =>
  [...new Set([...HOLIDAYS, ...beside])]
    .filter((day) => !isWeekend(exchangeWeekday(exchangeDayStartMs(day))))
    .toSorted()

/** False: the holidays of this year are neither in the table nor given, its weekdays all count as trading days. */
const calendarKnown = (year: number): boolean =>
  EXCHANGE_HOLIDAYS[year] !== undefined || givenYears.has(year)

/** From so many days before an unknown year on it is told: next year's holidays are announced in November or December. */
const CALENDAR_NOTICE_DAYS = 45

/** The first year whose holidays are not known, and the days until it begins, 0 once it has. */
export interface CalendarNotice {
  readonly year: number
  readonly days: number
}

/** What is to be told of the calendar at a moment (epoch milliseconds); undefined while it reaches far enough. */
export function calendarNotice(epochMs: number): CalendarNotice | undefined {
  const yearNow = Number(exchangeDay(epochMs).slice(0, 4))
  if (!calendarKnown(yearNow)) return { year: yearNow, days: 0 }
  const year = yearNow + 1
  if (calendarKnown(year)) return undefined
  const days = exchangeDayNumber(exchangeDayStartMs(`${year}-01-01`)) - exchangeDayNumber(epochMs)
  return days <= CALENDAR_NOTICE_DAYS ? { year, days } : undefined
}

/** Whether the exchange trades on `2026-08-11`; false for text that is no date. */
export function isTradingDay(day: string): boolean {
  const startMs = exchangeDayStartMs(day)
  if (Number.isNaN(startMs)) return false
  const weekday = exchangeWeekday(startMs)
  return !isWeekend(weekday) && !HOLIDAYS.has(day) && !given.has(day)
}

/** No row of closed days is longer. */
const CLOSED_DAYS_MAX = 30

/** Whether no trading day lies between the days of two moments, of which the later one is of a later day. */
export function isDayAfter(laterMs: number, earlierMs: number): boolean {
  const days = exchangeDayNumber(laterMs) - exchangeDayNumber(earlierMs)
  if (days < 1 || days > CLOSED_DAYS_MAX) return false
  for (let between = 1; between < days; between++) {
    if (isTradingDay(exchangeDay(earlierMs + between * DAY_MS))) return false
  }
  return true
}

/** The opening auction takes its first orders then. */
const AUCTION_MS = (9 * 60 + 15) * MINUTE_MS
/** Whether nothing of its day can have traded yet at this moment (epoch milliseconds). */
export const isBeforeAuction = (epochMs: number): boolean =>
  exchangeTimeOfDayMs(epochMs) < AUCTION_MS
/** Whether the continuous trading of its day is still to begin: the auction has quoted all that is quoted by then. */
export const isBeforeOpen = (epochMs: number): boolean =>
  exchangeTimeOfDayMs(epochMs) < SESSIONS[0].fromMs

/** Continuous trading and the closing auction are over: what is shown from then on is the close. */
const CLOSE_MS = SESSIONS[1].toMs
/** Whether this moment (epoch milliseconds) is at or after the close of its day. */
export const isAfterClose = (epochMs: number): boolean => exchangeTimeOfDayMs(epochMs) >= CLOSE_MS

/** The newest close of a trading day that is not later than a moment (epoch milliseconds). */
export function lastCloseMs(epochMs: number): number {
  const lastMs = lastTradingDayMs(epochMs - CLOSE_MS)
  return lastMs - exchangeTimeOfDayMs(lastMs) + CLOSE_MS
}

/** Trading at the price of the close ends at half past three, and what comes of it is told by then. */
const AFTER_HOURS_END_MS = 16 * 60 * MINUTE_MS
/** Whether this moment (epoch milliseconds) is later than anything that is traded on its day: what is quoted then tests the systems. */
export const isAfterHours = (epochMs: number): boolean =>
  exchangeTimeOfDayMs(epochMs) >= AFTER_HOURS_END_MS

/** Moment within the last trading day that has begun at `epochMs`: itself, or the start of an earlier day. */
export function lastTradingDayMs(epochMs: number): number {
  if (isOnTradingDay(epochMs)) return epochMs
  const todayMs = epochMs - exchangeTimeOfDayMs(epochMs)
  for (let back = 1; back <= CLOSED_DAYS_MAX; back++) {
    const dayMs = todayMs - back * DAY_MS
    if (isTradingDay(exchangeDay(dayMs))) return dayMs
  }
  return epochMs
}

/** Begin of the day at the exchange that lies so many trading days before the day of a moment; 0: of that day itself. */
export function tradingDaysBeforeMs(epochMs: number, days: number): number {
  const startOf = (ms: number): number => ms - exchangeTimeOfDayMs(ms)
  let startMs = startOf(epochMs)
  for (let back = 0; back < days; back++) startMs = startOf(lastTradingDayMs(startMs - 1))
  return startMs
}

/** How long was traded between two moments (epoch milliseconds), in milliseconds; of more days than are ever closed in a row, their beginning. */
export function tradedMs(fromMs: number, toMs: number): number {
  const firstMs = fromMs - exchangeTimeOfDayMs(fromMs)
  let traded = 0
  for (let ahead = 0; ahead <= CLOSED_DAYS_MAX; ahead++) {
    const dayMs = firstMs + ahead * DAY_MS
    if (dayMs >= toMs) break
    if (!isTradingDay(exchangeDay(dayMs))) continue
    for (const session of SESSIONS) {
      const [openMs, closeMs] = [dayMs + session.fromMs, dayMs + session.toMs]
      traded += Math.max(0, Math.min(toMs, closeMs) - Math.max(fromMs, openMs))
    }
  }
  return traded
}

/** When continuous trading begins next after a moment (epoch milliseconds); Infinity beyond what the table of holidays can tell. */
export function nextOpenMs(epochMs: number): number {
  const todayMs = epochMs - exchangeTimeOfDayMs(epochMs)
  for (let ahead = 0; ahead <= CLOSED_DAYS_MAX; ahead++) {
    const dayMs = todayMs + ahead * DAY_MS
    if (!isTradingDay(exchangeDay(dayMs))) continue
    const session = SESSIONS.find(({ fromMs }) => dayMs + fromMs > epochMs)
    if (session !== undefined) return dayMs + session.fromMs
  }
  return Number.POSITIVE_INFINITY
}

/** Whether continuous trading begins once more on the day of a moment (epoch milliseconds): it does in the break at noon. */
export const opensAgainToday = (epochMs: number): boolean =>
  nextOpenMs(epochMs) < epochMs - exchangeTimeOfDayMs(epochMs) + DAY_MS

/** The day that was asked about last: with every tick it is the same one. */
const lastDay = { number: Number.NaN, isTrading: false }

/** As {@link isTradingDay}, of the day in which this moment lies. */
export function isOnTradingDay(epochMs: number): boolean {
  const number = exchangeDayNumber(epochMs)
  if (number !== lastDay.number) {
    lastDay.isTrading = isTradingDay(exchangeDay(epochMs))
    lastDay.number = number
  }
  return lastDay.isTrading
}

/** Whether orders trade at this moment (epoch milliseconds); auctions and the lunch break are closed. */
export function sessionAt(epochMs: number): 'open' | 'closed' {
  const timeOfDay = exchangeTimeOfDayMs(epochMs)
  const [morning, afternoon] = SESSIONS
  const isInHours =
    (timeOfDay >= morning.fromMs && timeOfDay <= morning.toMs) ||
    (timeOfDay >= afternoon.fromMs && timeOfDay <= afternoon.toMs)
  return isInHours && isOnTradingDay(epochMs) ? 'open' : 'closed'
}

/**
 * Whether the table of holidays alone keeps the session of a moment (epoch milliseconds) closed. On weekends exchanges test
 * their systems with quotes that move; on a holiday they do not.
 */
export function isHolidayHour(epochMs: number): boolean {
  const timeOfDay = exchangeTimeOfDayMs(epochMs)
  const isInHours = SESSIONS.some(({ fromMs, toMs }) => timeOfDay >= fromMs && timeOfDay <= toMs)
  const weekday = exchangeWeekday(epochMs)
  return isInHours && weekday !== SUNDAY && weekday !== SATURDAY && !isOnTradingDay(epochMs)
}

/**
 * Logins of the morning, trading, and the last reports after the close, milliseconds since midnight at the
 * exchange, the end left out: whoever has lost the broker in these hours is missed.
 */
const SERVICE_HOURS = {
  fromMs: (8 * 60 + 30) * MINUTE_MS,
  toMs: (15 * 60 + 5) * MINUTE_MS,
} as const

/** Moment within the last trading day whose service hours have begun: before them a terminal tells what held the day before, or nothing. */
export const serviceDayMs = (epochMs: number): number =>
  lastTradingDayMs(epochMs - SERVICE_HOURS.fromMs)

/** How long until the service hours of a trading day, 0 within them; Infinity beyond what the table of holidays can tell. */
export function untilServiceHoursMs(epochMs: number): number {
  const timeOfDay = exchangeTimeOfDayMs(epochMs)
  for (let ahead = 0; ahead <= CLOSED_DAYS_MAX; ahead++) {
    const isOver = ahead === 0 && timeOfDay >= SERVICE_HOURS.toMs
    if (isOver || !isOnTradingDay(epochMs + ahead * DAY_MS)) continue
    return Math.max(0, ahead * DAY_MS + SERVICE_HOURS.fromMs - timeOfDay)
  }
  return Number.POSITIVE_INFINITY
}

/** When the session began that runs at this moment (epoch milliseconds); undefined while closed. */
export function openSinceMs(epochMs: number): number | undefined {
  if (sessionAt(epochMs) === 'closed') return undefined
  const timeOfDay = exchangeTimeOfDayMs(epochMs)
  const session = SESSIONS.find(({ toMs }) => timeOfDay <= toMs)
  return session && epochMs - timeOfDay + session.fromMs
}
