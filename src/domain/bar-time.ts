import { exchangeTimeOfDayMs } from './exchange-time.ts'

const MINUTE_MS = 60_000
const DAY_MS = 86_400_000
const at = (hour: number, minute: number): number => (hour * 60 + minute) * MINUTE_MS

/** Time of day, milliseconds since midnight at the exchange. */
const CALL_AUCTION = at(9, 15)
const FIRST_MINUTE_END = at(9, 31)
const MORNING_END = at(11, 30)
const AFTERNOON_START = at(13, 0)
const DAY_END = at(15, 0)
/** The two sessions: periods are counted from the start of each. */
const SESSIONS = [
  { fromMs: at(9, 30), toMs: MORNING_END },
  { fromMs: AFTERNOON_START, toMs: DAY_END },
] as const

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
 * day. undefined before the auction, when a tick only repeats yesterday.
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
  if (timeOfDay < CALL_AUCTION) return undefined
  if (timeOfDay < FIRST_MINUTE_END) return minute(FIRST_MINUTE_END)
  if (timeOfDay < MORNING_END - MINUTE_MS) return minute(endOfClock)
  if (timeOfDay < AFTERNOON_START) return minute(MORNING_END, AFTERNOON_START)
  if (timeOfDay < DAY_END - MINUTE_MS) return minute(endOfClock)
  return minute(DAY_END, DAY_MS)
}

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
