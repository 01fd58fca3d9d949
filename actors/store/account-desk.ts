import { ServiceError } from '../../src/domain/errors.ts'
import type {
  JournalMark,
  StoreControl,
  StoreControlReplies,
  StoreReplies,
  StoreRequest,
} from '../../src/protocol/store.ts'
import {
  type AccountBooks,
  type CommitRequest,
  refusedCommit,
} from '../../src/storage/account-database.ts'
import type { AccountLogs } from '../../src/storage/account-logs.ts'
import { bytesOfBatch, bytesOfRecord, type LogRecord } from '../../src/storage/log/batch.ts'
import { type PlannedCommit, planStored, recordOf } from '../../src/storage/planned-commit.ts'
import { noRoom, type ProcessLog } from './process-log.ts'

/** A row that is replaced takes a new page, and pages above it. */
const PAGES_AROUND = 4

type Claim = Extract<StoreControl, { kind: 'claim' }>

/** One line to an account actor; a new incarnation of the actor gets a new one. */
export interface Session {
  /** Why its commits are refused: after one is, all that follow were decided on top of it. */
  refused: ServiceError | null
}

interface WaitingCommit extends CommitRequest {
  readonly session: Session
  readonly resolve: (answer: null) => void
  readonly reject: (error: ServiceError) => void
}

/** In the log and answered, and not in the database yet. */
interface PendingCommit {
  readonly planned: PlannedCommit
  /** In the log; a database takes about as many, and pages around them. */
  readonly bytes: number
  /** Of the log. */
  readonly batch: number
}

interface GroupedCommit {
  readonly waiting: WaitingCommit
  readonly planned: PlannedCommit
  readonly record: LogRecord
}

/** Some of a group of one account, and those that no commit can follow. */
interface Planned {
  readonly commits: readonly GroupedCommit[]
  readonly bytes: number
  readonly refused: readonly WaitingCommit[]
  readonly why: ServiceError | null
}

/** Commits of one account that go into one batch. */
export interface CommitGroup {
  /** What its records take of a batch, at most. */
  readonly bytes: number
  /** The records to write, asked for inside the lock: those of an owner who is none any more are not among them. */
  admit(): readonly LogRecord[]
  /** They are on disk: all that was admitted is answered, the rest is refused. */
  done(batch: number): void
  /** Not now, and in the same order. */
  putBack(): void
  /** Nothing of it was written, or nobody knows. */
  fail(error: ServiceError): void
}

export interface AccountDeskDeps {
  readonly accountId: string
  readonly open: () => AccountBooks
  /** Commits of one group; the rest follow in the next one. */
  readonly groupMax: number
  /** Bytes that a batch of the log holds. */
  readonly batchBytesMax: () => number
  /** Asks for a flush once everything that has arrived by now has been read. */
  readonly flushLater: () => void
  /** Writes what waits to the log, as far as there is room. Never throws. */
  readonly flush: () => void
  /** Asks for a call of `move` in a while. */
  readonly moveLater: () => void
  /** Whether the disk has room for a transaction, of so many bytes beside what any one takes. */
  readonly hasRoom: (moreBytes?: number) => boolean
  /** The disk refused a write: nothing may be written by this process any more. */
  readonly fatal: (error: unknown) => ServiceError
  /** Of this process. */
  readonly log: ProcessLog
  /** Of the others. */
  readonly logs: AccountLogs
}

/**
 * What the store keeps for one account: its database, the commits that wait for the next flush of the log, and
 * those that are in the log and wait to be written to the database.
 *
 * What waits has not happened. What is pending has: every answer here counts it, and only what is asked of
 * the database by others has to be brought in before.
 * A damaged value stops the account for as long as the process lives, and only this account.
 */
export class AccountDesk {
  readonly #deps: AccountDeskDeps
  #database: AccountBooks | undefined
  #waiting: WaitingCommit[] = []
  /** In their order, each after the one before. Only the first may be in the database already. */
  #pending: PendingCommit[] = []
  /** Runs while pending commits are written beside this thread. Never rejects. */
  #moving: Promise<boolean> | undefined
  /** The first that waits is to be written past the log; the others wait for it. */
  #isDirect = false
  #direct: Promise<void> | undefined
  #stopped: ServiceError | undefined

  constructor(deps: AccountDeskDeps) {
    this.#deps = deps
  }

  /** Whether commits wait for the log. */
  get isWaiting(): boolean {
    return this.#waiting.length > 0 && !this.#isDirect
  }
  get hasPending(): boolean {
    return this.#pending.length > 0
  }

  answer(
    request: StoreRequest,
    session: Session,
  ): StoreReplies[StoreRequest['kind']] | Promise<null> {
    if (request.kind === 'commit') return this.#enqueue(request, session)
    this.#deps.flush() // a reader sees what was sent before, unless there is no room for it
    if (request.kind === 'settle') return this.#settle()
    if (request.kind === 'clientAhead') {
      const { epoch, clientEpoch } = request
      return this.#whenStill(() => {
        this.#writing((database) => database.clientAhead(epoch, clientEpoch))
        return null
      })
    }
    if (request.kind === 'open') this.#drop(({ session: other }) => other !== session)
    const pending = this.#pending.map(({ planned }) => planned)
    if (request.kind === 'range') {
      return this.#guarded((database) => database.range(request.query, pending))
    }
    const opened = this.#guarded((database) => database.open(request.tables, pending))
    session.refused = null // what follows is decided on what was just read
    return opened
  }

  inspect(): StoreControlReplies['inspect'] {
    return this.#guarded((database) => database.inspect())
  }

  /** Of the database, with all that was answered unless there is no room for it. */
  async head(): Promise<StoreControlReplies['head']> {
    await this.#settle()
    return this.#guarded((database) => database.head())
  }

  /**
   * The process that is to be replaced may sleep with a lock in its hand. The claim then waits without
   * stopping this thread, and is not made at all, or not brought to its end, once `isLate`: nobody waits
   * for it any more.
   *
   * First the epoch is raised; from then on no log takes anything from an earlier owner. Then all logs that
   * the database names are read, and what they hold is written. So nothing is missed that was ever answered.
   */
  async claim(request: Claim, isLate: () => boolean): Promise<StoreControlReplies['claim']> {
    const { accountId, logs, log } = this.#deps
    const { expected, owner, epoch: wanted } = request
    try {
      await this.#guarded((database) => database.untilWritable())
    } catch (error) {
      throw error instanceof ServiceError ? error : this.#deps.fatal(error)
    }
    await logs.untilFree(this.#foreign())
    const claimed = await this.#inDatabase(() => {
      mustNotBe(isLate)
      const own = this.#writing(() => log.named(accountId))
      const outcome = this.#writing((db) => db.claim(expected, owner, wanted, own))
      return { ...outcome, own }
    })
    const { own, ...answer } = claimed
    if (!answer.claimed) return answer
    const names = this.#foreign()
    const found = await logs.find(accountId, names, (name) => this.#foreign().includes(name))
    mustNotBe(isLate)
    const { problem } = this.#writing((db) => db.catchUp(answer.epoch, found, own.name))
    await logs.leave(accountId, names, (name, leave) =>
      this.#writing((db) => db.unlessNamed(name, leave)),
    )
    return { ...answer, ...(problem !== undefined && { problem }) }
  }

  /** A few of the oldest entries of the journal leave the database: they lie in a segment. How many are left. */
  trim(upTo: JournalMark, limit: number): Promise<number> {
    return this.#whenStill(() => this.#writing((database) => database.trim(upTo, limit)))
  }

  keepFrom(mark: JournalMark): Promise<void> {
    return this.#whenStill(() => this.#writing((database) => database.keepFrom(mark)))
  }

  async release(): Promise<void> {
    const { log, accountId, flush } = this.#deps
    flush()
    await this.#inDatabase(() => this.#writing((db) => db.release(log.current?.name)))
    log.leave(accountId)
  }

  /** What goes into the next batch, with at most so many `bytes` unless it is one alone. Never throws. */
  nextGroup(bytes: number): CommitGroup | undefined {
    const taken = this.#waiting.splice(0, this.#deps.groupMax)
    const open = taken.filter(({ session }) => session.refused === null)
    const late = taken.filter(({ session }) => session.refused !== null) // by an earlier group
    const group = this.#plan(open, bytes)
    for (const commit of late) settle(commit, commit.session.refused)
    return group
  }

  /**
   * Writes what is pending to the database, beside this thread. False when the disk has no room for it now.
   * Never rejects.
   */
  move(): Promise<boolean> {
    this.#moving ??= this.#move().finally(() => {
      this.#moving = undefined
    })
    return this.#moving
  }

  /** Everything is refused from now on. */
  stop(reason: ServiceError): void {
    this.#stopped ??= reason
  }

  /** What is asked afterwards opens the database again. */
  async close(): Promise<void> {
    this.#deps.flush()
    await this.#direct
    this.#drop(() => true)
    await this.#leaveLog()
    const database = this.#database
    this.#database = undefined
    await database?.close()
  }

  /** What cannot be brought in stays in the log, and the database goes on naming it. */
  async #leaveLog(): Promise<void> {
    const { log, accountId } = this.#deps
    try {
      await this.#inDatabase(() => {
        const name = log.current?.name
        if (name === undefined || !log.has(accountId)) return
        this.#writing((database) => database.leaveLog(name))
        log.leave(accountId)
      })
    } catch (error) {
      if (!(error instanceof ServiceError)) throw error
    }
  }

  /** Logs of other processes that the database names. */
  #foreign(): readonly string[] {
    const own = this.#deps.log.current?.name
    return this.#guarded((database) => database.logs()).filter((name) => name !== own)
  }

  /** Others may read the database then: it has all that was answered, unless there is no room for it. */
  async #settle(): Promise<null> {
    try {
      return await this.#inDatabase(() => null)
    } catch (error) {
      if (error instanceof ServiceError && error.code === 'DISK_FULL') return null
      throw error
    }
  }

  /** `work` is done in a turn in which nothing is being written beside this thread. */
  async #whenStill<T>(work: () => T): Promise<T> {
    while (this.#moving !== undefined) await this.#moving
    return work()
  }

  /** `work` finds all that was answered in the database. Errors  `DISK_FULL`. */
  #inDatabase<T>(work: () => T): Promise<T> {
    return this.#whenStill(() => {
      this.#bringIn()
      return work()
    })
  }

  /** Only while nothing is being written beside this thread. */
  #bringIn(): void {
    const pending = this.#pending
    if (pending.length === 0) return
    if (!this.#hasRoomFor(pending)) throw noRoom()
    const commits = pending.map(({ planned }) => planned)
    const isWritten = this.#writing((database) => database.apply(commits))
    this.#moved(pending, isWritten)
  }

  async #move(): Promise<boolean> {
    const pending = [...this.#pending]
    if (this.#stopped !== undefined) this.#keep(this.#stopped)
    if (!this.hasPending) return true
    if (!this.#hasRoomFor(pending)) return false
    try {
      const commits = pending.map(({ planned }) => planned)
      const isWritten = await this.#guarded((database) => database.applyLater(commits))
      this.#moved(pending, isWritten)
    } catch (error) {
      const failure = error instanceof ServiceError ? error : this.#deps.fatal(error)
      if (failure.code === 'STORE_FAILED') this.#keep(failure)
    }
    return true
  }

  #hasRoomFor(pending: readonly PendingCommit[]): boolean {
    const bytes = pending.reduce((sum, commit) => sum + commit.bytes, 0)
    return this.#deps.hasRoom(PAGES_AROUND * bytes)
  }

  #moved(pending: readonly PendingCommit[], isWritten: boolean): void {
    if (!isWritten) {
      throw this.#keep(
        new ServiceError('STORE_FAILED', 'the database is not the one that was written last'),
      )
    }
    for (const { batch } of pending) this.#deps.log.current?.forget(batch, 1)
    this.#pending = this.#pending.slice(pending.length)
  }

  /** The account stops; what it was answered stays in the log for whoever mends its database. */
  #keep(failure: ServiceError): ServiceError {
    this.#stopped ??= failure
    for (const { batch } of this.#pending) this.#deps.log.current?.keep(batch, 1)
    this.#pending = []
    return failure
  }

  #plan(open: readonly WaitingCommit[], bytesMax: number): CommitGroup | undefined {
    if (open.length === 0) return undefined
    try {
      return this.#guarded((database) => this.#planned(database, open, bytesMax))
    } catch (error) {
      if (!(error instanceof ServiceError)) throw error
      for (const commit of open) settle(commit, error)
      return undefined
    }
  }

  #planned(
    database: AccountBooks,
    open: readonly WaitingCommit[],
    bytesMax: number,
  ): CommitGroup | undefined {
    const { accountId, batchBytesMax } = this.#deps
    const commits: GroupedCommit[] = []
    let head = this.#pending.at(-1)?.planned.head ?? database.standing()
    let bytes = 0
    for (const [i, waiting] of open.entries()) {
      const plan = planStored(waiting.commit, head, waiting.epoch)
      if (!plan.ok) {
        const why = refusedCommit(plan.error)
        return this.#group({ commits, bytes, refused: open.slice(i), why })
      }
      const record = recordOf(accountId, plan.value)
      const more = bytesOfRecord(record)
      if (i === 0 && bytesOfBatch([record]) > batchBytesMax()) return this.#writeDirectly(open)
      if (i > 0 && bytes + more > bytesMax) {
        this.#waiting.unshift(...open.slice(i))
        break
      }
      bytes += more
      head = plan.value.head
      commits.push({ waiting, planned: plan.value, record })
    }
    return this.#group({ commits, bytes, refused: [], why: null })
  }

  #group({ commits, bytes, refused, why }: Planned): CommitGroup {
    let admitted: readonly GroupedCommit[] = []
    let refusal: ServiceError | null = null
    return {
      bytes,
      admit: () => {
        try {
          const first = commits.findIndex(({ waiting }) => {
            refusal = this.#guarded((database) => database.refusal(waiting.epoch))
            return refusal !== null
          })
          admitted = first < 0 ? commits : commits.slice(0, first)
        } catch (error) {
          if (!(error instanceof ServiceError)) throw error
          refusal = error
        }
        return admitted.map(({ record }) => record)
      },
      done: (batch) => {
        if (admitted.length > 0 && !this.hasPending) this.#deps.moveLater()
        for (const { planned, record } of admitted) {
          this.#pending.push({ planned, bytes: record.body.length, batch })
        }
        for (const { waiting } of admitted) settle(waiting, null)
        for (const { waiting } of commits.slice(admitted.length)) settle(waiting, refusal)
        for (const waiting of refused) settle(waiting, refusal ?? why)
      },
      putBack: () => {
        this.#waiting.unshift(...commits.map(({ waiting }) => waiting), ...refused)
      },
      fail: (error) => {
        for (const { waiting } of commits) settle(waiting, error)
        for (const waiting of refused) settle(waiting, error)
      },
    }
  }

  /** One that no batch can hold goes straight to the database, behind all that is before it. */
  #writeDirectly(open: readonly WaitingCommit[]): undefined {
    this.#waiting.unshift(...open)
    const [commit] = open
    this.#isDirect = true
    this.#direct = this.#whenStill(() => {
      this.#isDirect = false
      if (this.#waiting[0] === commit) this.#writeFirst()
      this.#deps.flushLater()
    })
  }

  #writeFirst(): void {
    const commit = this.#waiting[0] as WaitingCommit
    try {
      this.#bringIn()
      const [outcome = null] = this.#writing((database) => database.commit([commit]))
      this.#waiting.shift()
      settle(commit, outcome)
    } catch (error) {
      if (!(error instanceof ServiceError)) throw error
      if (error.code === 'DISK_FULL') return // it goes on waiting
      this.#waiting.shift()
      settle(commit, error)
    }
  }

  /** What waits for room and belongs to a thread that is gone: nothing of it has happened. */
  #drop(isMeant: (commit: WaitingCommit) => boolean): void {
    const dropped = this.#waiting.filter(isMeant)
    this.#waiting = this.#waiting.filter((commit) => !isMeant(commit))
    for (const commit of dropped) settle(commit, noRoom())
  }

  #enqueue({ epoch, commit }: CommitRequest, session: Session): Promise<null> {
    if (session.refused !== null) return Promise.reject(session.refused)
    return new Promise((resolve, reject) => {
      if (this.#waiting.push({ epoch, commit, session, resolve, reject }) === 1) {
        this.#deps.flushLater()
      }
    })
  }

  /** A disk that refuses a write ends the process; damaged bytes only end this account. */
  #writing<T>(work: (database: AccountBooks) => T): T {
    return this.#guarded((database) => {
      if (!this.#deps.hasRoom()) throw noRoom()
      try {
        return work(database)
      } catch (error) {
        throw error instanceof ServiceError ? error : this.#deps.fatal(error)
      }
    })
  }

  #guarded<T>(work: (database: AccountBooks) => T): T {
    if (this.#stopped !== undefined) throw this.#stopped
    this.#database ??= this.#deps.open() // its errors are told again at every attempt
    try {
      return work(this.#database)
    } catch (error) {
      const failure = asStoreFailure(error)
      if (failure.code === 'STORE_FAILED') this.#stopped = failure
      throw failure
    }
  }
}

function mustNotBe(isLate: () => boolean): void {
  if (isLate()) throw new ServiceError('DEADLINE_EXCEEDED', 'another process kept the write lock')
}

/** What LMDB throws while reading is damage too. */
const asStoreFailure = (error: unknown) =>
  error instanceof ServiceError
    ? error
    : new ServiceError(
        'STORE_FAILED',
        `the database cannot be read: ${String(error)}`,
        undefined,
        error,
      )

function settle({ session, resolve, reject }: WaitingCommit, refusal: ServiceError | null): void {
  if (refusal === null) {
    resolve(null)
    return
  }
  session.refused ??= refusal
  reject(refusal)
}
