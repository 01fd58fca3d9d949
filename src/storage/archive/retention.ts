import { DAY_MS, exchangeDay, exchangeDayStartMs } from '../../domain/exchange-time.ts'
import { isTradingDay } from '../../domain/session.ts'

export interface RetentionRules {
  /** Trading days whose entries stay in the database. */
  readonly keepDays: number
  /** Entries that stay in it at most, however young. */
  readonly keepEntries: number
}

/** Where a journal stands. */
export interface JournalEnd {
  readonly seq: number
  /** Of its last entry, by the clock of the market. */
  readonly timeMs: number
}

/** Days without trading that one search may pass: more than a calendar has in a row. */
const CLOSED_DAYS_FACTOR = 10

/** The start of the trading day that is `days` trading days before the day of this moment, epoch milliseconds. */
export function tradingDaysBeforeMs(epochMs: number, days: number): number {
  let startMs = exchangeDayStartMs(exchangeDay(epochMs))
  let left = days
  for (let look = 0; left > 0 && look < (days + 3) * CLOSED_DAYS_FACTOR; look++) {
    startMs -= DAY_MS
    if (isTradingDay(exchangeDay(startMs))) left -= 1
  }
  return startMs
}

/**
 * What the age of entries is counted from. A clock that runs ahead, the computer's or the market's, makes nothing
 * old: what counts is the earlier of the two. A replay of another year is as old as its own last entry says.
 */
export const ageFromMs = (nowMs: number, end: JournalEnd): number => Math.min(nowMs, end.timeMs)

/** By how many days the end of a journal may be later than what was moved last, and count. */
const UNSEEN_DAYS = 60

/**
 * Segments of which every entry is older are deleted, and nothing brings them back: a clock that was ahead for one
 * night, with an entry written by it, must not do so. After a longer rest they go when newer ones have been moved.
 */
export function expiresBeforeMs(
  ageMs: number,
  { newestMovedMs, keepDays }: { readonly newestMovedMs: number; readonly keepDays: number },
): number {
  return Math.min(ageMs, newestMovedMs + UNSEEN_DAYS * DAY_MS) - keepDays * DAY_MS
}

/** Which entries leave the database; the last one never does. */
export function isArchivable(
  end: JournalEnd,
  { keepDays, keepEntries }: RetentionRules,
  nowMs: number,
): (entry: { readonly seq: number; readonly timeMs: number }) => boolean {
  const beforeMs = tradingDaysBeforeMs(ageFromMs(nowMs, end), keepDays)
  return ({ seq, timeMs }) => seq < end.seq && (timeMs < beforeMs || seq <= end.seq - keepEntries)
}
