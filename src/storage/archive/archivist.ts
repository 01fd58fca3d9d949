import { setImmediate as nextTurn } from 'node:timers/promises'
import { ServiceError } from '../../domain/errors.ts'
import type { JournalMark, StoredEntry } from '../../protocol/store.ts'
import { verifyChain } from '../journal-chain.ts'
import { nextGap, passed } from './gaps.ts'
import type { JournalParts } from './journal-archive.ts'
import {
  ageFromMs,
  expiresBeforeMs,
  isArchivable,
  type JournalEnd,
  type RetentionRules,
} from './retention.ts'
import { packSegment, rawBytesOf } from './segment.ts'
import type { SegmentFile, SegmentFiles } from './segment-files.ts'

export interface ArchiveLimits {
  /** Entries and bytes, before they are compressed, of one segment: it is written when either is reached. */
  readonly segmentEntries: number
  readonly segmentBytes: number
  /** Entries read in one turn. */
  readonly page: number
}

/** The journal of a database that others write. */
export interface JournalSource {
  /** What is read next is one state, as of now. */
  refresh(): void
  parts(): JournalParts
  head(): { readonly seq: number }
  /** Also of segments. */
  journal(from: number, limit: number): readonly StoredEntry[]
}

interface ArchivistDeps {
  readonly source: JournalSource
  readonly files: SegmentFiles
  readonly limits: ArchiveLimits
  /** Whether the account has been left meanwhile: its database must not be read any more. */
  readonly isOver: () => boolean
}

/**
 * Moves the old part of a journal into segments, one at a time. What it has written is on disk and has been read
 * back; the store then removes those entries from the database, and only those.
 *
 * Where a segment ends follows from its entries alone, so two processes that take over from each other write the same.
 */
export class Archivist {
  readonly #deps: ArchivistDeps

  constructor(deps: ArchivistDeps) {
    this.#deps = deps
  }

  /**
   * Writes the next segment, or finds the one that was written before a process ended. Resolves with its last
   * entry, up to which the database may forget; null when nothing is due.
   *
   * Errors  `STORE_FAILED`: a journal or a segment is damaged; `STOPPING`: the account was left; what the disk says.
   */
  async next(rules: RetentionRules, nowMs: number): Promise<JournalMark | null> {
    const { source, files } = this.#deps
    this.#look()
    const { base, gaps } = source.parts()
    const before = passed(base, gaps)
    files.removeUnfinished()
    const found = this.#written(before)
    if (found !== undefined) return found
    const end = this.#end()
    if (end === undefined) return null
    const until = nextGap(before.seq, gaps)?.after.seq
    const entries = await this.#collect({ before, until }, isArchivable(end, rules, nowMs))
    if (entries === undefined) return null
    const chain = verifyChain(entries, before, before.epoch)
    if (!chain.ok) throw damaged(`entry ${chain.error.seq} does not fit (${chain.error.problem})`)
    const bytes = await packSegment(files.accountId, before, entries)
    const last = chain.value
    const file = files.write({ first: before.seq + 1, last: last.seq }, bytes)
    return files.read(file).head.end
  }

  /**
   * The end of the oldest segments of which every entry is older than `keepDays` days; null when there is none. They
   * are deleted once the store has noted it.
   */
  expired(keepDays: number, nowMs: number): JournalMark | null {
    const { source, files } = this.#deps
    this.#look()
    const { base, kept } = source.parts()
    const end = this.#end()
    const moved = this.#moved(base)
    const newest = moved.at(-1)
    if (end === undefined || newest === undefined) return null
    const newestMovedMs = files.head(newest).newestMs
    const beforeMs = expiresBeforeMs(ageFromMs(nowMs, end), { newestMovedMs, keepDays })
    let mark: JournalMark | null = null
    for (const file of moved) {
      if (file.last <= kept.seq) continue
      const head = files.head(file)
      if (head.newestMs >= beforeMs) break
      mark = head.end
    }
    return mark
  }

  /** Deletes what the store has noted as no longer kept. How many. */
  drop(): number {
    const { source, files } = this.#deps
    this.#look()
    const { kept } = source.parts()
    const old = files.list().filter(({ last }) => last <= kept.seq)
    for (const file of old) files.remove(file)
    return old.length
  }

  #look(): void {
    if (this.#deps.isOver()) throw new ServiceError('STOPPING', 'the account has been left')
    this.#deps.source.refresh()
  }

  #moved({ seq }: JournalMark): readonly SegmentFile[] {
    return this.#deps.files.list().filter(({ last }) => last <= seq)
  }

  /** One whose entries the database still has, all or some: of a process that ended before it had removed them. */
  #written(before: JournalMark): JournalMark | undefined {
    const { source, files } = this.#deps
    const file = files
      .list()
      .find(({ first, last }) => first <= before.seq + 1 && last > before.seq)
    if (file === undefined) return undefined
    try {
      const { end } = files.read(file).head
      const [entry] = source.journal(end.seq, 1)
      if (entry?.seq === end.seq && Buffer.compare(entry.hash, end.hash) === 0) {
        files.settle() // whoever wrote it may have ended, or been refused, before its name was on disk
        return end
      }
      throw damaged(`segment ${file.name} is not of this journal`)
    } catch (error) {
      // Some of its entries are nowhere else: a person has to look.
      if (file.first <= before.seq) throw error
      files.remove(file)
      return undefined
    }
  }

  /** undefined: the journal is empty. */
  #end(): JournalEnd | undefined {
    const { source } = this.#deps
    const [last] = source.journal(source.head().seq, 1)
    return last
  }

  /** As many as fill a segment, or go before a gap; undefined when there are not so many yet. */
  async #collect(
    { before, until }: { readonly before: JournalMark; readonly until: number | undefined },
    mayLeave: (entry: StoredEntry) => boolean,
  ): Promise<readonly StoredEntry[] | undefined> {
    const { source, limits } = this.#deps
    const entries: StoredEntry[] = []
    let rawBytes = 0
    const isWhole = ({ seq }: StoredEntry) =>
      entries.length >= limits.segmentEntries || rawBytes >= limits.segmentBytes || seq === until
    for (;;) {
      const page = source.journal(before.seq + entries.length + 1, limits.page)
      if (page.length === 0) return undefined
      for (const entry of page) {
        if (!mayLeave(entry)) return undefined
        entries.push(entry)
        rawBytes += rawBytesOf(entry)
        if (isWhole(entry)) return entries
      }
      await nextTurn()
      this.#look()
    }
  }
}

const damaged = (why: string): ServiceError =>
  new ServiceError('STORE_FAILED', `the journal is not moved into a segment: ${why}`)
