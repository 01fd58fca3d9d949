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
import { checkOpen, checkRange } from './commit-plan.ts'
import { type Environment, openEnvironment } from './environment.ts'
import type { JournalHead } from './journal-chain.ts'
import {
  MIGRATIONS,
  type Migration,
  type MigrationTables,
  planMigrations,
  SCHEMA_VERSION,
} from './migrations.ts'
import { changedRows, withChanged } from './pending-rows.ts'
import {
  EMPTY_HEAD,
  follows,
  type PlannedCommit,
  planStored,
  type StoredHead,
} from './planned-commit.ts'

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

/** As it lies in the database. */
interface StoredOwnership {
  readonly epoch: number
  readonly owner: OwnerRecord | null
  /** Logs that may hold what this database does not have yet; absent: none. */
  readonly logs?: readonly string[]
}

/** What logs hold of an account, for the database to catch up with. */
export interface FoundInLogs {
  readonly commits: readonly PlannedCommit[]
  /** Why something may be missing all the same, in a few words. */
  readonly doubt?: string | undefined
}

/** A log that a database is about to name. */
export interface NamedLog {
  readonly name: string
  /** Says there that it does, so that nobody removes the log; again and again does no harm. */
  join(): void
}

/** What became of it. */
export interface CaughtUp {
  /** Commits that the database did not have. */
  readonly commits: number
  /** Why the account counts as put back from a backup; undefined: it does not. */
  readonly problem: string | undefined
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
 * Added to the version while logs may hold more than the database: releases that know no logs, and would go
 * on from too early a state, then refuse it as one of a newer release.
 */
const LOGGED = 1_000_000
/** The version of the rows, with or without logs. */
export const plainSchema = (stored: number): number => stored % LOGGED

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
  readonly #schema: Schema
  /** Epoch that this process has claimed, 0 when none. */
  #claimed = 0
  /** The owner row as our claim has left it: while it reads so, nobody has claimed since. */
  #ownerRow: Uint8Array = new Uint8Array()

  constructor(env: Environment, schema: Schema = CURRENT) {
    this.#env = env
    this.#schema = schema
    env.refresh()
    const stored = this.#read<number>(OWN.schema)
    if (stored === undefined || plainSchema(stored) !== schema.version) this.#migrate(schema)
  }

  inspect(): Ownership {
    this.#env.refresh()
    const { epoch, owner } = this.#ownership()
    const found = { epoch, owner }
    const clientEpoch = this.#read<number>(OWN.client) ?? 0
    return clientEpoch > found.epoch ? { ...found, clientEpoch } : found
  }

  /** Where the journal in the database ends. */
  head(): JournalHead {
    const { seq, hash } = this.standing()
    return { seq, hash }
  }

  /** Where the database stands: what comes next follows it. */
  standing(): StoredHead {
    this.#env.refresh()
    return this.#head()
  }

  /** Logs that may hold more than the database. */
  logs(): readonly string[] {
    this.#env.refresh()
    return this.#ownership().logs ?? []
  }

  /** Why this process must not write under `epoch`; null when it may. As the database is at this moment. */
  refusal(epoch: number): ServiceError | null {
    this.#env.refresh()
    const row = this.#env.get(OWN_TABLE, OWN.owner)
    const isOurs = row !== undefined && Buffer.compare(row, this.#ownerRow) === 0
    return isOurs && epoch !== 0 && epoch === this.#claimed ? null : this.#refusal(epoch)
  }

  /** Resolves when a claim would not stop this thread; for as long as another process holds the lock, never. */
  untilWritable(): Promise<void> {
    return this.#env.untilWritable()
  }

  /**
   * Raises the epoch to `epoch` if it still is `expected`; false and the newest epoch otherwise. One
   * that has to go beyond what the trading client has seen is a restore, and noted as one.
   *
   * With a `log`, which this process is to write, nothing is ours before {@link catchUp}.
   */
  claim(
    expected: number,
    owner: OwnerRecord,
    epoch = expected + 1,
    log?: NamedLog,
  ): { claimed: boolean; epoch: number } {
    const outcome = this.#env.write(() => {
      const { epoch: newest, logs = [] } = this.#ownership()
      const clientEpoch = this.#read<number>(OWN.client) ?? 0
      const isNext = epoch === Math.max(expected, clientEpoch) + 1
      if (newest !== expected || !isNext) return { claimed: false, epoch: newest }
      log?.join()
      this.#own({ epoch, owner }, log === undefined ? logs : [...new Set([...logs, log.name])])
      if (clientEpoch > newest) {
        this.#markRestored({ mark: `epoch ${epoch}`, fromEpoch: newest, clientEpoch })
      }
      return { claimed: true, epoch }
    })
    if (outcome.claimed && log === undefined) this.#became(epoch)
    return outcome
  }

  /**
   * The second half of a claim: what earlier owners had answered is written, and from now on no `log` but ours
   * holds anything. Whoever reads it then finds all that was ever answered, or the mark of a restore.
   *
   * Errors  `NOT_OWNER` when somebody has claimed since.
   */
  catchUp(epoch: number, found: FoundInLogs, log: string): CaughtUp {
    const caughtUp = this.#env.write(() => {
      const { epoch: newest, owner } = this.#ownership()
      if (newest !== epoch) throw notOwner(newest, epoch)
      return this.#takeIn(found, { epoch, owner }, [log])
    })
    this.#became(epoch)
    return caughtUp
  }

  /** Calls `leave` if the database does not name the log: inside its lock, so that no claim names it meanwhile. */
  unlessNamed(log: string, leave: () => void): void {
    this.#env.write(() => {
      const { logs = [] } = this.#ownership()
      if (!logs.includes(log)) leave()
    })
  }

  /** As {@link catchUp}, for a copy of a database that nobody runs: nobody owns it then. */
  absorb(found: FoundInLogs): CaughtUp {
    return this.#env.write(() => {
      const { epoch } = this.#ownership()
      return this.#takeIn(found, { epoch, owner: null }, [])
    })
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
      this.#own({ epoch, owner: null }, [])
      this.#markRestored({ mark, fromEpoch: epoch, clientEpoch: 0 })
    })
  }

  /**
   * Gives up what was claimed here, so that another process need not wait. `log`, ours, holds nothing any more
   * that the database does not have.
   */
  release(log?: string): void {
    const claimed = this.#claimed
    this.#claimed = 0
    if (claimed !== 0) this.leaveLog(log, claimed)
  }

  /** The database has all that `log` holds. Whoever has claimed `epoch` is its owner no more. */
  leaveLog(log: string | undefined, epoch = 0): void {
    this.#env.write(() => {
      const { logs = [], ...found } = this.#ownership()
      const isOurs = epoch !== 0 && found.epoch === epoch
      const rest = logs.filter((name) => name !== log)
      if (!isOurs && rest.length === logs.length) return
      this.#own(isOurs ? { ...found, owner: null } : found, rest)
    })
  }

  /** `pending` are commits that were answered and are not written yet: whoever reads sees them. */
  open(tables: readonly TableName[], pending: readonly PlannedCommit[] = []): Opened {
    checkOpen(tables)
    this.#env.refresh()
    const refusal = this.#refusal(this.#claimed)
    if (refusal !== null) throw refusal
    const changed = changedRows(pending)
    const rows: { [T in TableName]?: readonly Row[] } = {}
    for (const table of tables) {
      const stored = this.#env.range(table)
      const own = changed.get(table)
      rows[table] = own ? withChanged(stored, own, { limit: Number.POSITIVE_INFINITY }) : stored
    }
    const restored = this.#read<Restored>(OWN.restored) ?? null
    const { seq } = pending.at(-1)?.head ?? this.#head()
    return { epoch: this.#claimed, seq, tables: rows, restored }
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
   * Group commit, straight into the database: one transaction for all, in order, on disk when this returns.
   * Answers one outcome each. The first that is refused takes all after it along: they were decided on top of it.
   */
  commit(requests: readonly CommitRequest[]): readonly (ServiceError | null)[] {
    return this.#env.write(() => {
      let head = this.#head()
      let refused: ServiceError | null = null
      const planned: PlannedCommit[] = []
      const outcomes = requests.map(({ epoch, commit }) => {
        refused ??= this.#refusal(epoch)
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
      this.#write(planned)
      return outcomes
    })
  }

  /**
   * Writes what a log holds, on disk when this returns, whoever owns the account by now: it was answered while
   * it was ours, and whoever claims it writes the same. False when it does not follow what is there.
   */
  apply(planned: readonly PlannedCommit[]): boolean {
    return this.#env.write(() => this.#follow(planned).problem === undefined)
  }

  /** As {@link apply}, beside this thread. */
  async applyLater(planned: readonly PlannedCommit[]): Promise<boolean> {
    const done = { isWritten: false }
    await this.#env.writeLater(() => {
      done.isWritten = this.#follow(planned).problem === undefined
    })
    return done.isWritten
  }

  async close(): Promise<void> {
    this.#claimed = 0
    await this.#env.close()
  }

  /** Inside a transaction. All are written, or those before the first that does not fit. */
  #follow(planned: readonly PlannedCommit[]): CaughtUp {
    const start = this.#head()
    let head = start
    let problem: string | undefined
    const fresh: PlannedCommit[] = []
    for (const commit of planned) {
      if (commit.head.commits <= start.commits) continue // written before
      if (commit.head.commits <= head.commits) continue // told twice
      if (!follows(commit, head)) {
        problem = `commit ${commit.head.commits} does not follow commit ${head.commits}`
        break
      }
      fresh.push(commit)
      head = commit.head
    }
    problem ??= this.#contradiction(planned, start)
    this.#write(fresh)
    return { commits: fresh.length, problem }
  }

  /** The newest that is written already must be the entry that lies there, or these are other books. */
  #contradiction(planned: readonly PlannedCommit[], { commits }: StoredHead): string | undefined {
    const last = planned.findLast(({ head }) => head.commits <= commits)
    const row = last && this.#env.get(TABLE.journal, last.head.seq)
    if (last === undefined || row === undefined) return undefined
    const { hash } = decode<{ readonly hash: Uint8Array }>(row)
    if (Buffer.compare(hash, last.head.hash) === 0) return undefined
    return `commit ${last.head.commits} is another one`
  }

  #write(planned: readonly PlannedCommit[]): void {
    for (const [table, rows] of changedRows(planned)) {
      for (const [key, value] of rows) {
        if (value === null) this.#env.remove(table, key)
        else this.#env.put(table, key, value)
      }
    }
    const last = planned.at(-1)
    if (last !== undefined) this.#put(OWN.head, last.head)
  }

  /** Inside a transaction: the end of every catching up. */
  #takeIn(
    { commits, doubt }: FoundInLogs,
    ownership: Pick<StoredOwnership, 'epoch' | 'owner'>,
    logs: readonly string[],
  ): CaughtUp {
    const followed = this.#follow(commits)
    const problem = followed.problem ?? doubt
    const { epoch } = ownership
    if (problem !== undefined) {
      this.#markRestored({ mark: `log ${epoch}`, fromEpoch: epoch, clientEpoch: 0 })
    }
    this.#own(ownership, logs)
    return { commits: followed.commits, problem }
  }

  /** Whoever has claimed meanwhile has written another row, and is found out by it. */
  #became(epoch: number): void {
    this.#env.refresh()
    const row = this.#env.get(OWN_TABLE, OWN.owner)
    if (row === undefined || decode<StoredOwnership>(row).epoch !== epoch) return
    this.#claimed = epoch
    this.#ownerRow = row
  }

  /** Inside a transaction: who owns it, and which logs belong to it. */
  #own(ownership: Pick<StoredOwnership, 'epoch' | 'owner'>, logs: readonly string[]): void {
    const { epoch, owner } = ownership
    const row: StoredOwnership = { epoch, owner, ...(logs.length > 0 && { logs }) }
    this.#put(OWN.owner, row)
    this.#put(OWN.schema, this.#schema.version + (logs.length > 0 ? LOGGED : 0))
  }

  #markRestored(restored: Restored): void {
    this.#put(OWN.restored, restored)
  }

  #refusal(epoch: number): ServiceError | null {
    const newest = this.#ownership().epoch
    if (epoch !== 0 && epoch === this.#claimed && epoch === newest) return null
    return notOwner(newest, epoch)
  }

  #ownership(): StoredOwnership {
    return this.#read<StoredOwnership>(OWN.owner) ?? { epoch: 0, owner: null }
  }
  #head(): StoredHead {
    return { ...EMPTY_HEAD, ...this.#read<JournalHead>(OWN.head) }
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
  #migrate(schema: Schema): void {
    const { version } = schema
    const tables: MigrationTables = {
      rows: (table) => this.#env.range(table).map(({ key, value }) => [key, value] as const),
      put: (table, key, value) => this.#env.put(table, key, value),
      remove: (table, key) => this.#env.remove(table, key),
    }
    this.#env.write(() => {
      // Absent is a database that was created a moment ago.
      const stored = this.#read<number>(OWN.schema)
      if (stored !== undefined && plainSchema(stored) === version) return
      for (const { run } of this.#planOf(stored ?? version, schema)) run(tables)
      this.#put(OWN.schema, version)
    })
  }

  /** Errors  `STORE_FAILED`: this release cannot read it, or not before its own has brought in what logs hold. */
  #planOf(stored: number, { version, migrations }: Schema): readonly Migration[] {
    const plan = planMigrations(plainSchema(stored), version, migrations)
    const isLogged = stored !== plainSchema(stored)
    if (plan.ok && !isLogged) return plan.value
    const why = plan.ok ? 'was not closed: start and stop the release that wrote it' : plan.error
    throw new ServiceError('STORE_FAILED', `the database in ${this.#env.folder} ${why}`)
  }
}

const notOwner = (newest: number, epoch: number): ServiceError => {
  const text = `another process owns this account: its epoch is ${newest}, ours is ${epoch}`
  return new ServiceError('NOT_OWNER', text)
}

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
