import { setImmediate as nextTurn } from 'node:timers/promises'
import { ServiceError } from '../domain/errors.ts'
import { decode, encode } from '../protocol/codec.ts'
import {
  type JournalMark,
  type Key,
  type StoredEntry,
  TABLE,
  type TableName,
} from '../protocol/store.ts'
import type { JournalGap } from './archive/gaps.ts'
import { JOURNAL_BEGIN } from './archive/segment.ts'
import type { Environment } from './environment.ts'
import { OWN, type OwnRows } from './own-rows.ts'
import type { StoredHead } from './planned-commit.ts'

/** Of the bytes of one part, before what msgpack adds. */
const PART_BYTES = 256 * 1_024
/** Read in one turn of the thread. */
const PIECE_BYTES = 64 * 1_024
const TABLES = Object.values(TABLE).filter((table) => table !== TABLE.journal)

/** All that a cluster needs of an account, at this commit. */
export interface Snapshot {
  readonly commits: number
  readonly parts: readonly Uint8Array[]
}

type SnapshotRow = readonly [TableName, Key, Uint8Array]
interface Part {
  /** Of the rows. */
  readonly schema: number
  readonly head: StoredHead
  /** Number of this part, and how many there are. */
  readonly part: number
  readonly parts: number
  /** The last entry of the journal, which is not among the rows. */
  readonly base: JournalMark
  readonly rows: readonly SnapshotRow[]
}

/**
 * An account at its last commit, for a computer that has nothing of it: every table but the journal, which
 * goes on there after the last entry. What it tells of earlier times stays where it was written.
 *
 * A large account takes many turns, in which others are served; it is told as it stood in the first one.
 */
export async function snapshotOf(
  env: Environment,
  own: OwnRows,
  schema: number,
): Promise<Snapshot> {
  const { head, base, all } = await rowsOf(env, own)
  const parts: Uint8Array[] = []
  for (const [part, rows] of all.entries()) {
    parts.push(encode({ schema, head, part, parts: all.length, base, rows } satisfies Part))
    await nextTurn()
  }
  return { commits: head.commits, parts }
}

/** The rows by parts, with the head and the end of the journal of the same moment. */
async function rowsOf(env: Environment, own: OwnRows) {
  const pieces = env.still(TABLES, PIECE_BYTES)
  try {
    const first = pieces.next() // in this turn, as what is read next
    first.catch(() => undefined) // waited for below, unless the head is damaged too
    const head = own.head()
    const base = endOf(env, own)
    const all: SnapshotRow[][] = [[]]
    let bytes = 0
    for (let piece = await first; piece.done !== true; piece = await pieces.next()) {
      if (bytes > PART_BYTES) {
        all.push([])
        bytes = 0
      }
      all.at(-1)?.push(...piece.value)
      for (const [, , value] of piece.value) bytes += value.length
    }
    return { head, base, all }
  } finally {
    // A reader that stays would keep the database growing.
    await pieces.return(undefined)
  }
}

/** How many commits the account has had there. Errors  `STORE_FAILED`: some of it is missing, or of another release. */
export const commitsIn = (snapshot: readonly Uint8Array[], schema: number): number =>
  partsOf(snapshot, schema)[0]?.head.commits ?? 0

/**
 * Inside a transaction: the database becomes the account of the snapshot. Who owns it stays, and so does what its journal
 * tells of the times in which the account was run here: no other computer need have that.
 *
 * Errors  `STORE_FAILED`, before anything is written.
 */
export function installSnapshot(
  env: Environment,
  own: OwnRows,
  { snapshot, schema }: { readonly snapshot: readonly Uint8Array[]; readonly schema: number },
): void {
  const parts = partsOf(snapshot, schema)
  const [first] = parts
  if (first === undefined) return
  leaveGap(env, own, endIn(first))
  for (const table of TABLES) {
    for (const key of env.keys(table)) env.remove(table, key)
  }
  for (const { rows } of parts) {
    for (const [table, key, value] of rows) env.put(table, key, value)
  }
  own.put(OWN.head, first.head)
}

/** The journal goes on behind `upTo`. What it has is kept where it ends before that; else these are other books. */
function leaveGap(env: Environment, own: OwnRows, upTo: JournalMark): void {
  const after = endOf(env, own)
  const kept = own.mark(OWN.kept)
  if (after.seq === upTo.seq && Buffer.compare(after.hash, upTo.hash) === 0) return
  if (after.seq > kept.seq && after.seq < upTo.seq) {
    const known = own.gaps().filter((gap) => gap.upTo.seq > kept.seq)
    const last = known.at(-1)
    const isLonger = last?.upTo.seq === after.seq
    const gap: JournalGap = { after: isLonger ? last.after : after, upTo }
    return own.put(OWN.gaps, [...(isLonger ? known.slice(0, -1) : known), gap])
  }
  for (const key of env.keys(TABLE.journal)) env.remove(TABLE.journal, key)
  own.put(OWN.base, upTo)
  own.put(OWN.kept, upTo)
  own.put(OWN.gaps, [])
}

/** Earlier releases have left out where the journal ended, when its last entry had been left to another computer. */
const endIn = ({ head: { seq, hash }, base }: Part): JournalMark =>
  base.seq === seq ? base : { seq, hash, epoch: 0 }

/** The last entry of the journal, here or before a snapshot. */
function endOf(env: Environment, own: OwnRows): JournalMark {
  const { seq, hash } = own.head()
  const entry = env.get(TABLE.journal, seq)
  if (entry !== undefined) return { seq, hash, epoch: decode<StoredEntry>(entry).epoch }
  const marks = [...own.gaps().map(({ upTo }) => upTo), own.mark(OWN.base)]
  return marks.find((mark) => mark.seq === seq) ?? JOURNAL_BEGIN
}

function partsOf(snapshot: readonly Uint8Array[], schema: number): readonly Part[] {
  const parts = snapshot.map((bytes) => decode<Part>(bytes))
  const [first] = parts
  const isWhole = parts.every(
    ({ part, parts: of, head }, i) =>
      part === i && of === parts.length && head.commits === first?.head.commits,
  )
  if (!isWhole) throw new ServiceError('STORE_FAILED', 'a snapshot of the cluster is not whole')
  if (first !== undefined && first.schema !== schema) {
    const text = `a snapshot of the cluster is of version ${first.schema}, this release reads ${schema}`
    throw new ServiceError('STORE_FAILED', text)
  }
  return parts
}
