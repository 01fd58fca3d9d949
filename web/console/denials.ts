import type { AuditEntry, AuditPage } from './wire.ts'

/** Refusals that the audit has told, and up to which of its entries they are known. */
export interface Denials {
  readonly entries: readonly AuditEntry[]
  readonly upTo: number
}

const PAGE = 100
/** Kept of a long day; the oldest go. */
const KEPT_MAX = 1_000

/** What is asked for: backward once, which is a long way through a database, and then only what is new. */
export const denialsPath = (known: Denials | undefined): string =>
  `/api/audit?kind=orderDenied&limit=${PAGE}${known === undefined ? '' : `&after=${known.upTo}`}`

/** What is known with the answer to that. Undefined: the journal ends before what was known, so it is another one. */
export function withDenials(
  known: Denials | undefined,
  { entries, total, pagination }: AuditPage,
): Denials | undefined {
  if (known === undefined) return { entries, upTo: total }
  if (total < known.upTo) return undefined
  const all = [...known.entries, ...entries].slice(-KEPT_MAX)
  return { entries: all, upTo: pagination.next_after ?? total }
}
