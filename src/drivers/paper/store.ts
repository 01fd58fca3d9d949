import { basename, join } from 'node:path'
import { encode } from '../../protocol/codec.ts'
import type { Environment } from '../../storage/environment.ts'
import { openEnvironment } from '../../storage/open-environment.ts'
import { epochIn, loadRows, logsIn, META, metaIn, putMeta, rowsOf, TABLES } from './book-rows.ts'
import type { BookRows, Changes, Holding, Ledger } from './books.ts'
import {
  applyCommits,
  type BooksCommit,
  checkSchema,
  commitAfter,
  commitsOf,
  type Head,
  headIn,
  nameBooks,
  nameLogs,
} from './books-commit.ts'
import type { BooksLog, LoggedBooks } from './books-log.ts'

export interface PaperStoreLimits {
  /** Trading days whose orders and deals stay on disk. */
  readonly keepDays: number
}

/** What an account has before its first start. */
export interface FirstRows {
  readonly ledger: Ledger
  readonly holdings: readonly Holding[]
}

/**
 * The books of one account on disk. What is decided is on disk before anybody hears of it.
 *
 * Errors  what the disk refuses, and a damaged row, must end the process.
 */
export interface PaperStore {
  /**
   * Makes `epoch` the owner and returns the rows of the session; null when a newer owner has been
   * here. The first claim ever writes `first`.
   */
  claim(epoch: number, first: () => FirstRows): Promise<BookRows | null>
  /**
   * All of it or nothing, in the order of these calls. `written` is called once it is on disk, at once or
   * later; with false when a newer owner has been here, and nothing is written.
   */
  commit(epoch: number, changes: readonly Changes[], written: (isWritten: boolean) => void): void
  isOwner(epoch: number): boolean
  /** The highest epoch that was ever here. */
  newest(): number
  /** What was decided is written first. */
  close(): Promise<void>
}

/**
 * Opens or creates `folder` (mode 0700), named like its account.
 *
 * Errors  `STORE_FAILED`; `DISK_FULL`; of {@link BooksLog.prepare}; of the system for a log that it needs and may not see.
 */
export function openPaperStore(
  folder: string,
  limits: PaperStoreLimits,
  log: BooksLog,
): PaperStore {
  log.prepare()
  const env = openEnvironment(join(folder, 'db'), TABLES)
  try {
    for (const name of logsIn(env)) log.mustBeSeen(name)
  } catch (error) {
    void env.close()
    throw error
  }
  return new LoggedPaperStore(env, basename(folder), limits, log)
}

/** Books in an environment of their own, behind the log of the process. */
class LoggedPaperStore implements PaperStore, LoggedBooks {
  readonly key: string
  readonly #env: Environment
  readonly #limits: PaperStoreLimits
  readonly #log: BooksLog
  /** Where the books end with all that was taken. */
  #head: Head
  /** In the log and not in the database, in order. */
  #taken: { readonly commit: BooksCommit; readonly batch: number }[] = []
  #moving: Promise<boolean> | undefined
  #claiming: Promise<BookRows | null> | undefined
  #isClosed = false
  /** Its environment is closed, or about to be: what could not be brought over stays in the log. */
  #isGone = false
  /** The last one under which this process has owned the books. */
  #epochOwned = 0

  constructor(env: Environment, key: string, limits: PaperStoreLimits, log: BooksLog) {
    this.key = key
    this.#env = env
    this.#limits = limits
    this.#log = log
    this.#head = headIn(env)
  }

  claim(epoch: number, first: () => FirstRows): Promise<BookRows | null> {
    this.#claiming = this.#claim(epoch, first).finally(async () => {
      this.#claiming = undefined
      if (this.#isClosed) await this.#env.close()
    })
    return this.#claiming
  }

  async #claim(epoch: number, first: () => FirstRows): Promise<BookRows | null> {
    await this.#settle()
    await this.#env.untilWritable()
    if (!(await this.#log.untilRoom()) || this.#isClosed) return null
    const found = this.#env.write(() => this.#own(epoch, first))
    if (found === null) return null
    this.#epochOwned = epoch
    const others = found.filter((name) => name !== this.#log.ownName)
    const isOurs = others.length === 0 || (await this.#recover(epoch, others))
    if (this.#isClosed || !isOurs) return null
    this.#env.refresh()
    this.#head = headIn(this.#env)
    return loadRows(this.#env)
  }

  commit(epoch: number, changes: readonly Changes[], written: (isWritten: boolean) => void): void {
    this.#log.commit({ books: this, epoch, changes, written })
  }

  isOwner(epoch: number): boolean {
    return epoch >= this.newest()
  }

  newest(): number {
    this.#env.refresh() // what other processes have committed by now
    return epochIn(this.#env)
  }

  /** Does not wait for another process: a claim that does comes to nothing, and the next start reads our log. */
  async close(): Promise<void> {
    this.#isClosed = true
    await this.#settle()
    this.#isGone = true
    if (this.#claiming !== undefined) return // and it closes them
    if (this.#epochOwned > 0 && !this.hasPending && this.#log.hasRoomFor(0)) {
      await this.#env.writeLater(() => this.#leaveOwn())
      this.#log.leaveOwn(this.key)
    }
    await this.#env.close()
  }

  plan(changes: readonly Changes[]): BooksCommit {
    return commitAfter(this.#head, rowsOf(changes))
  }

  taken(commit: BooksCommit, batch: number): void {
    this.#head = commit.head
    this.#taken.push({ commit, batch })
  }

  write(epoch: number, commit: BooksCommit): boolean {
    const isWritten = this.#env.write(() => {
      if (epoch < epochIn(this.#env)) return false
      this.#apply([commit])
      return true
    })
    if (isWritten) this.#head = commit.head
    return isWritten
  }

  get hasPending(): boolean {
    return this.#taken.length > 0
  }

  async move(): Promise<boolean> {
    while (this.#moving !== undefined) await this.#moving
    if (!this.hasPending || this.#isGone) return true
    this.#moving = this.#bringOver().finally(() => {
      this.#moving = undefined
    })
    return this.#moving
  }

  /** Whoever owns the books now: what was told is part of them, and comes into them once. */
  async #bringOver(): Promise<boolean> {
    const taken = [...this.#taken]
    const bytes = taken.reduce((sum, { commit }) => sum + commit.body.length, 0)
    if (!this.#log.hasRoomFor(bytes)) return false
    await this.#env.writeLater(() => {
      this.#apply(taken.map(({ commit }) => commit))
    })
    this.#taken.splice(0, taken.length)
    for (const { batch } of taken) this.#log.forget(batch)
    return true
  }

  #apply(commits: readonly BooksCommit[]): void {
    if (applyCommits(this.#env, commits, this.#limits.keepDays)) return
    throw new Error(`${this.#env.folder}: these are not the books that this process has opened`)
  }

  async #settle(): Promise<void> {
    await this.#log.settle()
    await this.#log.bringOver(this)
  }

  /** Inside a transaction. Returns the logs that the database names; null when a newer owner has been here. */
  #own(epoch: number, first: () => FirstRows): readonly string[] | null {
    checkSchema(this.#env)
    if (epoch < epochIn(this.#env)) return null
    const found = logsIn(this.#env)
    putMeta(this.#env, META.epoch, epoch)
    if (metaIn(this.#env, META.ledger) === undefined) this.#create(first())
    if (headIn(this.#env).books === '') nameBooks(this.#env)
    nameLogs(this.#env, [...new Set([...found, ...this.#joined()])])
    return found
  }

  /** Joined before it is named; and in a transaction, so that nobody who leaves it comes in between. */
  #joined(): readonly string[] {
    const name = this.#log.join(this.key)
    return name === undefined ? [] : [name]
  }

  #create({ ledger, holdings }: FirstRows): void {
    putMeta(this.#env, META.ledger, ledger)
    for (const holding of holdings) this.#env.put('holdings', holding.code, encode(holding))
  }

  /**
   * What other processes have told and not brought over. They see the epoch before they append anything more.
   * False when a newer owner has come meanwhile.
   */
  async #recover(epoch: number, logs: readonly string[]): Promise<boolean> {
    const { commits, lost } = await this.#tailsIn(logs)
    const bytes = commits.reduce((sum, { body }) => sum + body.length, 0)
    if (!(await this.#log.untilRoom(bytes)) || this.#isClosed) return false
    const isOurs = this.#env.write(() => {
      if (epoch < epochIn(this.#env)) return false
      if (!applyCommits(this.#env, commits, this.#limits.keepDays)) lost.push('')
      if (lost.length > 0) nameBooks(this.#env)
      nameLogs(this.#env, this.#joined())
      return true
    })
    if (!isOurs) return false
    if (lost.length > 0) this.#warnOfLoss(lost)
    for (const name of logs) await this.#leave(name)
    return true
  }

  /** Our commits in these logs, in order, and which of them cannot be relied upon. */
  async #tailsIn(logs: readonly string[]) {
    const commits: BooksCommit[] = []
    const lost: string[] = []
    for (const name of logs) {
      const found = await this.#log.read(name)
      if (found === undefined || found.hole !== undefined) lost.push(name)
      if (found !== undefined) commits.push(...commitsOf(found, this.key))
    }
    commits.sort((a, b) => a.head.number - b.head.number)
    return { commits, lost }
  }

  #warnOfLoss(logs: readonly string[]): void {
    const fields = { account: this.key, logs: logs.filter((name) => name !== '') }
    this.#log.warn(fields, 'the paper books may lack what was told last before the process ended')
  }

  /** Nobody need read this log for us any more, unless its process has taken the books again meanwhile. */
  #leave(name: string): Promise<void> {
    return this.#log.leave(name, this.key, (leave) => {
      this.#env.write(() => {
        if (!logsIn(this.#env).includes(name)) leave()
      })
    })
  }

  /** Inside a transaction: the database has everything, so nobody need look into our log. */
  #leaveOwn(): void {
    nameLogs(
      this.#env,
      logsIn(this.#env).filter((name) => name !== this.#log.ownName),
    )
  }
}
