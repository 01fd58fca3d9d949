import { ServiceError } from '../../src/domain/errors.ts'
import type {
  JournalMark,
  StoreControl,
  StoreControlReplies,
  StoreReplies,
  StoreRequest,
} from '../../src/protocol/store.ts'
import type { AccountBooks, CommitRequest } from '../../src/storage/account-database.ts'

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

export interface AccountDeskDeps {
  readonly open: () => AccountBooks
  /** Commits of one transaction; the rest follow in the next one. */
  readonly groupMax: number
  /** Asks for a call of `flush` once everything that has arrived by now has been read. */
  readonly flushLater: () => void
  /** Whether the disk has room for a transaction. */
  readonly hasRoom: () => boolean
  /** Asks for a call of `flush` in a while: the disk has no room now. */
  readonly flushWithRoom: () => void
  /** The disk refused a write: nothing may be written by this process any more. */
  readonly fatal: (error: unknown) => ServiceError
}

/**
 * What the store keeps for one account: its database and the commits that wait for the next flush.
 * A damaged value stops the account for as long as the process lives, and only this account.
 */
export class AccountDesk {
  readonly #deps: AccountDeskDeps
  #database: AccountBooks | undefined
  #waiting: WaitingCommit[] = []
  #stopped: ServiceError | undefined

  constructor(deps: AccountDeskDeps) {
    this.#deps = deps
  }

  answer(
    request: StoreRequest,
    session: Session,
  ): StoreReplies[StoreRequest['kind']] | Promise<null> {
    if (request.kind === 'commit') return this.#enqueue(request, session)
    this.flush() // a reader sees what was sent before, unless there is no room for it
    if (request.kind === 'settle') return null
    if (request.kind === 'clientAhead') {
      const { epoch, clientEpoch } = request
      return this.#writing((database) => {
        database.clientAhead(epoch, clientEpoch)
        return null
      })
    }
    if (request.kind === 'open') this.#drop(({ session: other }) => other !== session)
    if (request.kind === 'range') return this.#guarded((database) => database.range(request.query))
    const opened = this.#guarded((database) => database.open(request.tables))
    session.refused = null // what follows is decided on what was just read
    return opened
  }

  inspect(): StoreControlReplies['inspect'] {
    return this.#guarded((database) => database.inspect())
  }

  head(): StoreControlReplies['head'] {
    return this.#guarded((database) => database.head())
  }

  /**
   * The process that is to be replaced may sleep with the write lock in its hand. The claim then waits
   * without stopping this thread, and is not made at all once `isLate`: nobody waits for it any more.
   */
  async claim(
    { expected, owner, epoch }: Claim,
    isLate: () => boolean,
  ): Promise<StoreControlReplies['claim']> {
    try {
      await this.#guarded((database) => database.untilWritable())
    } catch (error) {
      throw error instanceof ServiceError ? error : this.#deps.fatal(error)
    }
    if (isLate()) throw new ServiceError('DEADLINE_EXCEEDED', 'another process kept the write lock')
    return this.#writing((database) => database.claim(expected, owner, epoch))
  }

  /** A few of the oldest entries of the journal leave the database: they lie in a segment. How many are left. */
  trim(upTo: JournalMark, limit: number): number {
    this.flush()
    return this.#writing((database) => database.trim(upTo, limit))
  }

  keepFrom(mark: JournalMark): void {
    this.#writing((database) => database.keepFrom(mark))
  }

  release(): void {
    this.flush()
    this.#writing((database) => database.release())
  }

  /**
   * Writes all that waits, in order, and answers each commit. Without room it goes on waiting: nothing
   * of it has happened yet, and whoever sent it acts upon it only once it is on disk. Never throws.
   */
  flush(): void {
    while (this.#waiting.length > 0) {
      if (!this.#deps.hasRoom()) return this.#deps.flushWithRoom()
      const group = this.#waiting.splice(0, this.#deps.groupMax)
      const open = group.filter(({ session }) => session.refused === null)
      const late = group.filter(({ session }) => session.refused !== null) // by an earlier group
      const outcomes = open.length > 0 ? this.#outcomesOf(open) : []
      for (const [i, commit] of open.entries()) settle(commit, outcomes[i] ?? null)
      for (const commit of late) settle(commit, commit.session.refused)
    }
  }

  /** Everything is refused from now on. */
  stop(reason: ServiceError): void {
    this.#stopped ??= reason
  }

  /** What is asked afterwards opens the database again. */
  async close(): Promise<void> {
    this.flush()
    this.#drop(() => true)
    const database = this.#database
    this.#database = undefined
    await database?.close()
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

  #outcomesOf(group: readonly WaitingCommit[]): readonly (ServiceError | null)[] {
    try {
      return this.#writing((database) => database.commit(group))
    } catch (error) {
      if (!(error instanceof ServiceError)) throw error
      return group.map(() => error)
    }
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

export const noRoom = (): ServiceError =>
  new ServiceError('DISK_FULL', '磁盘已满，无法写入 (the disk is full: nothing can be written)')

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
