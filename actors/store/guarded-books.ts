import { ServiceError } from '../../src/domain/errors.ts'
import type { AccountBooks } from '../../src/storage/account-database.ts'
import { noRoom } from '../../src/storage/free-space.ts'

export interface GuardedBooksDeps {
  readonly open: () => AccountBooks
  /** Whether the disk has room for a transaction, of so many bytes beside what any one takes. */
  readonly hasRoom: (moreBytes?: number) => boolean
  /** The disk refused a write: nothing may be written by this process any more. */
  readonly fatal: (error: unknown) => ServiceError
}

/**
 * The database of one account, opened when it is first asked for.
 *
 * A damaged value stops the account for as long as the process lives, and only this account; a disk that
 * refuses a write ends the process.
 */
export class GuardedBooks {
  readonly #deps: GuardedBooksDeps
  #database: AccountBooks | undefined
  #stopped: ServiceError | undefined

  constructor(deps: GuardedBooksDeps) {
    this.#deps = deps
  }

  /** Why everything is refused; undefined: it is not. */
  get stopped(): ServiceError | undefined {
    return this.#stopped
  }

  /** Everything is refused from now on. */
  stop(reason: ServiceError): void {
    this.#stopped ??= reason
  }

  read<T>(work: (database: AccountBooks) => T): T {
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

  /** As {@link read}, what takes many turns. */
  async readLater<T>(work: (database: AccountBooks) => Promise<T>): Promise<T> {
    try {
      return await this.read(work)
    } catch (error) {
      const failure = asStoreFailure(error)
      if (failure.code === 'STORE_FAILED') this.stop(failure)
      throw failure
    }
  }

  /** Errors  `DISK_FULL`, as of {@link read}. */
  write<T>(work: (database: AccountBooks) => T): T {
    return this.read((database) => {
      if (!this.#deps.hasRoom()) throw noRoom()
      try {
        return work(database)
      } catch (error) {
        throw this.asFailure(error)
      }
    })
  }

  /** As {@link write}, what is written beside this thread. */
  async writeLater<T>(work: (database: AccountBooks) => Promise<T>): Promise<T> {
    try {
      return await this.write(work)
    } catch (error) {
      const failure = this.asFailure(error)
      if (failure.code === 'STORE_FAILED') this.stop(failure)
      throw failure
    }
  }

  /** What went wrong while something was written beside this thread, or waited for there. */
  asFailure(error: unknown): ServiceError {
    return error instanceof ServiceError ? error : this.#deps.fatal(error)
  }

  /** What is asked afterwards opens the database again. */
  async close(): Promise<void> {
    const database = this.#database
    this.#database = undefined
    await database?.close()
  }
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
