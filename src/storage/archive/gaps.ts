import type { JournalMark } from '../../protocol/store.ts'

/**
 * Entries that were never here: another computer of a cluster ran the account meanwhile, and has them. The journal goes
 * on here behind a snapshot.
 */
export interface JournalGap {
  /** The last entry before them. */
  readonly after: JournalMark
  /** The last of them. */
  readonly upTo: JournalMark
}

/** What the next entry follows that is here, where the one before it is this. */
export const passed = (mark: JournalMark, gaps: readonly JournalGap[]): JournalMark =>
  gaps.find(({ after }) => after.seq === mark.seq)?.upTo ?? mark

/** Behind which of the entries from here on the next gap is; undefined: behind none. */
export const nextGap = (seq: number, gaps: readonly JournalGap[]): JournalGap | undefined =>
  gaps.find(({ after }) => after.seq > seq)

const isSame = (a: Uint8Array, b: Uint8Array): boolean => Buffer.compare(a, b) === 0

/** Whether an entry that follows `before` may come right behind the one with this hash. */
export const isNext = (
  hash: Uint8Array,
  before: Uint8Array,
  gaps: readonly JournalGap[],
): boolean =>
  isSame(hash, before) ||
  gaps.some(({ after, upTo }) => isSame(after.hash, hash) && isSame(upTo.hash, before))
