import { ServiceError } from '../domain/errors.ts'
import { decode, encode } from '../protocol/codec.ts'
import {
  type ClusterMark,
  type JournalMark,
  type RangeQuery,
  type Row,
  type StoredEntry,
  TABLE,
  type TableName,
} from '../protocol/store.ts'
import { databaseFolder } from './account-database.ts'
import type { JournalGap } from './archive/gaps.ts'
import {
  type ArchiveProblem,
  JournalArchive,
  type JournalParts,
  SegmentCache,
} from './archive/journal-archive.ts'
import { JOURNAL_BEGIN } from './archive/segment.ts'
import { SegmentFiles } from './archive/segment-files.ts'
import { checkRange } from './commit-plan.ts'
import type { Environment } from './environment.ts'
import { EMPTY_JOURNAL, type JournalHead } from './journal-chain.ts'
import { SCHEMA_VERSION } from './migrations.ts'
import { hasEnvironment, openReadOnly } from './open-environment.ts'
import { OWN, OWN_TABLE, plainSchema } from './own-rows.ts'

/**
 * The database of one account for whoever only looks: no claim, no lock, beside a running service.
 *
 * Everything read in one turn after {@link refresh} is one state of the database.
 * Errors  `STORE_FAILED` for bytes that are not those that were written.
 */
export class AccountReader {
  readonly #env: Environment
  readonly #archive: JournalArchive

  constructor(env: Environment, archive: JournalArchive) {
    this.#env = env
    this.#archive = archive
  }

  refresh(): void {
    this.#env.refresh()
  }

  /** Up to `limit` entries, from number `from` on: those of segments, then those of the database. */
  journal(from: number, limit: number): readonly StoredEntry[] {
    if (!this.#env.has(TABLE.journal)) return []
    const moved = this.#moved({ from, limit })
    const { base } = this.parts()
    const isWhole = from <= 1 && base.seq === 0 // then also what stands before the first number
    const start = isWhole ? {} : { from: Math.max(from, base.seq + 1) }
    const rows = this.#env.range(TABLE.journal, { limit: limit - moved.length, ...start })
    return [...moved, ...rows.map(({ value }) => decode<StoredEntry>(value))]
  }

  /** Rows as they are on disk by now, the journal's also of segments. Errors  `INTERNAL` for a malformed query. */
  range(query: RangeQuery): readonly Row[] {
    const limit = checkRange(query)
    this.#env.refresh()
    if (!this.#env.has(query.table)) return []
    const { base } = this.parts()
    if (query.table !== TABLE.journal || base.seq === 0) {
      return this.#env.range(query.table, { ...query, limit })
    }
    const { reverse = false } = query
    const inDatabase = (left: number) =>
      this.#env.range(query.table, { ...above(query, base.seq), reverse, limit: left })
    const inSegments = (left: number) =>
      this.#moved({ ...numbersOf(query), limit: left }).map(asRow)
    const [first, second] = reverse ? [inDatabase, inSegments] : [inSegments, inDatabase]
    const found = first(limit)
    return found.length === limit ? found : [...found, ...second(limit - found.length)]
  }

  /** Where the journal of the database begins, and the kept one, and what neither ever had. */
  parts(): JournalParts {
    const gaps = this.#own<readonly JournalGap[]>(OWN.gaps) ?? []
    return { base: this.#mark(OWN.base), kept: this.#mark(OWN.kept), gaps }
  }

  /** What is wrong with the segments as files, and with where they meet the database; undefined: nothing. */
  archiveProblem(): ArchiveProblem | undefined {
    const parts = this.parts()
    const problem = this.#archive.problem(parts)
    if (problem !== undefined || !this.#env.has(TABLE.journal)) return problem
    const [first] = this.#env.range(TABLE.journal, { limit: 1 })
    if (parts.base.seq === 0 || first === undefined || Number(first.key) > parts.base.seq) return
    const text = `entry ${first.key} is in the database and has been moved into a segment`
    return { isMissing: false, text }
  }

  /** A segment whose last entries the database still has. Errors  `STORE_FAILED`: it is damaged. */
  unfinishedSegment(): ReturnType<JournalArchive['unfinished']> {
    return this.#archive.unfinished(this.parts())
  }

  /** Where the store says that the journal ends. */
  head(): JournalHead {
    return this.#own<JournalHead>(OWN.head) ?? EMPTY_JOURNAL
  }

  /** How the account stands to a cluster; null: to none. */
  cluster(): ClusterMark | null {
    return this.#own<ClusterMark | null>(OWN.cluster) ?? null
  }

  /** Logs that may hold more than the database does by now. */
  logs(): readonly string[] {
    this.#env.refresh()
    return this.#own<{ readonly logs?: readonly string[] }>(OWN.owner)?.logs ?? []
  }

  rows(table: TableName): readonly Row[] {
    return this.#env.has(table) ? this.#env.range(table) : []
  }

  async close(): Promise<void> {
    await this.#env.close()
  }

  /** Errors  `STORE_FAILED` when another release wrote this database. */
  checkSchema(): void {
    const stored = this.#own<number>(OWN.schema)
    if (stored !== undefined && plainSchema(stored) === SCHEMA_VERSION) return
    const text = `the database has schema ${stored}, this release reads ${SCHEMA_VERSION}`
    throw new ServiceError('STORE_FAILED', text)
  }

  #mark(key: string): JournalMark {
    return this.#own<JournalMark>(key) ?? JOURNAL_BEGIN
  }

  /** Of the journal, only what has left the database. `to` undefined: the end in question. */
  #moved({
    from,
    to,
    limit,
    reverse = false,
  }: Numbers & { readonly limit: number }): readonly StoredEntry[] {
    const { base, kept } = this.parts()
    const low = Math.max((reverse ? to : from) ?? 1, kept.seq + 1)
    const high = Math.min((reverse ? from : to) ?? base.seq, base.seq)
    if (low > high || limit <= 0) return []
    return this.#archive.range({ from: low, to: high, isBack: reverse, limit })
  }

  #own<T>(key: string): T | undefined {
    const bytes = this.#env.has(OWN_TABLE) ? this.#env.get(OWN_TABLE, key) : undefined
    return bytes === undefined ? undefined : decode<T>(bytes)
  }
}

/** Numbers of a journal; absent = from the end in question. */
interface Numbers {
  readonly from?: number | undefined
  readonly to?: number | undefined
  readonly reverse?: boolean | undefined
}

/** Keys of the journal are numbers; texts sort behind all of them, and are none. */
const numbersOf = ({ from, to, reverse }: RangeQuery): Numbers => ({
  ...(typeof from === 'number' && { from }),
  ...(typeof to === 'number' && { to }),
  reverse,
})

/** The part of a query that lies above a number. */
function above(
  { from, to, reverse = false }: RangeQuery,
  base: number,
): Pick<RangeQuery, 'from' | 'to'> {
  const low = reverse ? to : from
  const high = reverse ? from : to
  const bounded = typeof low === 'number' ? Math.max(low, base + 1) : (low ?? base + 1)
  const ends = reverse ? { from: high, to: bounded } : { from: bounded, to: high }
  return Object.fromEntries(Object.entries(ends).filter(([, key]) => key !== undefined))
}

const asRow = (entry: StoredEntry): Row => ({ key: entry.seq, value: encode(entry).slice() })

/** Whether an account of this name was ever stored: what is damaged counts, what was never there does not. */
export const hasAccountDatabase = (dataDir: string, accountId: string): boolean =>
  hasEnvironment(databaseFolder(dataDir, accountId))

/** Opens `<dataDir>/<accountId>/db`, which must exist. Errors as of {@link AccountReader}. */
export const openAccountReader = (
  dataDir: string,
  accountId: string,
  segments: SegmentCache = new SegmentCache(1),
): AccountReader =>
  new AccountReader(
    openReadOnly(databaseFolder(dataDir, accountId), [OWN_TABLE, ...Object.values(TABLE)]),
    new JournalArchive(new SegmentFiles(dataDir, accountId), segments),
  )
