import { DAY_MS, exchangeDay, exchangeDayStartMs } from '../../domain/exchange-time.ts'
import type { AccountState } from './state.ts'

/** Days of which an account knows that it lived through them. */
const DAYS_KEPT = 8

/** The exchange days that an account has lived through, the oldest first, with one more. */
export const withDay = (days: readonly string[], day: string): readonly string[] =>
  [...days, day].slice(-DAYS_KEPT)

/**
 * The exchange day that orders are counted and listed for: the one that is open, but never one that the
 * market clock has not reached. What was made since it began is of today, whatever day it bears.
 */
export function dayInForce({ day }: Pick<AccountState, 'day'>, nowMs: number): string {
  const today = exchangeDay(nowMs)
  return today < day ? today : day
}

/**
 * From when on ended orders are kept as a day opens, and with them the keys under which they came:
 * `keepDays` whole days before it, never less than 24 hours before now, and never less than so many
 * days through which the account has lived. A day that came too early is one of those only, so it
 * makes nobody forget what happened on the day before it.
 *
 * Units   epoch ms of the market clock.
 */
export function keepFromMs(
  { day: before, days }: Pick<AccountState, 'day' | 'days'>,
  opening: { readonly day: string; readonly nowMs: number; readonly keepDays: number },
): number {
  const { day, nowMs, keepDays } = opening
  const lived = days.length > 0 ? days : [before]
  const count = Math.min(keepDays, lived.length)
  const livedMs = exchangeDayStartMs(lived.at(-count) ?? '') - (keepDays - count) * DAY_MS
  const calendarMs = Math.min(exchangeDayStartMs(day) - keepDays * DAY_MS, nowMs - DAY_MS)
  return Number.isNaN(livedMs) ? calendarMs : Math.min(calendarMs, livedMs)
}
