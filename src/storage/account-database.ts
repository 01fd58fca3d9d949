import { join } from 'node:path'
import { ServiceError } from '../domain/errors.ts'
import { decode } from '../protocol/codec.ts'
import type { ReplicatedBooks } from '../protocol/journal.ts'
import {
  type ClusterMark,
  type Commit,
  type JournalMark,
  type Opened,
  type RangeQuery,
  type Restored,
  type Row,
  type StoredEntry,
  TABLE,
  type TableName,
} from '../protocol/store.ts'
import { passed } from './archive/gaps.ts'
import { noteCluster } from './cluster-note.ts'
import { checkOpen, checkRange } from './commit-plan.ts'
import type { Environment } from './environment.ts'
import { type CaughtUp, follow, writeCommits } from './follow.ts'
import type { JournalHead } from './journal-chain.ts'
import {
  MIGRATIONS,
  type Migration,
  type MigrationTables,
  planMigrations,
  SCHEMA_VERSION,
} from './migrations.ts'
import { openEnvironment } from './open-environment.ts'
import { OWN, OWN_TABLE, OwnRows, plainSchema } from './own-rows.ts'
import { changedRows, withChanged } from './pending-rows.ts'
import { type PlannedCommit, plannedIn, planStored, type StoredHead } from './planned-commit.ts'
import { commitsIn, installSnapshot, type Snapshot, snapshotOf } from './snapshot.ts'
import { type FoundInLogs, type Ownership, TakeOver } from './take-over.ts'

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
  /** Version of its rows. */
  readonly schema: number
  readonly #env: Environment
  readonly #own: OwnRows
  readonly #takeOver: TakeOver

  constructor(env: Environment, schema: Schema = CURRENT) {
    this.#env = env
    this.schema = schema.version
    this.#own = new OwnRows(env, schema.version)
    this.#takeOver = new TakeOver(env, this.#own)
    env.refresh()
    const stored = this.#own.read<number>(OWN.schema)
    if (stored === undefined || plainSchema(stored) !== schema.version) this.#migrate(schema)
  }

  // Who owns it, and what its logs hold: see TakeOver.

  inspect(): Ownership {
    return this.#takeOver.inspect()
  }
  logs(): readonly string[] {
    return this.#takeOver.logs()
  }
  refusal(epoch: number): ServiceError | null {
    return this.#takeOver.refusal(epoch)
  }
  claim(...claim: Parameters<TakeOver['claim']>): ReturnType<TakeOver['claim']> {
    const outcome = this.#takeOver.claim(...claim)
    if (outcome.claimed) this.#noteCluster()
    return outcome
  }
  catchUp(...caughtUp: Parameters<TakeOver['catchUp']>): CaughtUp {
    return this.#takeOver.catchUp(...caughtUp)
  }
  /** What a cluster keeps of it: see {@link TakeOver.takeIn}. */
  takeIn(epoch: number, { snapshot, commits }: ReplicatedBooks): void {
    const { schema } = this
    const other = commits.find((commit) => commit.schema !== schema)
    if (other !== undefined) {
      const text = `the cluster has rows of version ${other.schema}, this release reads ${schema}`
      throw new ServiceError('STORE_FAILED', text)
    }
    const planned = commits.map(({ epoch: by, body }) => plannedIn({ key: '', epoch: by, body }))
    const snapshotCommits = commitsIn(snapshot, schema)
    this.#takeOver.takeIn(epoch, { planned, snapshotCommits }, () =>
      installSnapshot(this.#env, this.#own, { snapshot, schema }),
    )
  }

  /** How it stands to a cluster: see {@link TakeOver.mark}. */
  mark(mark: ClusterMark | null): void {
    this.#takeOver.mark(mark)
    this.#noteCluster()
  }

  /** Its cluster is lost for good: see {@link TakeOver.lost}. */
  lost(): void {
    this.#takeOver.lost()
    this.#noteCluster()
  }

  /** The whole account as it lies here, for a cluster to keep: see {@link snapshotOf}. */
  snapshot(): Promise<Snapshot> {
    this.#env.refresh()
    return snapshotOf(this.#env, this.#own, this.schema)
  }

  absorb(found: FoundInLogs): CaughtUp {
    return this.#takeOver.absorb(found)
  }
  unlessNamed(log: string, leave: () => void): void {
    this.#takeOver.unlessNamed(log, leave)
  }
  clientAhead(epoch: number, clientEpoch: number): void {
    this.#takeOver.clientAhead(epoch, clientEpoch)
  }
  restored(mark: string, isBegin?: boolean): void {
    this.#takeOver.restored(mark, isBegin)
  }
  release(log?: string): void {
    this.#takeOver.release(log)
  }
  leaveLog(log: string): void {
    this.#takeOver.leaveLog(log)
  }

  /** Resolves when a claim would not stop this thread; for as long as another process holds the lock, never. */
  untilWritable(): Promise<void> {
    return this.#env.untilWritable()
  }

  /** Where the journal in the database ends. */
  head(): JournalHead {
    const { seq, hash } = this.standing()
    return { seq, hash }
  }

  /** Where the database stands: what comes next follows it. */
  standing(): StoredHead {
    this.#env.refresh()
    return this.#own.head()
  }

  /** `pending` are commits that were answered and are not written yet: whoever reads sees them. */
  open(tables: readonly TableName[], pending: readonly PlannedCommit[] = []): Opened {
    checkOpen(tables)
    this.#env.refresh()
    this.#takeOver.mustOwn()
    const changed = changedRows(pending)
    const rows: { [T in TableName]?: readonly Row[] } = {}
    for (const table of tables) {
      const stored = this.#env.range(table)
      const own = changed.get(table)
      rows[table] = own ? withChanged(stored, own, { limit: Number.POSITIVE_INFINITY }) : stored
    }
    const restored = this.#own.read<Restored>(OWN.restored) ?? null
    const { seq } = pending.at(-1)?.head ?? this.#own.head()
    return { epoch: this.#takeOver.claimed, seq, tables: rows, restored }
  }

  /** With what is `pending`, as in {@link open}. */
  range(query: RangeQuery, pending: readonly PlannedCommit[] = []): readonly Row[] {
    const limit = checkRange(query)
    this.#env.refresh()
    const changed = changedRows(pending).get(query.table)
    const stored = this.#env.range(query.table, { ...query, limit: limit + (changed?.size ?? 0) })
    if (query.table === TABLE.journal) this.#checkMoved(query, stored.length)
    return changed === undefined ? stored : withChanged(stored, changed, { ...query, limit })
  }

  /**
   * Removes up to `limit` of the oldest entries of the journal, up to and with `upTo`, which a segment holds that is
   * on disk and was read back. Answers how many are left to remove. Waits for the lock and the disk beside this
   * thread: commits of all accounts go through it.
   *
   * Errors  `NOT_OWNER`; `INTERNAL` when the database has another entry there, or none after it.
   */
  async trim(upTo: JournalMark, limit: number): Promise<number> {
    const done = { left: 0 }
    await this.#env.writeLater(() => {
      done.left = this.#trim(upTo, limit)
    })
    return done.left
  }

  /** Notes that segments up to `mark` are kept no longer; they are deleted afterwards. Errors  `NOT_OWNER`. */
  keepFrom(mark: JournalMark): void {
    this.#env.write(() => {
      this.#takeOver.mustOwn()
      const isMoved = mark.seq <= this.#own.mark(OWN.base).seq
      if (isMoved && mark.seq > this.#own.mark(OWN.kept).seq) this.#own.put(OWN.kept, mark)
    })
  }

  /**
   * Group commit, straight into the database: one transaction for all, in order, on disk when this returns.
   * Answers one outcome each. The first that is refused takes all after it along: they were decided on top of it.
   */
  commit(requests: readonly CommitRequest[]): readonly (ServiceError | null)[] {
    return this.#env.write(() => {
      let head = this.#own.head()
      let refused: ServiceError | null = null
      const planned: PlannedCommit[] = []
      const outcomes = requests.map(({ epoch, commit }) => {
        refused ??= this.#takeOver.refused(epoch)
        if (refused !== null) return refused
        const plan = planStored(commit, head, epoch)
        if (!plan.ok) {
          refused = refusedCommit(plan.error)
          return refused
        }
        planned.push(plan.value)
        head = plan.value.head
        return null
      })
      writeCommits(this.#env, this.#own, planned)
      return outcomes
    })
  }

  /**
   * Writes what a log holds, on disk when this returns, whoever owns the account by now: it was answered while
   * it was ours, and whoever claims it writes the same. False when it does not follow what is there.
   */
  apply(planned: readonly PlannedCommit[]): boolean {
    return this.#env.write(() => follow(this.#env, this.#own, planned).problem === undefined)
  }

  /** As {@link apply}, beside this thread. */
  async applyLater(planned: readonly PlannedCommit[]): Promise<boolean> {
    const done = { isWritten: false }
    await this.#env.writeLater(() => {
      done.isWritten = follow(this.#env, this.#own, planned).problem === undefined
    })
    return done.isWritten
  }

  async close(): Promise<void> {
    this.#takeOver.forget()
    await this.#env.close()
  }

  #noteCluster(): void {
    this.#env.refresh()
    noteCluster(this.#env.folder, this.#own.cluster())
  }

  /** Inside a transaction, which what is thrown does not undo: so all is looked at before anything is removed. */
  #trim(upTo: JournalMark, limit: number): number {
    this.#takeOver.mustOwn()
    const { seq: base } = this.#own.mark(OWN.base)
    if (upTo.seq <= base) return 0
    const end = this.#entry(upTo.seq)
    if (upTo.seq >= this.#own.head().seq || Buffer.compare(end.hash, upTo.hash) !== 0) {
      throw new ServiceError('INTERNAL', `entry ${upTo.seq} is not the one of the segment`)
    }
    const before = passed(this.#own.mark(OWN.base), this.#own.gaps()).seq
    const to = Math.min(upTo.seq, before + limit)
    const { seq, hash, epoch } = this.#entry(to)
    for (let each = before + 1; each <= to; each++) this.#env.remove(TABLE.journal, each)
    this.#own.put(OWN.base, { seq, hash, epoch })
    return upTo.seq - to
  }

  #entry(seq: number): StoredEntry {
    const bytes = this.#env.get(TABLE.journal, seq)
    if (bytes !== undefined) return decode<StoredEntry>(bytes)
    throw new ServiceError('INTERNAL', `the journal has no entry ${seq}`)
  }

  /** Segments are read beside this thread: reading one takes longer than an order may wait. */
  #checkMoved({ from, to, reverse = false }: RangeQuery, found: number): void {
    const { seq: base } = this.#own.mark(OWN.base)
    if (base === 0 || (reverse && found > 0)) return
    const low = reverse ? to : from
    const high = reverse ? from : to
    const isAbove = typeof low === 'number' && low > base
    const isBelow = typeof high === 'number' && high <= this.#own.mark(OWN.kept).seq
    if (isAbove || isBelow) return
    const text = 'older entries lie in segments, and the thread that reads them has ended'
    throw new ServiceError('ACTOR_RESTARTING', text)
  }

  /** One transaction: two processes that start at once migrate once, a crash leaves the old version. */
  #migrate(schema: Schema): void {
    const { version } = schema
    const tables: MigrationTables = {
      rows: (table) => this.#env.range(table).map(({ key, value }) => [key, value] as const),
      put: (table, key, value) => this.#env.put(table, key, value),
      remove: (table, key) => this.#env.remove(table, key),
    }
    this.#env.write(() => {
      // Absent is a database that was created a moment ago.
      const stored = this.#own.read<number>(OWN.schema)
      if (stored !== undefined && plainSchema(stored) === version) return
      for (const { run } of this.#planOf(stored ?? version, schema)) run(tables)
      this.#own.put(OWN.schema, version)
    })
  }

  /** Errors  `STORE_FAILED`: this release cannot read it, or not before its own has brought in what logs hold. */
  #planOf(stored: number, { version, migrations }: Schema): readonly Migration[] {
    const plan = planMigrations(plainSchema(stored), version, migrations)
    const isLogged = stored !== plainSchema(stored)
    if (plan.ok && !isLogged) return plan.value
    const why = plan.ok ? NOT_CLOSED : plan.error
    throw new ServiceError('STORE_FAILED', `${this.#env.folder}: 数据库${why}`)
  }
}

const NOT_CLOSED =
  '没有正常关闭，请用写它的版本启动再停止一次 (was not closed: start and stop the release that wrote it)'

export const refusedCommit = (why: string): ServiceError =>
  new ServiceError('INTERNAL', `commit refused: ${why}`)

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
