import { statSync } from 'node:fs'
import { join } from 'node:path'
import type { Environment } from '../environment.ts'
import { contentsOf, type LogContents } from './batch.ts'
import {
  hasMembers,
  isDead,
  isLog,
  isOfOtherProcess,
  lockFolder,
  MEMBERS_FOLDER,
  openLock,
  removeIfFree,
  segmentsOf,
} from './folder.ts'
import { LockHolder } from './lock-holder.ts'
import { removeLogFolder } from './log.ts'
import { readSegment } from './segment.ts'

/** A file that was written less than this ago may be written again without a later time. */
const SETTLED_MS = 2_000

/**
 * The log of another process, dead or alive, for who takes over what it held.
 *
 *     const foreign = ForeignLog.open(root, name)   // undefined: it is gone. Does the database still name it?
 *     await foreign.untilFree()                     // before the epoch is raised: who sleeps in an append is waited for
 *     …                                             // raise the epoch of the key in its database
 *     const { batches, hole } = await foreign.read()
 *     …                                             // what the database lacks, written to it; it names the log no more
 *     foreign.leave(key)                            // in a transaction that finds it is still so
 *     await (foreign.isDone ? foreign.remove() : foreign.close())
 */
export class ForeignLog {
  readonly name: string
  readonly #folder: string
  readonly #holder: LockHolder
  /** Opened for a log whose process is gone, and for our own: nobody sleeps in its lock. */
  #lock: Environment | undefined
  #seen: readonly Buffer[] = []
  #contents: LogContents | undefined
  /** Sizes and times of the segments as they were read, when they cannot have changed without others. */
  #stamp: string | undefined

  private constructor(folder: string, name: string) {
    this.name = name
    this.#folder = folder
    this.#holder = new LockHolder(lockFolder(folder))
  }

  /** Undefined when there is no such log. */
  static open(root: string, name: string): ForeignLog | undefined {
    const folder = join(root, name)
    return isLog(folder) ? new ForeignLog(folder, name) : undefined
  }

  /** Resolves when no append is under way. Waits beside this thread, for as long as it takes. */
  untilFree(): Promise<void> {
    return this.#inLock(() => undefined)
  }

  /**
   * What it holds, read while nothing is appended. Undefined when it was removed meanwhile.
   *
   * Errors  of the system; `STORE_FAILED`, `OVERLOADED` when its lock cannot be opened; `UnknownLogError` when a newer
   *         release wrote it.
   */
  async read(): Promise<LogContents | undefined> {
    const segments = await this.#inLock(() => (this.#isAsRead() ? this.#seen : this.#segments()))
    return segments === this.#seen ? this.#contents : segments && this.#parse(segments)
  }

  /** The database of `key` names this log no more. */
  leave(key: string): void {
    removeIfFree(join(this.#folder, MEMBERS_FOLDER, key))
  }

  /** Its process is gone. Others may still need what it holds. */
  get isDead(): boolean {
    return isDead(this.name)
  }

  /** Its process is gone, and no database names it any more: it can be removed. */
  get isDone(): boolean {
    return this.isDead && !hasMembers(this.#folder)
  }

  /** Closes it and removes its folder. */
  async remove(): Promise<void> {
    await this.close()
    removeLogFolder(this.#folder)
  }

  /** Who still waits for its lock is told so. */
  async close(): Promise<void> {
    this.#holder.close()
    const lock = this.#lock
    this.#lock = undefined
    await lock?.close()
  }

  async #inLock<T>(work: () => T): Promise<T> {
    const mayBeHeld = this.#holder.isBusy || (isOfOtherProcess(this.name) && !this.isDead)
    if (mayBeHeld) return this.#holder.inLock(work).catch((error) => this.#unlessGone(error, work))
    if (!isLog(this.#folder)) return work() // opening its lock would make one
    this.#lock ??= openLock(this.#folder)
    return this.#lock.write(work)
  }

  /** Where it was removed meanwhile there is no lock, and need be none. */
  #unlessGone<T>(error: unknown, work: () => T): T {
    if (isLog(this.#folder)) throw error
    return work()
  }

  /** Nobody writes it any more, so a hundred accounts need not read megabytes each. */
  #isAsRead(): boolean {
    return this.#stamp !== undefined && this.isDead && this.#stampNow() === this.#stamp
  }

  /** Undefined when the files may still change unseen. */
  #stampNow(): string | undefined {
    if (!this.isDead || !isLog(this.#folder)) return undefined
    const stats = segmentsOf(this.#folder).map((name) => statSync(join(this.#folder, name)))
    if (stats.some(({ mtimeMs }) => Date.now() - mtimeMs < SETTLED_MS)) return undefined
    return stats.map(({ size, mtimeMs, ino }) => `${size} ${mtimeMs} ${ino}`).join('\n')
  }

  #segments(): readonly Buffer[] | undefined {
    if (!isLog(this.#folder)) return undefined
    this.#stamp = this.#stampNow()
    return segmentsOf(this.#folder).map((name) => readSegment(join(this.#folder, name)))
  }

  /** Many ask for the same log one after the other, and most find it as the first one did. */
  #parse(segments: readonly Buffer[]): LogContents {
    const isSame =
      segments.length === this.#seen.length &&
      segments.every((bytes, i) => this.#seen[i]?.equals(bytes))
    if (this.#contents !== undefined && isSame) return this.#contents
    this.#contents = contentsOf(segments)
    this.#seen = segments
    return this.#contents
  }
}
