import { apply } from '../../account/fold/apply.ts'
import type { AccountEvent } from '../../account/model/events.ts'
import type { AccountPolicy } from '../../account/model/policy.ts'
import { type AccountState, emptyState } from '../../account/model/state.ts'
import { ServiceError } from '../../domain/errors.ts'
import { exchangeDay } from '../../domain/exchange-time.ts'
import { decode } from '../../protocol/codec.ts'
import type { JournalMark, StoredEntry } from '../../protocol/store.ts'
import { type AccountReader, openAccountReader } from '../../storage/account-reader.ts'
import { type JournalGap, nextGap } from '../../storage/archive/gaps.ts'
import {
  type BrokenChain,
  EMPTY_JOURNAL,
  type JournalHead,
  verifyChain,
} from '../../storage/journal-chain.ts'
import type { FoundInLogs } from '../../storage/take-over.ts'
import type { AccountHeads } from './audit-heads.ts'
import { findTail, type Tail, tailBehind } from './audit-tail.ts'
import { ExpectedRows } from './expected-rows.ts'

/** Entries read, checked and folded at once. */
const PAGE = 1_000

const PROBLEM: Readonly<Record<BrokenChain['problem'], string>> = {
  GAP: 'the entry before it is missing',
  EPOCH_FELL: 'its epoch is lower than that of the entry before it',
  WRONG_PREVIOUS: 'it does not follow the entry before it',
  WRONG_HASH: 'it was changed after it was written',
}

/** Where a journal begins whose first entries are not there. */
interface Begin {
  /** The last entry that is not there. */
  readonly seq: number
  /** Exchange day of the first one that is. */
  readonly day: string
  /** It ought to be there, but this is a backup that was made without segments. */
  readonly isLacking: boolean
}

export interface SoundVerdict {
  readonly ok: true
  readonly entries: number
  readonly heads?: AccountHeads | undefined
  /** undefined: it begins with the first entry, and every row follows from it. */
  readonly begin?: Begin | undefined
  readonly gaps: readonly JournalGap[]
  /** Beyond the database. */
  readonly tail?: Tail
}

export type Verdict =
  | SoundVerdict
  /** `seq`: the first entry that is wrong; undefined when the journal is whole and a row is not. */
  | { readonly ok: false; readonly entries: number; readonly seq?: number; readonly why: string }

interface Verifying {
  readonly policy: AccountPolicy
  readonly heads: AccountHeads | undefined
  readonly isBackup: boolean
}

/**
 * Checks one account's journal from its first entry, number by number and hash by hash, through segments and
 * database as one chain, then folds it and compares every row of every table; then what only logs hold. Reads
 * beside a running service without holding it up: no snapshot is kept longer than a page takes.
 */
export async function verifyAccount(dataDir: string, verifying: Verifying): Promise<Verdict> {
  let reader: AccountReader | undefined
  try {
    reader = openAccountReader(dataDir, verifying.policy.accountId)
    reader.checkSchema()
    const found = await findTail(dataDir, verifying.policy.accountId, reader)
    return new Verification(reader, verifying).verdict(found)
  } catch (error) {
    if (error instanceof ServiceError) return { ok: false, entries: 0, why: error.message }
    throw error
  } finally {
    await reader?.close()
  }
}

/** The first entry that is wrong. */
interface Wrong {
  readonly seq: number
  readonly why: string
}

/** Looks at segments that a running service moves or deletes meanwhile. */
const LOOKS_MAX = 5

class Verification {
  readonly #reader: AccountReader
  readonly #state: AccountState
  readonly #rows = new ExpectedRows()
  readonly #heads: AccountHeads | undefined
  readonly #isBackup: boolean
  #head: JournalHead = EMPTY_JOURNAL
  #epoch = 0
  #pageSize = PAGE
  #begin: Begin | undefined
  /** That were passed. */
  readonly #gaps: JournalGap[] = []
  #unfinished: ReturnType<AccountReader['unfinishedSegment']>

  constructor(reader: AccountReader, { policy, heads, isBackup }: Verifying) {
    this.#reader = reader
    this.#heads = heads
    this.#isBackup = isBackup
    this.#state = emptyState(policy)
  }

  /** Must not be interrupted: the last page, the end and the rows are read from one state. */
  verdict(inLogs: FoundInLogs): Verdict {
    const astray = this.#beginProblem()
    if (astray !== undefined) return { ok: false, entries: 0, why: astray }
    for (;;) {
      const found = this.#lookOn()
      if (found === 'end') break
      if (found !== undefined) return this.#broken(found.seq, found.why)
    }
    const entries = this.#head.seq
    const end = this.#endProblem()
    if (end !== undefined) return this.#broken(end.seq, end.why)
    const why = this.#rowProblem() ?? this.#heads?.problem(entries)
    if (why !== undefined) return { ok: false, entries, why }
    const tail = tailBehind(inLogs, this.#head, this.#epoch)
    return { ok: true, entries, heads: this.#heads, begin: this.#begin, gaps: this.#gaps, tail }
  }

  /** Checks one page, as it is by now. `end`: there is no more; else what is wrong, or undefined. */
  #lookOn(): Wrong | 'end' | undefined {
    this.#reader.refresh()
    const astray = this.#passGap()
    if (astray !== undefined) return astray
    const left = this.#left
    const page = this.#nextPage(left)
    if (typeof page === 'string') return { seq: this.#head.seq + 1, why: page }
    const wrong = this.#check(page)
    if (wrong !== undefined) return wrong
    return page.length < Math.min(this.#pageSize, left) ? 'end' : undefined
  }

  /** Without the first entries, or some later ones, nothing says what the rows were. */
  get #isPart(): boolean {
    return this.#begin !== undefined || this.#gaps.length > 0
  }

  #rowProblem(): string | undefined {
    if (this.#isPart) return undefined
    return this.#rows.difference(this.#state, (table) => this.#reader.rows(table))
  }

  /** Finds where the journal begins, and what is wrong with the segments as files. */
  #beginProblem(): string | undefined {
    const problem = this.#archiveProblem()
    const isLacking = this.#isBackup && problem?.isMissing === true
    if (problem !== undefined && !isLacking) return problem.text
    const { base, kept } = this.#reader.parts()
    if (kept.seq > base.seq) {
      return `it is said to be deleted up to entry ${kept.seq}, and left the database up to entry ${base.seq}`
    }
    if (!isLacking) this.#unfinished = this.#reader.unfinishedSegment()
    const begin = isLacking ? base : kept
    return begin.seq > 0 ? this.#beginAt(begin, isLacking) : undefined
  }

  #archiveProblem(): ReturnType<AccountReader['archiveProblem']> {
    for (let look = 1; ; look++) {
      this.#reader.refresh()
      const { base, kept } = this.#reader.parts()
      const problem = this.#reader.archiveProblem()
      this.#reader.refresh()
      const now = this.#reader.parts()
      const isStill = now.base.seq === base.seq && now.kept.seq === kept.seq
      if (problem === undefined || isStill || look === LOOKS_MAX) return problem
    }
  }

  #beginAt({ seq, hash, epoch }: JournalMark, isLacking: boolean): string | undefined {
    const [first] = this.#reader.journal(seq + 1, 1)
    const day = first === undefined ? '-' : exchangeDay(first.timeMs)
    this.#begin = { seq, day, isLacking }
    this.#head = { seq, hash }
    this.#epoch = epoch
    const why = this.#heads?.contradiction({ seq, hash })
    return why && `entry ${seq}, before the first that is kept: ${why}`
  }

  /** Goes on behind entries that were never here, where the last one is that before them. */
  #passGap(): Wrong | undefined {
    const gap = this.#reader.parts().gaps.find(({ after }) => after.seq === this.#head.seq)
    if (gap === undefined) return undefined
    const { after, upTo } = gap
    if (Buffer.compare(after.hash, this.#head.hash) !== 0) {
      return { seq: after.seq, why: 'it is not the entry that the journal ended with here' }
    }
    this.#gaps.push(gap)
    this.#head = { seq: upTo.seq, hash: upTo.hash }
    this.#epoch = Math.max(this.#epoch, upTo.epoch)
    const why = this.#heads?.contradiction(upTo)
    return why === undefined ? undefined : { seq: upTo.seq, why }
  }

  /** The store keeps number and hash of the last entry apart: what is cut off or put on shows. */
  #endProblem(): Wrong | undefined {
    const { seq, hash } = this.#reader.head()
    const last = this.#head
    const told = this.#heads?.last
    if (seq > last.seq) {
      return { seq: last.seq + 1, why: `it is missing; the journal ended at ${seq}` }
    }
    if (seq < last.seq) return { seq: seq + 1, why: `it was added; the journal ended at ${seq}` }
    if (Buffer.compare(hash, last.hash) !== 0) {
      return { seq, why: 'it is not the entry that the journal ended with' }
    }
    const beyond = this.#unfinished
    if (beyond !== undefined && beyond.end.seq > last.seq) {
      const why = `segment ${beyond.name} goes up to entry ${beyond.end.seq}, the journal ends at ${last.seq}`
      return { seq: last.seq + 1, why }
    }
    if (told === undefined || told.seq <= last.seq) return undefined
    const why = `it is missing; the head of entry ${told.seq} was published at ${told.at}`
    return { seq: last.seq + 1, why }
  }

  #broken(seq: number, why: string): Verdict {
    return { ok: false, entries: this.#head.seq, seq, why }
  }

  /** Entries in front of those that were never here. */
  get #left(): number {
    const gap = nextGap(this.#head.seq, this.#reader.parts().gaps)
    return (gap?.after.seq ?? Number.POSITIVE_INFINITY) - this.#head.seq
  }

  /** A page with a damaged entry is read one by one, so that the first wrong entry is named. */
  #nextPage(left: number): readonly StoredEntry[] | string {
    try {
      return this.#reader.journal(this.#head.seq + 1, Math.min(this.#pageSize, left))
    } catch (error) {
      if (this.#pageSize === 1) return error instanceof Error ? error.message : String(error)
      this.#pageSize = 1
      return this.#nextPage(left)
    }
  }

  #check(page: readonly StoredEntry[]): Wrong | undefined {
    const chain = verifyChain(page, this.#head, this.#epoch)
    const sound = chain.ok
      ? page
      : page.slice(
          0,
          page.findIndex((e) => e.seq === chain.error.seq),
        )
    for (const entry of sound) {
      const why =
        this.#heads?.contradiction(entry) ?? this.#segmentProblem(entry) ?? this.#fold(entry)
      if (why !== undefined) return { seq: entry.seq, why }
      this.#head = { seq: entry.seq, hash: entry.hash }
      this.#epoch = entry.epoch
    }
    return chain.ok ? undefined : { seq: chain.error.seq, why: PROBLEM[chain.error.problem] }
  }

  /** A segment that was written while the database still has its entries must say the same. */
  #segmentProblem({ seq, hash }: StoredEntry): string | undefined {
    const segment = this.#unfinished
    if (segment?.end.seq !== seq || Buffer.compare(segment.end.hash, hash) === 0) return undefined
    return `segment ${segment.name} has another one`
  }

  /** Why it cannot be folded, or undefined. */
  #fold({ seq, timeMs, kind, body }: StoredEntry): string | undefined {
    if (this.#isPart) return undefined // nothing is known of what was before
    try {
      const event = { ...decode<object>(body), kind } as AccountEvent
      this.#rows.touch(apply(this.#state, { seq, timeMs, event }))
      return undefined
    } catch (error) {
      return `${kind} cannot be folded: ${error instanceof Error ? error.message : error}`
    }
  }
}
