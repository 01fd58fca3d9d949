import { ServiceError } from '../../src/domain/errors.ts'
import { noRoom } from '../../src/storage/free-space.ts'
import type { LogRecord } from '../../src/storage/log/batch.ts'
import type { PlannedCommit, StoredHead } from '../../src/storage/planned-commit.ts'
import type { Snapshot } from '../../src/storage/snapshot.ts'
import type { GuardedBooks } from './guarded-books.ts'
import type { ProcessLog } from './process-log.ts'

/** A row that is replaced takes a new page, and pages above it. */
export const PAGES_AROUND = 4

interface PendingCommit {
  readonly planned: PlannedCommit
  /** In the log; a database takes about as many, and pages around them. */
  readonly bytes: number
  /** Of the log. */
  readonly batch: number
}

export interface PendingCommitsDeps {
  readonly books: GuardedBooks
  readonly log: ProcessLog
  /** Whether the disk has room for a transaction, of so many bytes beside what any one takes. */
  readonly hasRoom: (moreBytes?: number) => boolean
  /** Asks for a call of `move` in a while. */
  readonly moveLater: () => void
}

/** Commits of one account that are in the log and answered, and not in the database yet. */
export class PendingCommits {
  readonly #deps: PendingCommitsDeps
  /** In their order, each after the one before. Only the first may be in the database already. */
  #pending: PendingCommit[] = []
  #moving: Promise<boolean> | undefined
  /** Runs while the database is written beside this thread. Never rejects. */
  #beside: Promise<void> | undefined

  constructor(deps: PendingCommitsDeps) {
    this.#deps = deps
  }

  get isAny(): boolean {
    return this.#pending.length > 0
  }

  /** Where the account stands after them; undefined: there is none. */
  get head(): StoredHead | undefined {
    return this.#pending.at(-1)?.planned.head
  }

  planned(): readonly PlannedCommit[] {
    return this.#pending.map(({ planned }) => planned)
  }

  /** They are on disk in `batch` of the log. */
  add(
    commits: readonly { readonly planned: PlannedCommit; readonly record: LogRecord }[],
    batch: number,
  ): void {
    if (commits.length > 0 && !this.isAny) this.#deps.moveLater()
    for (const { planned, record } of commits) {
      this.#pending.push({ planned, bytes: record.body.length, batch })
    }
  }

  /**
   * Writes them to the database, beside this thread. False when the disk has no room for it now.
   * Never rejects.
   */
  move(): Promise<boolean> {
    this.#moving ??= this.beside(() => this.#move()).finally(() => {
      this.#moving = undefined
    })
    return this.#moving
  }

  /** Others may read the database then: it has all that was answered, unless there is no room for it. */
  async settle(): Promise<null> {
    try {
      return await this.inDatabase(() => null)
    } catch (error) {
      if (error instanceof ServiceError && error.code === 'DISK_FULL') return null
      throw error
    }
  }

  /** `work` is done in a turn in which nothing is being written beside this thread. */
  async whenStill<T>(work: () => T | Promise<T>): Promise<T> {
    while (this.#beside !== undefined) await this.#beside
    return work()
  }

  /** `work` uses the database over many turns, or beside this thread, and nobody writes it meanwhile. */
  async beside<T>(work: () => Promise<T>): Promise<T> {
    while (this.#beside !== undefined) await this.#beside
    const done = work()
    const end = () => {
      this.#beside = undefined
    }
    this.#beside = done.then(end, end)
    return done
  }

  /** `work` finds all that was answered in the database. Errors  `DISK_FULL`. */
  inDatabase<T>(work: () => T): Promise<T> {
    return this.whenStill(() => {
      this.bringIn()
      return work()
    })
  }

  /**
   * The whole account with all that was answered, for a cluster to keep. A large one takes many turns: others are
   * served meanwhile, and what this account decides stays in the log. Errors  `DISK_FULL`, `STORE_FAILED`.
   */
  snapshot(): Promise<Snapshot> {
    return this.beside(async () => {
      this.bringIn()
      return this.#deps.books.readLater((database) => database.snapshot())
    })
  }

  /** Only while nothing is being written beside this thread. Errors  `DISK_FULL`. */
  bringIn(): void {
    const pending = this.#pending
    if (pending.length === 0) return
    if (!this.#hasRoomFor(pending)) throw noRoom()
    const commits = pending.map(({ planned }) => planned)
    const isWritten = this.#deps.books.write((database) => database.apply(commits))
    this.#moved(pending, isWritten)
  }

  async #move(): Promise<boolean> {
    const { books } = this.#deps
    const pending = [...this.#pending]
    if (books.stopped !== undefined) this.#keep(books.stopped)
    if (!this.isAny) return true
    if (!this.#hasRoomFor(pending)) return false
    try {
      const commits = pending.map(({ planned }) => planned)
      const isWritten = await books.read((database) => database.applyLater(commits))
      this.#moved(pending, isWritten)
    } catch (error) {
      const failure = books.asFailure(error)
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
    const { books, log } = this.#deps
    books.stop(failure)
    for (const { batch } of this.#pending) log.current?.keep(batch, 1)
    this.#pending = []
    return failure
  }
}
