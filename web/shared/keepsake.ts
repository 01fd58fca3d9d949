import { forget, store, stored } from './kept.ts'

const PREFIX = 'steward.kept.'
/** What is kept is for a page that finds nobody; it need not be of this second. */
const EVERY_MS = 30_000
/** Browsers give an origin some 5 MB. */
const CHARS_MAX = 1_000_000

interface Kept<T> {
  readonly data: T
  /** When it was asked for, epoch ms. */
  readonly atMs: number
}

/** The last answer of a kind, kept in this browser: what a page shows, with its age, that opens while nobody answers. */
export interface Keepsake<T> {
  readonly last: () => Kept<T> | undefined
  readonly note: (data: T, atMs: number) => void
}

export function keepsakeOf<T>(name: string): Keepsake<T> {
  const key = PREFIX + name
  let notedMs = 0
  return {
    last: () => {
      const kept = stored<Partial<Kept<T>>>(key)
      return typeof kept?.atMs === 'number' && kept.data !== undefined
        ? (kept as Kept<T>)
        : undefined
    },
    note: (data, atMs) => {
      if (Math.abs(atMs - notedMs) < EVERY_MS) return
      // Asked before the token was cleared, and answered after: it is forgotten like what was kept before.
      if (keptAccount() === '') return
      notedMs = atMs
      const kept: Kept<T> = { data, atMs }
      if (JSON.stringify(kept).length <= CHARS_MAX) store(key, kept)
      else forget(key)
    },
  }
}

const ACCOUNT = `${PREFIX}account`

/** Whose answers are kept; empty = nobody's. */
export const keptAccount = (): string => stored<string>(ACCOUNT) ?? ''

/** What was kept of another account, whose address this was before, is not shown as this one's. */
export function keepFor(accountId: string): void {
  if (keptAccount() === accountId) return
  forgetKeepsakes()
  store(ACCOUNT, accountId)
}

/** Who is let in no more has no business with what was answered. */
export function forgetKeepsakes(): void {
  forget(PREFIX)
}
