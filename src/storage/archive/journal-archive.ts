import type { JournalMark, StoredEntry } from '../../protocol/store.ts'
import { type JournalGap, passed } from './gaps.ts'
import type { Segment } from './segment.ts'
import type { SegmentFile, SegmentFiles } from './segment-files.ts'

/** Segments read last, of all accounts of a thread: pages of one journal lie in the same one. */
export class SegmentCache {
  readonly #max: number
  readonly #kept = new Map<string, Segment>()

  constructor(max: number) {
    this.#max = max
  }

  get(path: string, read: () => Segment): Segment {
    const segment = this.#kept.get(path) ?? read()
    this.#kept.delete(path)
    this.#kept.set(path, segment) // the one used last is the last to go
    for (const [oldest] of this.#kept) {
      if (this.#kept.size <= this.#max) break
      this.#kept.delete(oldest)
    }
    return segment
  }
}

/** Numbers of a journal, both inclusive. */
export interface ArchiveRange {
  readonly from: number
  readonly to: number
  /** The highest first. */
  readonly isBack: boolean
  readonly limit: number
}

/** Where the two parts of a journal begin. */
export interface JournalParts {
  /** The last entry that is no longer in the database. */
  readonly base: JournalMark
  /** The last entry that is kept nowhere any more. */
  readonly kept: JournalMark
  /** In their order. */
  readonly gaps: readonly JournalGap[]
}

/** What is wrong with the segments of a journal. */
export interface ArchiveProblem {
  /** Nothing is wrong with those that are there. */
  readonly isMissing: boolean
  readonly text: string
}

const wrong = (text: string): ArchiveProblem => ({ isMissing: false, text })
const missing = (text: string): ArchiveProblem => ({ isMissing: true, text })

/** The part of a journal that has been moved into segments. Errors  `STORE_FAILED` for a damaged one. */
export class JournalArchive {
  readonly #files: SegmentFiles
  readonly #cache: SegmentCache

  constructor(files: SegmentFiles, cache: SegmentCache) {
    this.#files = files
    this.#cache = cache
  }

  /** Up to `limit` entries that are kept, in the order asked for; a number that is in no segment is passed over. */
  range({ from, to, isBack, limit }: ArchiveRange): readonly StoredEntry[] {
    const files = this.#files.list().filter(({ first, last }) => last >= from && first <= to)
    const found: StoredEntry[] = []
    let rest = { from, to }
    for (const file of isBack ? files.toReversed() : files) {
      if (found.length >= limit) break
      const part = this.#within(file, { ...rest, isBack, limit: limit - found.length })
      found.push(...part)
      const at = part.at(-1)?.seq
      if (at !== undefined) rest = isBack ? { from, to: at - 1 } : { from: at + 1, to }
    }
    return found
  }

  /**
   * The first thing that is wrong with the segments as a row of files, in words: one is missing, there twice,
   * another one under its name, or behind what the database still has. What is in them is read by `range`.
   */
  problem(parts: JournalParts): ArchiveProblem | undefined {
    const { base, kept, gaps } = parts
    const behind = (seq: number) => passed({ ...base, seq }, gaps).seq + 1
    const inDatabase = behind(base.seq)
    let next = behind(kept.seq)
    for (const file of this.#files.list()) {
      if (file.last <= kept.seq) continue // about to be deleted
      const problem = placeProblem(file, { next, inDatabase }) ?? this.#headProblem(file, parts)
      if (problem !== undefined) return problem
      next = behind(file.last)
    }
    return next > base.seq ? undefined : missing(`the segment from entry ${next} on is missing`)
  }

  /** A segment whose entries are still in the database, at least the last of them: its end. */
  unfinished({
    base,
  }: JournalParts): { readonly name: string; readonly end: JournalMark } | undefined {
    const file = this.#files.list().findLast(({ last }) => last > base.seq)
    return file && { name: file.name, end: this.#files.read(file).head.end }
  }

  #headProblem(file: SegmentFile, { base, kept, gaps }: JournalParts): ArchiveProblem | undefined {
    try {
      const { before } = this.#files.head(file)
      const known = [base, kept, ...gaps.flatMap(({ after, upTo }) => [after, upTo])]
      const mark = known.find(({ seq }) => seq === before.seq)
      const follows = mark === undefined || Buffer.compare(mark.hash, before.hash) === 0
      return follows
        ? undefined
        : wrong(`segment ${file.name}: it does not follow the entry before it`)
    } catch (error) {
      return wrong(error instanceof Error ? error.message : String(error))
    }
  }

  #within(file: SegmentFile, { from, to, isBack, limit }: ArchiveRange): readonly StoredEntry[] {
    if (from > to || file.last < from || file.first > to) return []
    const path = `${this.#files.folder}/${file.name}`
    const { entries } = this.#cache.get(path, () => this.#files.read(file))
    const start = Math.max(from, file.first) - file.first
    const end = Math.min(to, file.last) - file.first + 1
    if (!isBack) return entries.slice(start, Math.min(end, start + limit))
    return entries.slice(Math.max(start, end - limit), end).toReversed()
  }
}

function placeProblem(
  { name, first, last }: SegmentFile,
  { next, inDatabase }: { readonly next: number; readonly inDatabase: number },
): ArchiveProblem | undefined {
  if (last < first) return wrong(`segment ${name}: its name makes no sense`)
  if (first < next) return wrong(`segment ${name}: its entries are in another segment as well`)
  if (next > inDatabase || (next === inDatabase && first > next)) {
    return wrong(`segment ${name}: its entries are in the database as well`)
  }
  return first > next
    ? missing(`the segment from entry ${next} on is missing, before ${name}`)
    : undefined
}
