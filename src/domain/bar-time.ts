import { DAY_MS, exchangeTimeOfDayMs, MINUTE_MS } from './exchange-time.ts'
import { isOnTradingDay, SESSIONS } from './session.ts'

/** Time of day, milliseconds since midnight at the exchange. */
const CALL_AUCTION = (9 * 60 + 15) * MINUTE_MS
/** Periods are counted from the start of each of the two. */
const [MORNING, AFTERNOON] = SESSIONS
const FIRST_MINUTE_END = MORNING.fromMs + MINUTE_MS
const { toMs: MORNING_END } = MORNING
const { fromMs: AFTERNOON_START, toMs: DAY_END } = AFTERNOON

/** The minute that a tick belongs to. */
export interface Minute {
  /** Its name: epoch milliseconds of its end. */
  readonly endMs: number
  /** Ticks before this moment (epoch milliseconds) belong to it. */
  readonly untilMs: number
}

/**
 * The minute of a tick. The opening auction belongs to the first minute of the day, what arrives in
 * the lunch break to the last of the morning, and what arrives after the close to the last of the
 * day. undefined before the auction, when a tick only repeats yesterday, and on a day
 * without trading, when the exchange tests its systems.
 *
 * @param isAlwaysOpen a market without sessions, whose minutes are those of the clock
 */
export function minuteOf(timeMs: number, isAlwaysOpen: boolean): Minute | undefined {
  const timeOfDay = exchangeTimeOfDayMs(timeMs)
  const midnightMs = timeMs - timeOfDay
  const endOfClock = (Math.floor(timeOfDay / MINUTE_MS) + 1) * MINUTE_MS
  const minute = (end: number, until = end): Minute => ({
    endMs: midnightMs + end,
    untilMs: midnightMs + until,
  })
  if (isAlwaysOpen) return minute(endOfClock)
  if (timeOfDay < CALL_AUCTION || !isOnTradingDay(timeMs)) return undefined
  if (timeOfDay < FIRST_MINUTE_END) return minute(FIRST_MINUTE_END)
  if (timeOfDay < MORNING_END - MINUTE_MS) return minute(endOfClock)
  if (timeOfDay < AFTERNOON_START) return minute(MORNING_END, AFTERNOON_START)
  if (timeOfDay < DAY_END - MINUTE_MS) return minute(endOfClock)
  return minute(DAY_END, DAY_MS)
}

/** A minute by its end; what others give as one of its own at the open, the auction, is part of the first. */
export const namedMinuteMs = (endMs: number): number =>
  exchangeTimeOfDayMs(endMs) === MORNING.fromMs ? endMs + MINUTE_MS : endMs

/** From the auction to the end of the first minute: nothing that was traded before is missing. */
export function isOpening(timeMs: number): boolean {
  const timeOfDay = exchangeTimeOfDayMs(timeMs)
  return timeOfDay >= CALL_AUCTION && timeOfDay < FIRST_MINUTE_END
}

const PERIOD_MINUTES = { '5m': 5, '15m': 15, '30m': 30, '60m': 60 } as const

/**
 * The end of the period that the minute ending at `minuteEndMs` belongs to: counted from the start of
 * each session (60m: 10:30, 11:30, 14:00, 15:00), outside of both by the clock.
 */
export function periodEndMs(minuteEndMs: number, period: keyof typeof PERIOD_MINUTES): number {
  const lengthMs = PERIOD_MINUTES[period] * MINUTE_MS
  const sinceMidnight = exchangeTimeOfDayMs(minuteEndMs - 1) + 1 // midnight belongs to the day before
  const midnightMs = minuteEndMs - sinceMidnight
  const session = SESSIONS.find(
    ({ fromMs, toMs }) => sinceMidnight > fromMs && sinceMidnight <= toMs,
  )
  const fromMs = session?.fromMs ?? 0
  return midnightMs + fromMs + Math.ceil((sinceMidnight - fromMs) / lengthMs) * lengthMs
}

/** Minutes of one trading day, by their ends: 09:31 … 11:30, 13:01 … 15:00. */
export const sessionMinutes = (midnightMs: number): number[] =>
  SESSIONS.flatMap(({ fromMs, toMs }) =>
    Array.from(
      { length: (toMs - fromMs) / MINUTE_MS },
      (_, index) => midnightMs + fromMs + (index + 1) * MINUTE_MS,
    ),
  )
