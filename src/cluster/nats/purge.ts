import { jetstreamManager } from '@nats-io/jetstream'
import { journalStream, SHARDS, SNAPSHOT_BUCKET, shardSubjects } from '../protocol/subjects.ts'
import { JournalLog } from './journal-log.ts'
import { Kv } from './kv.ts'
import type { Line } from './line.ts'
import { readSnapshot } from './snapshots.ts'

export interface PurgeOptions {
  /** Records from this moment on stay, by the clock of the servers. Epoch ms. */
  readonly keepFromMs: number
  /** Of each question. ms */
  readonly timeoutMs: number
  /** Throws when the account could not be made again from these parts. */
  readonly verify: (parts: readonly Uint8Array[]) => void
}

/** What became of the journal of an account. */
export interface Purged {
  readonly acct: string
  /** Records before. */
  readonly records: number
  /** Of them, those that are gone; undefined: nothing was touched, for this reason. */
  readonly removed: number | undefined
  readonly why?: 'noSnapshot' | 'unreadable'
  readonly words?: string
}

/** Bytes that the stream of some journals takes. */
export interface StreamBytes {
  readonly stream: string
  readonly bytes: number
}

/**
 * Removes from every journal what its newest snapshot makes dispensable and what is older than the moment, never
 * the last record. A journal without a snapshot, or with one that cannot be read, stays as it is. It needs a user who
 * may purge; it may be stopped at any moment and repeated.
 *
 * Errors  EngineError; those of the client.
 */
export async function* purgeJournals(line: Line, options: PurgeOptions): AsyncGenerator<Purged> {
  const manager = await jetstreamManager(line.connection, {
    checkAPI: false,
    timeout: options.timeoutMs,
  })
  for (let shard = 0; shard < SHARDS; shard++) {
    const subjects_filter = shardSubjects(shard)
    const { state } = await manager.streams.info(journalStream(shard), { subjects_filter })
    for (const [subject, records] of Object.entries(state.subjects ?? {}).sort()) {
      const acct = subject.split('.')[2] ?? ''
      yield { acct, records, ...(await purgeOne(line, acct, options)) }
    }
  }
}

/** What the journals take. Errors  those of the client. */
export async function journalBytes(line: Line, timeoutMs: number): Promise<StreamBytes[]> {
  const manager = await jetstreamManager(line.connection, { checkAPI: false, timeout: timeoutMs })
  const found: StreamBytes[] = []
  for (let shard = 0; shard < SHARDS; shard++) {
    const stream = journalStream(shard)
    found.push({ stream, bytes: (await manager.streams.info(stream)).state.bytes })
  }
  return found
}

async function purgeOne(
  line: Line,
  acct: string,
  { keepFromMs, timeoutMs, verify }: PurgeOptions,
): Promise<Pick<Purged, 'removed' | 'why' | 'words'>> {
  const snapshots = new Kv(line, SNAPSHOT_BUCKET)
  let from: number
  try {
    const snapshot = await readSnapshot(snapshots, acct, timeoutMs)
    if (snapshot === undefined) return { removed: undefined, why: 'noSnapshot' }
    verify(snapshot.parts)
    from = snapshot.from
  } catch (error) {
    const words = error instanceof Error ? error.message : String(error)
    return { removed: undefined, why: 'unreadable', words }
  }
  const log = new JournalLog(line, { callTimeoutMs: timeoutMs })
  const before = await firstFrom(log, { acct, beforeSeq: from, keepFromMs })
  return { removed: before <= 1 ? 0 : await log.purge(acct, before) }
}

/** The lowest sequence from which on every record was taken at this moment or later, at most `beforeSeq`. */
async function firstFrom(
  log: JournalLog,
  { acct, beforeSeq, keepFromMs }: { acct: string; beforeSeq: number; keepFromMs: number },
): Promise<number> {
  let [low, high] = [0, Math.max(0, beforeSeq)]
  while (high - low > 1) {
    const middle = Math.floor((low + high) / 2)
    const timeMs = await log.timeFrom(acct, middle)
    // One whose time cannot be read stays, and all behind it.
    if (timeMs !== undefined && timeMs < keepFromMs) low = middle
    else high = middle
  }
  return high
}
