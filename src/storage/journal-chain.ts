import { createHash } from 'node:crypto'
import { err, ok, type Result } from '../domain/result.ts'
import type { JournalEntry, StoredEntry } from '../protocol/store.ts'

/** Where a journal ends: the number and the hash of its last entry. */
export interface JournalHead {
  /** 0 before the first entry. */
  readonly seq: number
  readonly hash: Uint8Array
}

/** Before the first entry: 32 zero bytes. */
export const EMPTY_JOURNAL: JournalHead = { seq: 0, hash: new Uint8Array(32) }

const FIXED_BYTES = 8 + 8 + 8 + 4

/**
 * SHA-256 over the hash before, number, epoch, time, kind and body of an entry.
 *
 * Shape   previous (32 bytes), seq, epoch and timeMs (float64, big endian), length of kind (uint32),
 *         kind (UTF-8), body. The length keeps kind and body apart.
 */
export function chainHash(entry: Omit<StoredEntry, 'hash'>): Uint8Array {
  const { previous, seq, epoch, timeMs, body } = entry
  const kind = Buffer.from(entry.kind)
  const fixed = new DataView(new ArrayBuffer(FIXED_BYTES))
  fixed.setFloat64(0, seq)
  fixed.setFloat64(8, epoch)
  fixed.setFloat64(16, timeMs)
  fixed.setUint32(24, kind.length)
  const hash = createHash('sha256').update(previous).update(new Uint8Array(fixed.buffer))
  return new Uint8Array(hash.update(kind).update(body).digest())
}

/** The entry as it is stored after `head`. */
export function chainEntry(head: JournalHead, entry: JournalEntry, epoch: number): StoredEntry {
  const { seq, timeMs, kind, body } = entry
  const unsigned = { seq, timeMs, kind, body, epoch, previous: head.hash }
  return { ...unsigned, hash: chainHash(unsigned) }
}

export interface BrokenChain {
  /** Number of the first entry that does not fit. */
  readonly seq: number
  readonly problem: 'GAP' | 'EPOCH_FELL' | 'WRONG_PREVIOUS' | 'WRONG_HASH'
}

/**
 * Checks consecutive entries, all of them or those after a known `head` of an `epoch`. Returns the
 * new head, or the first entry that was changed, removed, inserted or moved.
 */
export function verifyChain(
  entries: Iterable<StoredEntry>,
  head: JournalHead = EMPTY_JOURNAL,
  headEpoch = 0,
): Result<JournalHead, BrokenChain> {
  let last = head
  let epoch = headEpoch
  for (const entry of entries) {
    const problem = findProblem(entry, last, epoch)
    if (problem !== undefined) return err({ seq: entry.seq, problem })
    last = { seq: entry.seq, hash: entry.hash }
    epoch = entry.epoch
  }
  return ok(last)
}

function findProblem(
  entry: StoredEntry,
  last: JournalHead,
  epoch: number,
): BrokenChain['problem'] | undefined {
  if (entry.seq !== last.seq + 1) return 'GAP'
  if (entry.epoch < epoch) return 'EPOCH_FELL'
  if (!isSame(entry.previous, last.hash)) return 'WRONG_PREVIOUS'
  return isSame(entry.hash, chainHash(entry)) ? undefined : 'WRONG_HASH'
}

const isSame = (a: Uint8Array, b: Uint8Array) => Buffer.compare(a, b) === 0
