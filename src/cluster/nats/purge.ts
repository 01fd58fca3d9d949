import { jetstreamManager } from '@nats-io/jetstream'
import { journalStream, SHARDS, SNAPSHOT_BUCKET, shardSubjects } from '../protocol/subjects.ts'
import { JournalLog } from './journal-log.ts'
import { bucketStream, Kv, keyPrefix } from './kv.ts'
import type { Line } from './line.ts'
import { noteIn, readSnapshot } from './snapshots.ts'
import { purgeBefore, readStored } from './stream-wire.ts'

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

/** Bytes that the stream of some journals takes, or that of the snapshots. */
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

const SNAPSHOTS = bucketStream(SNAPSHOT_BUCKET)
/** In front of the subjects of snapshots: `$KV.SNAP.<acct>` is a note, `$KV.SNAP.<acct>.<name>.<part>` a part. */
const SNAPSHOT_SUBJECT = keyPrefix(SNAPSHOT_BUCKET)

/** Whoever keeps a snapshot is done with it long before, or slept, and looks for its first part before it writes the note. */
const KEEPING_MS_MAX = 3_600_000

/**
 * Removes parts of snapshots that no note names, and the marks of those that were removed, when the first of them is older
 * than the moment: who was stopped while it kept one has left them, and nobody finds them any more. Answers of how many
 * snapshots they were. Those of an account whose note cannot be read stay, and so does what somebody may be keeping now.
 *
 * Errors  EngineError; those of the client.
 */
export async function purgeSnapshots(
  line: Line,
  {
    keepFromMs,
    timeoutMs,
    keepingMsMax = KEEPING_MS_MAX,
  }: Pick<PurgeOptions, 'keepFromMs' | 'timeoutMs'> & { readonly keepingMsMax?: number },
): Promise<number> {
  const notes = new Kv(line, SNAPSHOT_BUCKET)
  const { names, nowMs, lastSeq } = await snapshotNames(line, timeoutMs)
  const untilMs = Math.min(keepFromMs, nowMs - keepingMsMax)
  let removed = 0
  for (const [acct, found] of names) {
    // A note that is written from now on names parts that are younger than those that are removed.
    const kept = await keptNames(notes, { acct, found, timeoutMs })
    for (const name of found) {
      if (kept.has(name)) continue
      const parts = `${SNAPSHOT_SUBJECT}${acct}.${name}.*`
      const isOld = await isBegunBefore(line, { parts, untilMs, timeoutMs })
      if (!isOld) continue
      await purgeBefore(line, { stream: SNAPSHOTS, subject: parts, seq: lastSeq + 1 }, timeoutMs)
      removed += 1
    }
  }
  return removed
}

/** One whose time cannot be read is not. */
async function isBegunBefore(
  line: Line,
  { parts, untilMs, timeoutMs }: { parts: string; untilMs: number; timeoutMs: number },
): Promise<boolean> {
  const query = { seq: 1, next_by_subj: parts }
  const first = await readStored(line, SNAPSHOTS, query, timeoutMs)
  return first !== undefined && first.timeMs < untilMs
}

/** Names of all snapshots of which a part, or the mark of a removed one, is there, by account; and the servers' clock. */
async function snapshotNames(line: Line, timeoutMs: number) {
  const manager = await jetstreamManager(line.connection, { checkAPI: false, timeout: timeoutMs })
  const subjects_filter = `${SNAPSHOT_SUBJECT}>`
  const { state, ts } = await manager.streams.info(SNAPSHOTS, { subjects_filter })
  const names = new Map<string, Set<string>>()
  for (const subject of Object.keys(state.subjects ?? {})) {
    const [acct, name, part] = subject.slice(SNAPSHOT_SUBJECT.length).split('.')
    if (acct === undefined || name === undefined || part === undefined) continue
    names.set(acct, (names.get(acct) ?? new Set()).add(name))
  }
  return { names, nowMs: Date.parse(ts ?? ''), lastSeq: state.last_seq }
}

/** Those of which a note stands; of one that cannot be read it may be any. */
async function keptNames(
  notes: Kv,
  asked: { acct: string; found: ReadonlySet<string>; timeoutMs: number },
): Promise<ReadonlySet<string>> {
  const note = await notes.read(asked.acct, asked.timeoutMs)
  if (note === undefined) return new Set()
  try {
    return new Set([noteIn(note.bytes).name])
  } catch {
    return asked.found
  }
}

/** What the journals take, and the snapshots. Errors  those of the client. */
export async function streamBytes(line: Line, timeoutMs: number): Promise<StreamBytes[]> {
  const manager = await jetstreamManager(line.connection, { checkAPI: false, timeout: timeoutMs })
  const found: StreamBytes[] = []
  const journals = Array.from({ length: SHARDS }, (_, shard) => journalStream(shard))
  for (const stream of [...journals, SNAPSHOTS]) {
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
