import { type Intent, type JournalRecord, RECORD_COMMITS_MAX, type RecordBody } from './records.ts'

/** One thing that the account has decided. */
export interface Commit {
  /** Number of the caller's choice: told back when it stands, or never will through us. */
  readonly ticket: number
  /** Of all that the account has decided: each comes right after the one before. */
  readonly number: number
  readonly bytes: Uint8Array
  /** Intents that may be carried out once this is acknowledged. */
  readonly opens: readonly Intent[]
  /** Ids of intents whose outcome this is. */
  readonly closes: readonly string[]
}

/** `release`: anybody may take the account over; `left`: nobody may, it is in the cluster no more. */
export type Closing = Extract<RecordBody['t'], 'release' | 'left'>

/** What a writer has not sent yet. */
interface Unsent {
  readonly queue: readonly Commit[]
  /** Parts of the first in the queue that stand, or are on their way. */
  readonly partsSent: number
  /** What follows all of it. */
  readonly closing: Closing | undefined
}

/** What goes into the next record. */
interface Next {
  readonly body: RecordBody
  /** Commits that stand whole with it: the first ones of the queue. */
  readonly whole: readonly Commit[]
  readonly partsSent: number
}

/**
 * As many commits as one record has room for, or a part of one that none has room for; the closing when there is none.
 * Until its last part stands nothing of a commit has happened: its orders are not open, and nobody is told.
 */
export function nextOf({ queue, partsSent: index, closing }: Unsent, recordBytesMax: number): Next {
  const [first] = queue
  if (first === undefined) return { body: { t: closing ?? 'release' }, whole: [], partsSent: 0 }
  if (first.bytes.length <= recordBytesMax) {
    const whole = queue.slice(0, fitting(queue, recordBytesMax))
    const commits = whole.map(({ bytes }) => bytes)
    return { body: { t: 'commits', commits }, whole, partsSent: 0 }
  }
  const count = Math.ceil(first.bytes.length / recordBytesMax)
  const bytes = first.bytes.subarray(index * recordBytesMax, (index + 1) * recordBytesMax)
  const isLast = index === count - 1
  const body = { t: 'part', index, count, bytes } as const
  return { body, whole: isLast ? [first] : [], partsSent: isLast ? 0 : index + 1 }
}

function fitting(queue: readonly Commit[], recordBytesMax: number): number {
  let bytes = 0
  let count = 0
  for (const commit of queue.slice(0, RECORD_COMMITS_MAX)) {
    bytes += commit.bytes.length
    if (bytes > recordBytesMax) break
    count += 1
  }
  return count
}

/** A commit of which some parts were read, and not all. */
export interface Gathering {
  /** Of its writer. */
  readonly e: number
  readonly count: number
  readonly parts: readonly Uint8Array[]
}

interface Gathered {
  /** What stands whole with this record, in its order. */
  readonly commits: readonly Uint8Array[]
  /** Goes in with the next record. */
  readonly gathering: Gathering | undefined
}

const nothing = (gathering?: Gathering): Gathered => ({ commits: [], gathering })

/**
 * What the records of a journal have decided, read in their order, one after the other.
 *
 * Parts that somebody else's take-over follows were never acknowledged as a whole, and nothing of them has happened; of
 * parts that begin before the first record that is left a snapshot has the commit.
 */
export function gather(before: Gathering | undefined, { e, body }: JournalRecord): Gathered {
  if (body.t === 'commits') return { commits: body.commits, gathering: undefined }
  if (body.t !== 'part') return nothing()
  const { index, count, bytes } = body
  const begun: Gathering | undefined = index === 0 ? { e, count, parts: [] } : before
  const isNext = begun?.e === e && begun.count === count && begun.parts.length === index
  if (begun === undefined || !isNext) return nothing()
  const parts = [...begun.parts, bytes]
  if (parts.length < count) return nothing({ e, count, parts })
  return { commits: [Buffer.concat(parts)], gathering: undefined }
}
