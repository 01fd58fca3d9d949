import { createHash } from 'node:crypto'
import { getEnvironmentData, setEnvironmentData } from 'node:worker_threads'
import { closeAlso, closedWeekdays } from '../domain/session.ts'

const KEY = 'steward/closed_days'

/** For this thread, and for every one that it starts from now on. */
export function giveClosedDays(days: readonly string[]): void {
  setEnvironmentData(KEY, [...days])
  closeAlso(days)
}

/** To be called first in a thread that asks on which days the exchange trades. */
export function takeClosedDays(): void {
  closeAlso((getEnvironmentData(KEY) as readonly string[] | undefined) ?? [])
}

const DIGEST_DIGITS = 8
/** Years that are told one by one; what a person has given beyond them counts to the last. */
const YEARS_MAX = 12

/**
 * Each year from this one on in which the exchange is closed on weekdays, with a digest of them: `2026:1f3a5b7c 2027:…`.
 * The same wherever they are the same, whether the table of a release or a person has told them: computers that take
 * accounts over from one another compare it (`src/cluster/protocol/calendar.ts`).
 */
export function calendarDigest(given: readonly string[], fromYear: number): string {
  const years = new Map<number, string[]>()
  for (const day of closedWeekdays(given)) {
    const year = Number(day.slice(0, 4))
    if (year < fromYear) continue
    const told = Math.min(year, fromYear + YEARS_MAX - 1)
    years.set(told, [...(years.get(told) ?? []), day])
  }
  return Array.from(years, ([year, days]) => `${year}:${digestOf(days.join(' '))}`).join(' ')
}

const digestOf = (text: string): string =>
  createHash('sha256').update(text).digest('hex').slice(0, DIGEST_DIGITS)
