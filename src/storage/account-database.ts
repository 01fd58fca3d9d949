import { join } from 'node:path'
import { ServiceError } from '../domain/errors.ts'
import { decode, encode } from '../protocol/codec.ts'
import {
  type Commit,
  type JournalMark,
  type Opened,
  type OwnerRecord,
  type RangeQuery,
  type Restored,
  type Row,
  type StoredEntry,
  TABLE,
  type TableName,
} from '../protocol/store.ts'
import { JOURNAL_BEGIN } from './archive/segment.ts'
import { type CommitPlan, checkOpen, checkRange, planCommit } from './commit-plan.ts'
import { type Environment, openEnvironment } from './environment.ts'
import { EMPTY_JOURNAL, type JournalHead } from './journal-chain.ts'
import {
  MIGRATIONS,
  type Migration,
  type MigrationTables,
  planMigrations,
  SCHEMA_VERSION,
} from './migrations.ts'

/** The store's own table: schema version, owner, end of the journal. No account sees it. */
export const OWN_TABLE = 'store'
export const OWN = {
  schema: 'schema',
  owner: 'owner',
  head: 'head',
  /** The last entry that has left for a segment: the journal of the database begins behind it. */
  base: 'base',
  /** The last entry whose segment has been deleted: the kept chain begins behind it. */
  kept: 'kept',
  /** Highest epoch that the trading client has seen, when the owner found it ahead of its own. */
  client: 'client',
  restored: 'restored',
} as const

export interface Ownership {
  /** 0 before the first claim. Only ever rises. */
  readonly epoch: number
  readonly owner: OwnerRecord | null
  /** Highest that the trading client has seen, when it is higher. */
  readonly clientEpoch?: number
}

export interface CommitRequest {
  /** As the account learned it from `open`. */
  readonly epoch: number
  readonly commit: Commit
}

/** The schema this release speaks; another one is given by tests only. */
export interface Schema {
  readonly version: number
  readonly migrations: readonly Migration[]
}
const CURRENT: Schema = { version: SCHEMA_VERSION, migrations: MIGRATIONS }

/**
 * The database of one account: rows, journal, and who owns them.
 *
 * A claim made through this object is what lets it write: another process that claims later fences
 * every commit made here, inside the transaction of that commit.
 * Errors  `NOT_OWNER`; `STORE_FAILED` for damaged or foreign data; `INTERNAL` for malformed requests;
 *         what LMDB throws while writing passes through and means that the disk refused.
 */
export class AccountDatabase {
  readonly #env: Environment
  /** Epoch that this process has claimed, 0 when none. */
  #claimed = 0

  constructor(env: Environment, schema: Schema = CURRENT) {
    this.#env = env
    env.refresh()
    if (this.#read<number>(OWN.schema) !== schema.version) this.#migrate(schema)
  }

  inspect(): Ownership {
    this.#env.refresh()
    const found = this.#ownership()
    const clientEpoch = this.#read<number>(OWN.client) ?? 0
    return clientEpoch > found.epoch ? { ...found, clientEpoch } : found
  }

  /** Where the journal on disk ends. */
  head(): JournalHead {
    this.#env.refresh()
    return this.#head()
  }

  /** Resolves when a claim would not stop this thread; for as long as another process holds the lock, never. */
  untilWritable(): Promise<void> {
    return this.#env.untilWritable()
  }

  /**
   * Raises the epoch to `epoch` if it still is `expected`; false and the newest epoch otherwise. One
   * that has to go beyond what the trading client has seen is a restore, and noted as one.
   */
  claim(
    expected: number,
    owner: OwnerRecord,
    epoch = expected + 1,
  ): { claimed: boolean; epoch: number } {
    const outcome = this.#env.write(() => {
      const { epoch: newest } = this.#ownership()
      const clientEpoch = this.#read<number>(OWN.client) ?? 0
      const isNext = epoch === Math.max(expected, clientEpoch) + 1
      if (newest !== expected || !isNext) return { claimed: false, epoch: newest }
      this.#put(OWN.owner, { epoch, owner })
      if (clientEpoch > newest) {
        this.#markRestored({ mark: `epoch ${epoch}`, fromEpoch: newest, clientEpoch })
      }
      return { claimed: true, epoch }
    })
    if (outcome.claimed) this.#claimed = outcome.epoch
    return outcome
  }

  /** The trading client has seen a later owner than the one that asks. Errors  `NOT_OWNER` when there is one. */
  clientAhead(epoch: number, clientEpoch: number): void {
    this.#env.write(() => {
      const refusal = this.#refusal(epoch)
      if (refusal !== null) throw refusal
      if (clientEpoch > epoch) this.#put(OWN.client, clientEpoch)
    })
  }

  /**
   * This database was put back from a backup: nobody owns it, and whoever does next compares first. `isBegin`: without
   * the segments of its journal, which therefore begins with the database.
   */
  restored(mark: string, isBegin = false): void {
    this.#env.write(() => {
      if (isBegin) this.#put(OWN.kept, this.#mark(OWN.base))
      const { epoch } = this.#ownership()
      this.#put(OWN.owner, { epoch, owner: null })
      this.#markRestored({ mark, fromEpoch: epoch, clientEpoch: 0 })
    })
  }

  /** Gives up what was claimed here, so that another process need not wait. Nothing if fenced already. */
  release(): void {
    const claimed = this.#claimed
    this.#claimed = 0
    if (claimed === 0) return
    this.#env.write(() => {
      const { epoch } = this.#ownership()
      if (epoch === claimed) this.#put(OWN.owner, { epoch, owner: null })
    })
  }

  open(tables: readonly TableName[]): Opened {
    checkOpen(tables)
    this.#env.refresh()
    const refusal = this.#refusal(this.#claimed)
    if (refusal !== null) throw refusal
    const rows: { [T in TableName]?: readonly Row[] } = {}
    for (const table of tables) rows[table] = this.#env.range(table)
    const restored = this.#read<Restored>(OWN.restored) ?? null
    return { epoch: this.#claimed, seq: this.#head().seq, tables: rows, restored }
  }

  range(query: RangeQuery): readonly Row[] {
    const limit = checkRange(query)
    this.#env.refresh()
    const rows = this.#env.range(query.table, { ...query, limit })
    if (query.table === TABLE.journal) this.#checkMoved(query, rows.length)
    return rows
  }

  /**
   * Removes up to `limit` of the oldest entries of the journal, up to and with `upTo`, which a segment holds that is
   * on disk and was read back. Answers how many are left to remove.
   *
   * Errors  `NOT_OWNER`; `INTERNAL` when the database has another entry there, or none after it.
   */
  trim(upTo: JournalMark, limit: number): number {
    return this.#env.write(() => {
      const refusal = this.#refusal(this.#claimed)
      if (refusal !== null) throw refusal
      const { seq: base } = this.#mark(OWN.base)
      if (upTo.seq <= base) return 0
      const end = this.#entry(upTo.seq)
      if (upTo.seq >= this.#head().seq || Buffer.compare(end.hash, upTo.hash) !== 0) {
        throw new ServiceError('INTERNAL', `entry ${upTo.seq} is not the one of the segment`)
      }
      const to = Math.min(upTo.seq, base + limit)
      const { seq, hash, epoch } = this.#entry(to)
      for (let each = base + 1; each <= to; each++) this.#env.remove(TABLE.journal, each)
      this.#put(OWN.base, { seq, hash, epoch })
      return upTo.seq - to
    })
  }

  /** Notes that segments up to `mark` are kept no longer; they are deleted afterwards. Errors  `NOT_OWNER`. */
  keepFrom(mark: JournalMark): void {
    this.#env.write(() => {
      const refusal = this.#refusal(this.#claimed)
      if (refusal !== null) throw refusal
      const isMoved = mark.seq <= this.#mark(OWN.base).seq
      if (isMoved && mark.seq > this.#mark(OWN.kept).seq) this.#put(OWN.kept, mark)
    })
  }

  /**
   * Group commit: one transaction for all, in order, on disk when this returns. Answers one outcome
   * each. The first that is refused takes all after it along: they were decided on top of it.
   */
  commit(requests: readonly CommitRequest[]): readonly (ServiceError | null)[] {
    return this.#env.write(() => {
      const start = this.#head()
      let head = start
      let refused: ServiceError | null = null
      const outcomes = requests.map(({ epoch, commit }) => {
        refused ??= this.#refusal(epoch)
        if (refused !== null) return refused
        const plan = planCommit(commit, head, epoch)
        if (!plan.ok) {
          refused = new ServiceError('INTERNAL', `commit refused: ${plan.error}`)
          return refused
        }
        this.#write(plan.value, commit)
        head = plan.value.head
        return null
      })
      if (head !== start) this.#put(OWN.head, head)
      return outcomes
    })
  }

  async close(): Promise<void> {
    this.#claimed = 0
    await this.#env.close()
  }

  #write({ entries }: CommitPlan, { changes }: Commit): void {
    for (const entry of entries) this.#env.put(TABLE.journal, entry.seq, encode(entry))
    for (const { table, key, value } of changes) {
      if (value === null) this.#env.remove(table, key)
      else this.#env.put(table, key, value)
    }
  }

  #markRestored(restored: Restored): void {
    this.#put(OWN.restored, restored)
  }

  #refusal(epoch: number): ServiceError | null {
    const newest = this.#ownership().epoch
    if (epoch !== 0 && epoch === this.#claimed && epoch === newest) return null
    const text = `another process owns this account: its epoch is ${newest}, ours is ${epoch}`
    return new ServiceError('NOT_OWNER', text)
  }

  #ownership(): Ownership {
    return this.#read<Ownership>(OWN.owner) ?? { epoch: 0, owner: null }
  }
  #head(): JournalHead {
    return this.#read<JournalHead>(OWN.head) ?? EMPTY_JOURNAL
  }
  #mark(key: string): JournalMark {
    return this.#read<JournalMark>(key) ?? JOURNAL_BEGIN
  }
  #entry(seq: number): StoredEntry {
    const bytes = this.#env.get(TABLE.journal, seq)
    if (bytes !== undefined) return decode<StoredEntry>(bytes)
    throw new ServiceError('INTERNAL', `the journal has no entry ${seq}`)
  }

  /** Segments are read beside this thread: reading one takes longer than an order may wait. */
  #checkMoved({ from, to, reverse = false }: RangeQuery, found: number): void {
    const { seq: base } = this.#mark(OWN.base)
    if (base === 0 || (reverse && found > 0)) return
    const low = reverse ? to : from
    const high = reverse ? from : to
    const isAbove = typeof low === 'number' && low > base
    const isBelow = typeof high === 'number' && high <= this.#mark(OWN.kept).seq
    if (isAbove || isBelow) return
    const text = 'older entries lie in segments, and the thread that reads them has ended'
    throw new ServiceError('ACTOR_RESTARTING', text)
  }

  #read<T>(key: string): T | undefined {
    const bytes = this.#env.get(OWN_TABLE, key)
    return bytes === undefined ? undefined : decode<T>(bytes)
  }
  #put(key: string, value: unknown): void {
    this.#env.put(OWN_TABLE, key, encode(value))
  }

  /** One transaction: two processes that start at once migrate once, a crash leaves the old version. */
  #migrate({ version, migrations }: Schema): void {
    const tables: MigrationTables = {
      rows: (table) => this.#env.range(table).map(({ key, value }) => [key, value] as const),
      put: (table, key, value) => this.#env.put(table, key, value),
      remove: (table, key) => this.#env.remove(table, key),
    }
    this.#env.write(() => {
      // Absent is a database that was created a moment ago.
      const plan = planMigrations(this.#read<number>(OWN.schema) ?? version, version, migrations)
      if (!plan.ok) {
        throw new ServiceError('STORE_FAILED', `the database in ${this.#env.folder} ${plan.error}`)
      }
      for (const { run } of plan.value) run(tables)
      this.#put(OWN.schema, version)
    })
  }
}

/** What the store thread asks of an account database. */
export type AccountBooks = Pick<AccountDatabase, keyof AccountDatabase>

export const databaseFolder = (dataDir: string, accountId: string): string =>
  join(dataDir, accountId, 'db')

/** Opens `<dataDir>/<accountId>/db`. Errors as of {@link AccountDatabase}, all of them `STORE_FAILED`. */
export function openAccountDatabase(
  dataDir: string,
  accountId: string,
  schema: Schema = CURRENT,
): AccountDatabase {
  const folder = databaseFolder(dataDir, accountId)
  const env = openEnvironment(folder, [OWN_TABLE, ...Object.values(TABLE)])
  try {
    return new AccountDatabase(env, schema)
  } catch (error) {
    void env.close() // nothing is pending, so there is nothing to wait for
    throw error
  }
}
