import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { Room } from '../../storage/free-space.ts'
import {
  BLOCK_BYTES,
  bytesOfBatch,
  type LogContents,
  type LogRecord,
} from '../../storage/log/batch.ts'
import { Checkpoints, type Movable } from '../../storage/log/checkpoints.ts'
import { mustBeSeen, removeLeftovers } from '../../storage/log/folder.ts'
import { ForeignLog } from '../../storage/log/foreign-log.ts'
import { Log, type LogLimits } from '../../storage/log/log.ts'
import type { Changes } from './books.ts'
import type { BooksCommit } from './books-commit.ts'

export interface BooksLogLimits {
  /** Of each of the two files of the log. */
  readonly logBytes: number
  /** From the first commit that is in the log alone until the databases get it; sooner when it fills up. */
  readonly checkpointMs: number
  /** Between two of them. */
  readonly checkpointRestMs: number
  /** Free disk space below which no database is written. */
  readonly writeMarginBytes: number
  /** Between two looks whether there is more. */
  readonly writeRetryMs: number
}

/** What others must know of the work that waits for the disk. */
export interface Pulse {
  /** Something waits: nobody may take the process for quiet. */
  begin(): void
  /** Nothing waits any more, and all is told. */
  end(): void
  /** A sign of life in the middle of a long turn. */
  beat(): void
  /** Does a piece of work in which the thread stands as long as the disk likes: whoever watches it has to know. */
  atDisk<T>(work: () => T): T
}

const NO_ROOM: ReadonlySet<unknown> = new Set(['ENOSPC', 'EDQUOT'])
/** A row that is replaced takes a new page, and pages above it. */
const PAGES_AROUND = 4

/** Books whose commits come this way. */
export interface LoggedBooks extends Movable {
  /** Of the account, in the log. */
  readonly key: string
  readonly isOwner: (epoch: number) => boolean
  /** The commit that these changes come to, behind the last one that was taken. */
  readonly plan: (changes: readonly Changes[]) => BooksCommit
  /** It is in the log, and the database is to have it. */
  readonly taken: (commit: BooksCommit, batch: number) => void
  /** Past the log: into the database with it. False, and nothing is written, when a newer owner has been here. */
  readonly write: (epoch: number, commit: BooksCommit) => boolean
}

interface Decided {
  readonly books: LoggedBooks
  readonly epoch: number
  readonly changes: readonly Changes[]
  readonly written: (isWritten: boolean) => void
}

/** All that one account decided in one turn. */
interface Group {
  readonly books: LoggedBooks
  readonly epoch: number
  readonly commit: BooksCommit
}

export interface BooksLogOptions {
  /** On the disk whose free space is looked at. */
  readonly dataDir: string
  /** For the logs of all processes. */
  readonly folder: string
  readonly limits: BooksLogLimits
  readonly pulse: Pulse
  /** Takes what an operator should know. */
  readonly warn: (fields: Readonly<Record<string, unknown>>, text: string) => void
  /** On another disk than the real one, for tests. */
  readonly createLog?: typeof Log.create
  /** The same, of how full it is. */
  readonly freeBytes?: (folder: string) => number
}

/**
 * What all paper accounts of the process decide in one turn of the thread goes to disk with one append and
 * one flush; then they are told, in the order in which they decided. Their databases get it later.
 *
 * What does not fit into the log goes into the databases at once, as if there were no log. No database is
 * written while the disk has no room: a database that has met a full disk must not be used on. What is in the log
 * stays there then, and what finds no place in it waits.
 *
 * Errors  what the disk refuses is thrown in a turn of its own, and must end the process.
 */
export class BooksLog {
  readonly #options: BooksLogOptions
  #own: Log | undefined
  readonly #foreign = new Map<string, ForeignLog>()
  /** Whose databases may name the own one. */
  readonly #members = new Set<string>()
  #decided: Decided[] = []
  /** How many of each books are decided and not told. */
  readonly #untold = new Map<LoggedBooks, number>()
  /** Something is decided, and the end of the turn awaited. */
  #isBusy = false
  /** Past the log, while the databases are written. */
  #detour: Promise<void> | undefined
  readonly #checkpoints: Checkpoints<LoggedBooks>
  /** Those in which something may be that is in the log alone. */
  readonly #behind = new Set<LoggedBooks>()
  readonly #room: Room
  #isWaitingOver = false
  #isClosed = false

  constructor(options: BooksLogOptions) {
    this.#options = options
    const { dataDir, limits, freeBytes } = options
    const marginBytes = limits.writeMarginBytes
    this.#room = new Room({ dataDir, marginBytes, ...(freeBytes && { freeBytes }) })
    this.#checkpoints = new Checkpoints({
      everyMs: limits.checkpointMs,
      restMs: limits.checkpointRestMs,
      retryMs: limits.writeRetryMs,
      isUrgent: () => this.#own?.isTight === true,
      nowMs: () => performance.now(),
      moved: () => undefined,
    })
  }

  /**
   * Before any books are opened: whoever may not use the folder would take what other processes hold there for gone.
   *
   * Errors  what the system says, unless it lacks room.
   */
  prepare(): void {
    this.#own ??= this.#create()
  }

  /** Errors  of the system: nobody knows whether the log of another process is there. */
  mustBeSeen(name: string): void {
    mustBeSeen(join(this.#options.folder, name))
  }

  /**
   * The database of `key` is about to name the log of this process, which is made when it is first asked for.
   * Undefined when the disk has no room for it: then everything goes into the databases at once.
   */
  join(key: string): string | undefined {
    this.prepare()
    this.#own?.join(key)
    if (this.#own !== undefined) this.#members.add(key)
    return this.#own?.name
  }

  /** Of the log of this process, if there is one. */
  get ownName(): string | undefined {
    return this.#own?.name
  }

  /** One commit of a batch is in its database. */
  forget(batch: number): void {
    this.#own?.forget(batch, 1)
  }

  /** The database of `key` names the log of this process no more. */
  leaveOwn(key: string): void {
    if (this.#members.delete(key)) this.#own?.leave(key)
  }

  /** What the log of another process holds; undefined when it is gone. Waits until nothing is appended there. */
  async read(name: string): Promise<LogContents | undefined> {
    const log = this.#foreign.get(name) ?? ForeignLog.open(this.#options.folder, name)
    if (log === undefined) return undefined
    this.#foreign.set(name, log)
    return log.read()
  }

  /** `decide` calls what it is given if the database of `key` does not name that log. */
  async leave(name: string, key: string, decide: (leave: () => void) => void): Promise<void> {
    const log = this.#foreign.get(name)
    if (log === undefined) return
    decide(() => log.leave(key))
    if (!log.isDone) return
    this.#foreign.delete(name) // nobody reads it while it goes
    await log.remove()
  }

  warn(fields: Readonly<Record<string, unknown>>, text: string): void {
    this.#options.warn(fields, text)
  }

  /**
   * Takes what was decided under `epoch`. `written` is called once it is on disk, or with false when a newer
   * owner has been here and it never will be: in the order of these calls, also where nothing changed.
   */
  commit(decided: Decided): void {
    const { books, changes, written } = decided
    const untold = this.#untold.get(books) ?? 0
    if (changes.length === 0 && untold === 0) return written(true)
    this.#untold.set(books, untold + 1)
    this.#decided.push(decided)
    if (this.#isBusy) return
    this.#isBusy = true
    this.#options.pulse.begin()
    setImmediate(() => this.flush())
  }

  /** Whether a database may be written that takes so many `bytes` of commits. */
  hasRoomFor(bytes: number): boolean {
    return this.#room.has(PAGES_AROUND * bytes)
  }

  /** Resolves when it may; false when nobody waits any more. */
  async untilRoom(bytes = 0): Promise<boolean> {
    while (!this.hasRoomFor(bytes)) {
      if (this.#isWaitingOver) return false
      await delay(this.#options.limits.writeRetryMs)
    }
    return true
  }

  /** The process is to end: what finds no room on the disk by then has not happened. */
  stopWaiting(): void {
    this.#isWaitingOver = true
  }

  /** What has been decided until now is on disk and told when this resolves. */
  async settle(): Promise<void> {
    this.flush()
    while (this.#detour !== undefined) await this.#detour
  }

  /** The end of a turn. */
  flush(): void {
    if (this.#detour !== undefined || this.#decided.length === 0) return
    const decided = this.#decided
    const groups = groupsOf(decided)
    if (!this.#fits(groups)) {
      this.#detour = this.#goAround(groups)
      return
    }
    this.#decided = []
    this.#tell(decided, this.#append(groups))
  }

  /** After all books are closed. What a database still names stays. */
  async close(): Promise<void> {
    await this.settle()
    this.#isClosed = true
    this.#checkpoints.close()
    for (const log of this.#foreign.values()) await log.close()
    this.#foreign.clear()
    const own = this.#own
    this.#own = undefined
    if (own?.isNeeded || this.#members.size > 0) await own?.close()
    else await own?.remove()
  }

  #create(): Log | undefined {
    if (this.#isClosed) throw new Error('the log of the paper books is closed')
    const { folder, limits, createLog = Log.create } = this.#options
    try {
      mkdirSync(folder, { recursive: true, mode: 0o700 })
      removeLeftovers(folder)
      return createLog(folder, logLimits(limits))
    } catch (error) {
      if (!NO_ROOM.has(Reflect.get(Object(error), 'code'))) throw error
      this.warn({ folder }, 'no room for the log of the paper books: they are written without it')
      return undefined
    }
  }

  #fits(groups: readonly Group[]): boolean {
    if (groups.length === 0) return true
    if (!groups.every(({ books }) => this.#members.has(books.key))) return false
    const bytes = bytesOfBatch(groups.map(recordOf))
    return this.#options.pulse.atDisk(() => this.#own?.reserve(bytes)) === 'ready'
  }

  /** Books that are written. */
  #append(groups: readonly Group[]): ReadonlySet<LoggedBooks> {
    const written = new Set<LoggedBooks>()
    if (groups.length === 0) return written
    const batch = this.#options.pulse.atDisk(() =>
      this.#own?.append(() => {
        const ours = groups.filter(({ books, epoch }) => books.isOwner(epoch))
        for (const { books } of ours) written.add(books)
        return ours.map(recordOf)
      }),
    )
    for (const { books, commit } of groups) {
      if (batch === undefined || !written.has(books)) continue
      books.taken(commit, batch)
      this.#behind.add(books)
      this.#checkpoints.add(books)
    }
    if (this.#own?.isTight === true) this.#checkpoints.hurry()
    return written
  }

  /** The log is full, or too small for this turn: what comes meanwhile waits for the next one. */
  async #goAround(groups: readonly Group[]): Promise<void> {
    const decided = this.#decided
    this.#decided = []
    const behind = new Set([...this.#behind, ...groups.map(({ books }) => books)])
    for (const books of behind) await this.bringOver(books)
    const written = await this.#writeAll(groups)
    this.#detour = undefined
    this.#tell(decided, written)
    this.flush()
  }

  #tell(decided: readonly Decided[], written: ReadonlySet<LoggedBooks>): void {
    const refused = new Set<LoggedBooks>()
    for (const { books, changes, written: tell } of decided) {
      if (changes.length > 0 && !written.has(books)) refused.add(books)
      const untold = (this.#untold.get(books) ?? 1) - 1
      if (untold > 0) this.#untold.set(books, untold)
      else this.#untold.delete(books)
      this.#options.pulse.beat()
      tell(!refused.has(books))
    }
    if (this.#decided.length > 0) {
      setImmediate(() => this.flush())
      return
    }
    this.#isBusy = false
    this.#options.pulse.end()
  }

  /** All that was taken is in the database when this resolves, unless the process ends before there is room. */
  async bringOver(books: LoggedBooks): Promise<void> {
    while (!(await books.move())) {
      if (this.#isWaitingOver) return
      await delay(this.#options.limits.writeRetryMs)
    }
    if (!books.hasPending) this.#behind.delete(books)
  }

  /** Past the log. Those that are written; none where the process ends before there is room. */
  async #writeAll(groups: readonly Group[]): Promise<ReadonlySet<LoggedBooks>> {
    const written = new Set<LoggedBooks>()
    for (const { books, epoch, commit } of groups) {
      if (books.hasPending || !(await this.untilRoom(commit.body.length))) continue
      if (books.write(epoch, commit)) written.add(books)
      this.#options.pulse.beat()
    }
    return written
  }
}

const recordOf = ({ books: { key }, epoch, commit: { body } }: Group): LogRecord => ({
  key,
  epoch,
  body,
})

/** One commit for the books of each account, in the order in which they first changed. */
function groupsOf(decided: readonly Decided[]): readonly Group[] {
  const changed = new Map<LoggedBooks, { epoch: number; changes: Changes[] }>()
  for (const { books, epoch, changes } of decided) {
    if (changes.length === 0) continue
    const group = changed.get(books) ?? { epoch, changes: [] }
    group.changes.push(...changes)
    changed.set(books, group)
  }
  return Array.from(changed, ([books, { epoch, changes }]) => {
    return { books, epoch, commit: books.plan(changes) }
  })
}

function logLimits({ logBytes }: BooksLogLimits): LogLimits {
  const blocks = Math.floor(logBytes / BLOCK_BYTES)
  return { segmentBytes: blocks * BLOCK_BYTES, segmentsMax: 2 }
}
