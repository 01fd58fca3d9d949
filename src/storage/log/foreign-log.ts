import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { type Environment, openEnvironment } from '../environment.ts'
import { contentsOf, type LogContents } from './batch.ts'
import { isDead, isLog, LOCK_FOLDER, MEMBERS_FOLDER, membersOf, segmentsOf } from './folder.ts'
import { removeLogFolder } from './log.ts'
import { readSegment } from './segment.ts'

/**
 * The log of another process, dead or alive, for who takes over what it held.
 *
 *     const foreign = ForeignLog.open(root, name)   // undefined: it is gone. Does the database still name it?
 *     await foreign.untilFree()                     // before the epoch is raised: who sleeps in an append is waited for
 *     …                                             // raise the epoch of the key in its database
 *     const { batches, hole } = await foreign.read()
 *     …                                             // what the database lacks, written to it; it names the log no more
 *     foreign.leave(key); await foreign.removeIfDone()
 */
export class ForeignLog {
  readonly name: string
  readonly #folder: string
  readonly #lock: Environment
  #seen: readonly Buffer[] = []
  #contents: LogContents | undefined

  private constructor(folder: string, name: string, lock: Environment) {
    this.name = name
    this.#folder = folder
    this.#lock = lock
  }

  /** Undefined when there is no such log. Errors  `STORE_FAILED` when its lock cannot be opened. */
  static open(root: string, name: string): ForeignLog | undefined {
    const folder = join(root, name)
    if (!isLog(folder)) return undefined
    return new ForeignLog(folder, name, openEnvironment(join(folder, LOCK_FOLDER), []))
  }

  /** Resolves when no append is under way. Waits beside this thread, for as long as it takes. */
  untilFree(): Promise<void> {
    return this.#lock.writeLater(() => undefined)
  }

  /**
   * What it holds, read while nothing is appended. Undefined when it was removed meanwhile.
   *
   * Errors  of the system; `UnknownLogError` when a newer release wrote it.
   */
  async read(): Promise<LogContents | undefined> {
    const found: { segments?: readonly Buffer[] | undefined; error?: unknown } = {}
    await this.#lock.writeLater(() => {
      try {
        found.segments = this.#segments()
      } catch (error) {
        found.error = error
      }
    })
    if (found.error !== undefined) throw found.error
    return found.segments && this.#parse(found.segments)
  }

  /** The database of `key` names this log no more. */
  leave(key: string): void {
    rmSync(join(this.#folder, MEMBERS_FOLDER, key), { force: true })
  }

  /** Removes the log of a process that is gone when no database names it any more. Closed then. */
  async removeIfDone(): Promise<boolean> {
    if (!isDead(this.name) || membersOf(this.#folder).length > 0) return false
    await this.close()
    removeLogFolder(this.#folder)
    return true
  }

  async close(): Promise<void> {
    await this.#lock.close()
  }

  #segments(): readonly Buffer[] | undefined {
    if (!isLog(this.#folder)) return undefined
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
