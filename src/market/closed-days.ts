import { getEnvironmentData, setEnvironmentData } from 'node:worker_threads'
import { closeAlso } from '../domain/session.ts'

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
