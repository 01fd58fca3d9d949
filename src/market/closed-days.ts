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

const DIGEST_DIGITS = 16

/**
 * The same wherever the exchange is closed on the same weekdays, whether the table of a release or a person has told
 * them: computers that take accounts over from one another compare it.
 */
export const calendarDigest = (given: readonly string[]): string =>
  createHash('sha256').update(closedWeekdays(given).join(' ')).digest('hex').slice(0, DIGEST_DIGITS)
