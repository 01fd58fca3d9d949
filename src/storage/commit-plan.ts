import { ServiceError } from '../domain/errors.ts'
import { err, ok, type Result } from '../domain/result.ts'
import {
  type Commit,
  type JournalEntry,
  type Key,
  type RangeQuery,
  type RowChange,
  STORE_RANGE_MAX,
  type StoredEntry,
  TABLE,
  type TableName,
} from '../protocol/store.ts'
import { chainEntry, type JournalHead } from './journal-chain.ts'

const TABLES: ReadonlySet<string> = new Set(Object.values(TABLE))
/** Every table but the journal, which only grows, and by the entries of a commit alone. */
const isPlainTable = (table: string) => TABLES.has(table) && table !== TABLE.journal

/** What a commit comes to: its entries chained to the journal, and where the journal ends then. */
export interface CommitPlan {
  readonly entries: readonly StoredEntry[]
  readonly head: JournalHead
}

/** Checks a whole commit before anything of it is written. The error says which bug made it wrong. */
export function planCommit(
  commit: Commit,
  journal: JournalHead,
  epoch: number,
): Result<CommitPlan, string> {
  const entries: StoredEntry[] = []
  let head = journal
  for (const entry of commit.entries) {
    if (entry.seq !== head.seq + 1) {
      return err(`journal entry ${entry.seq} follows ${head.seq}`)
    }
    if (!isSound(entry)) return err(`journal entry ${entry.seq} is malformed`)
    const stored = chainEntry(head, entry, epoch)
    entries.push(stored)
    head = { seq: stored.seq, hash: stored.hash }
  }
  for (const change of commit.changes) {
    const problem = problemOf(change)
    if (problem !== undefined) return err(problem)
  }
  return ok({ entries, head })
}

const isSound = ({ timeMs, kind, body }: JournalEntry) =>
  Number.isFinite(timeMs) && typeof kind === 'string' && body instanceof Uint8Array

function problemOf({ table, key, value }: RowChange): string | undefined {
  if (!isPlainTable(table)) return `table "${table}" cannot be changed`
  if (!isKey(key)) return `table "${table}" cannot have the key ${JSON.stringify(key)}`
  if (value !== null && !(value instanceof Uint8Array)) return `a row of "${table}" is not bytes`
  return undefined
}

/** Throws INTERNAL when a table cannot be loaded whole: an unknown one, or the journal. */
export function checkOpen(tables: readonly TableName[]): void {
  for (const table of tables) {
    if (!isPlainTable(table)) {
      throw new ServiceError('INTERNAL', `table "${table}" cannot be loaded whole`)
    }
  }
}

/** Throws INTERNAL on a query that only a bug can send. Returns how many rows may come back. */
export function checkRange({ table, from, to, limit }: RangeQuery): number {
  const isSound =
    TABLES.has(table) &&
    (from === undefined || isKey(from)) &&
    (to === undefined || isKey(to)) &&
    Number.isSafeInteger(limit) &&
    limit >= 0
  if (!isSound) throw new ServiceError('INTERNAL', `a range query of "${table}" is malformed`)
  return Math.min(limit, STORE_RANGE_MAX)
}

/** Longest text key, in bytes of UTF-8; LMDB itself ends at 1,978 with its own additions. */
const KEY_BYTES_MAX = 512

const CONTROL_CHARACTER = /\p{Cc}/u

/** Whether a key can be stored: a finite number (not -0), or text of 1 to 512 bytes without control characters. */
export function isKey(key: unknown): key is Key {
  if (typeof key === 'number') return Number.isFinite(key) && !Object.is(key, -0)
  if (typeof key !== 'string' || key === '' || CONTROL_CHARACTER.test(key)) return false
  return key.isWellFormed() && Buffer.byteLength(key) <= KEY_BYTES_MAX
}

/** Numbers before texts, numbers by value, texts by their UTF-8 bytes: the order of every table. */
export function compareKeys(a: Key, b: Key): number {
  if (typeof a === 'number') return typeof b === 'number' ? a - b : -1
  if (typeof b === 'number') return 1
  return Buffer.compare(Buffer.from(a), Buffer.from(b))
}
