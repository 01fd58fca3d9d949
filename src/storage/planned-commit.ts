import { ok, type Result } from '../domain/result.ts'
import { decode, encode } from '../protocol/codec.ts'
import type { Commit, RowChange } from '../protocol/store.ts'
import { planCommit } from './commit-plan.ts'
import { EMPTY_JOURNAL, type JournalHead } from './journal-chain.ts'
import type { LogRecord } from './log/batch.ts'

/** Where an account stands: the end of its journal, and how many commits it has had. */
export interface StoredHead extends JournalHead {
  /**
   * Of all commits, also those without an entry: what a log holds is told apart by it. Databases that a
   * release without a log has written begin at 0.
   */
  readonly commits: number
}
export const EMPTY_HEAD: StoredHead = { ...EMPTY_JOURNAL, commits: 0 }

/** An entry of the journal as its row will be. */
interface EntryRow {
  readonly seq: number
  readonly row: Uint8Array
}

/** A commit that was found sound, as it goes to a log and later to the database: encoded once. */
export interface PlannedCommit {
  readonly epoch: number
  /** Hash that the journal ended with before it. */
  readonly previous: Uint8Array
  readonly entries: readonly EntryRow[]
  readonly changes: readonly RowChange[]
  /** Where the account stands after it. */
  readonly head: StoredHead
}

/** Checks and encodes a commit that comes after `head`. The error says which bug made it wrong. */
export function planStored(
  commit: Commit,
  head: StoredHead,
  epoch: number,
): Result<PlannedCommit, string> {
  const plan = planCommit(commit, head, epoch)
  if (!plan.ok) return plan
  return ok({
    epoch,
    previous: head.hash,
    entries: plan.value.entries.map((entry) => ({ seq: entry.seq, row: encode(entry) })),
    changes: commit.changes,
    head: { ...plan.value.head, commits: head.commits + 1 },
  })
}

type Body = Omit<PlannedCommit, 'epoch'>

/** What a log keeps of it. */
export const recordOf = (accountId: string, planned: PlannedCommit): LogRecord => {
  const { epoch, ...body } = planned
  return { key: accountId, epoch, body: encode(body satisfies Body) }
}

export const plannedIn = ({ epoch, body }: LogRecord): PlannedCommit => ({
  ...decode<Body>(body),
  epoch,
})

/** Whether the commit may come right after `head`: by its number, and by the hash of the journal. */
export const follows = ({ head, previous, entries }: PlannedCommit, before: StoredHead): boolean =>
  head.commits === before.commits + 1 &&
  head.seq - entries.length === before.seq &&
  Buffer.compare(previous, before.hash) === 0
