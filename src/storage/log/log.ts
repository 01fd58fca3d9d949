import {
  closeSync,
  existsSync,
  fsyncSync,
  mkdirSync,
  openSync,
  renameSync,
  writeFileSync,
} from 'node:fs'
import { dirname, join } from 'node:path'
import { renameHeld } from '../../config/rename.ts'
import type { Environment } from '../environment.ts'
import { flush } from '../flushed.ts'
import { BLOCK_BYTES, bytesOfBatch, type LogRecord, recordsIn, writeBatch } from './batch.ts'
import { MEMBERS_FOLDER, newLogName, openLock, removeIfFree, segmentFile } from './folder.ts'
import { preallocate, Segment } from './segment.ts'

export interface LogLimits {
  /** Of one segment; a multiple of 4,096, at least two of them. */
  readonly segmentBytes: number
  /** More than the two that it begins with only when some must be kept for what cannot be written. */
  readonly segmentsMax: number
}

/** The last batch of a segment has no records; there is always room for it. */
const CLOSING: readonly LogRecord[] = []
const NO_ROOM: ReadonlySet<unknown> = new Set(['ENOSPC', 'EDQUOT'])

interface Part {
  readonly segment: Segment
  /** Records in it that are in no database yet. */
  held: number
  /** It holds what cannot be written to its database in this life of the process. */
  isKept: boolean
}

interface Held {
  readonly part: Part
  records: number
}

/**
 * The log of this process: what was decided for many keys (accounts) goes to disk in one append with one
 * flush, is acted upon, and comes into their databases later. Many processes work on one data folder; each
 * has a log of its own, which all may read and only it writes.
 *
 *     const log = Log.create(root, limits)       // root: a folder for the logs of all processes
 *     log.join(key)                              // in the transaction that raises the epoch of `key` in its
 *     …                                          // database, where it names the log: { epoch, logs: […, log.name] }
 *     if (log.reserve(bytesOfBatch(records)) === 'ready') {
 *       const batch = log.append(() => records.filter(isStillOurs))   // isStillOurs reads the epoch anew
 *       …                                        // answered: it will be found again, whatever happens now
 *       …                                        // later: written to the databases, each flushed; then
 *       log.forget(batch, n)                     // so many of its records are
 *     }
 *
 * The fence: `append` asks for the records inside the lock of the log. Whoever takes a key over raises its
 * epoch first and reads this log inside the same lock afterwards (`ForeignLog.read`): an append before that
 * is found, one after it sees the epoch. So what `choose` looks at must be read from the database anew.
 *
 * Whoever reads a log may be given records that are in the database long since, of this lap or an earlier
 * one: number the records of a key without a gap, keep the last number in the database, in the transaction
 * that writes them, and skip up to it.
 *
 * Errors  of the system and of LMDB while writing: the disk refused. Nothing may be appended then.
 */
export class Log {
  /** Of its folder: names this log in the databases. */
  readonly name: string
  readonly #folder: string
  readonly #limits: LogLimits
  readonly #lock: Environment
  /** Open from the start: an append must not fail because no descriptor is left. Windows opens no folder, and need not. */
  readonly #members: number | undefined
  readonly #parts: Part[]
  /** Batches whose records are not all forgotten, in order. */
  readonly #held = new Map<number, Held>()
  #current: Part
  #scratch = Buffer.alloc(BLOCK_BYTES)
  #last = 0
  /** Members whose files may not be on disk yet: the next append sees to it, for all of them. */
  #hasJoined = false

  private constructor(root: string, name: string, limits: LogLimits) {
    this.name = name
    this.#folder = join(root, name)
    this.#limits = limits
    this.#lock = openLock(this.#folder)
    const members = join(this.#folder, MEMBERS_FOLDER)
    this.#members = process.platform === 'win32' ? undefined : openSync(members, 'r')
    this.#parts = [this.#open(0), this.#open(1)]
    this.#current = this.#parts[0] as Part
  }

  /** Makes the folder whole before it has its name. Errors  of the system: nothing of it counts. */
  static create(root: string, limits: LogLimits): Log {
    const name = newLogName()
    const unfinished = join(root, `${name}.new`)
    try {
      mkdirSync(join(unfinished, MEMBERS_FOLDER), { recursive: true, mode: 0o700 })
      preallocate(join(unfinished, segmentFile(0)), limits.segmentBytes)
      preallocate(join(unfinished, segmentFile(1)), limits.segmentBytes)
      flush(unfinished)
      renameHeld(unfinished, join(root, name))
      flush(root)
      return new Log(root, name, limits)
    } catch (error) {
      removeIfFree(unfinished)
      removeIfFree(join(root, name))
      throw error
    }
  }

  /** From now on a database may name this log: until {@link leave}, nobody removes it. */
  join(key: string): void {
    writeFileSync(join(this.#folder, MEMBERS_FOLDER, key), '', { mode: 0o600 })
    this.#hasJoined = true
  }

  /** Its database names this log no more. */
  leave(key: string): void {
    removeIfFree(join(this.#folder, MEMBERS_FOLDER, key))
  }

  /**
   * Sees to it that the next append may have so many `bytes`, as {@link bytesOfBatch} says. `full`: not before
   * something is forgotten; `never`: one append cannot have so many.
   */
  reserve(bytes: number): 'ready' | 'full' | 'never' {
    if (bytes > this.batchBytesMax) return 'never'
    if (bytes <= this.#current.segment.free - BLOCK_BYTES) return 'ready'
    const next = this.#freePart()
    if (next === undefined) return 'full'
    // Said on disk before anything is written over: whoever reads a torn lap knows what it did not need.
    this.#inLock(() => this.#write(CLOSING))
    next.segment.rewind()
    this.#current = next
    return 'ready'
  }

  /**
   * Appends the records that `choose` answers, flushed when it returns. `choose` runs inside the lock. Returns
   * the number of the batch, or undefined when there were none to write.
   */
  append(choose: () => readonly LogRecord[]): number | undefined {
    return this.#inLock(() => {
      const records = choose()
      if (records.length === 0) return undefined
      const number = this.#write(records)
      this.#held.set(number, { part: this.#current, records: records.length })
      this.#current.held += records.length
      return number
    })
  }

  /** So many records of a batch are flushed in their databases. */
  forget(batch: number, records: number): void {
    const held = this.#held.get(batch)
    if (held === undefined) return
    held.records -= records
    held.part.held -= records
    if (held.records <= 0) this.#held.delete(batch)
  }

  /** So many records of a batch cannot be written: they stay in the log for the next start. */
  keep(batch: number, records: number): void {
    const held = this.#held.get(batch)
    if (held === undefined) return
    held.part.isKept = true
    this.forget(batch, records)
  }

  /** Bytes of the largest batch, as {@link bytesOfBatch} counts. */
  get batchBytesMax(): number {
    return this.#limits.segmentBytes - BLOCK_BYTES
  }

  /** How many bytes the records of the next batch should take: where nothing else is free, what this segment has left. */
  get recordBytesNow(): number {
    const left = this.#current.segment.free - BLOCK_BYTES
    return recordsIn(left > 0 && !this.hasFreeSegment ? left : this.batchBytesMax)
  }

  /** Whether it can go on in another segment when this one is full. */
  get hasFreeSegment(): boolean {
    return this.#parts.some((part) => this.#isFree(part))
  }

  /** Half of what it can take is gone, and what it would be written over is needed still. */
  get isTight(): boolean {
    const canGrow = this.#usable === 1 && this.#parts.length < this.#limits.segmentsMax
    const isHalfFull = this.#current.segment.free < this.#limits.segmentBytes / 2
    return isHalfFull && !this.hasFreeSegment && !canGrow
  }

  /** Whether something must stay in the log beyond this process, or is in no database yet. */
  get isNeeded(): boolean {
    return this.#held.size > 0 || this.#parts.some(({ isKept }) => isKept)
  }

  /** Leaves the files to whoever starts next. */
  async close(): Promise<void> {
    for (const { segment } of this.#parts) segment.close()
    if (this.#members !== undefined) closeSync(this.#members)
    await this.#lock.close()
  }

  /** Closes it and removes its folder: no database names it any more. */
  async remove(): Promise<void> {
    await this.close()
    removeLogFolder(this.#folder)
  }

  #write(records: readonly LogRecord[]): number {
    if (this.#hasJoined && this.#members !== undefined) fsyncSync(this.#members)
    this.#hasJoined = false
    const bytes = bytesOfBatch(records)
    if (bytes > this.#scratch.length) this.#scratch = Buffer.alloc(bytes)
    const number = this.#last + 1
    const [oldest = number] = this.#held.keys()
    writeBatch(this.#scratch, { number, oldest, records })
    this.#current.segment.append(this.#scratch.subarray(0, bytes))
    this.#last = number
    return number
  }

  #inLock<T>(work: () => T): T {
    return this.#lock.write(() => {
      // A file without a name takes every write, and nobody ever finds it. Where all logs are gone nobody looks.
      if (!existsSync(join(this.#folder, segmentFile(0))) && existsSync(dirname(this.#folder))) {
        throw new Error(`the log ${this.#folder} was taken away`)
      }
      return work()
    })
  }

  get #usable(): number {
    return this.#parts.filter(({ isKept }) => !isKept).length
  }

  #isFree(part: Part): boolean {
    return part !== this.#current && part.held === 0 && !part.isKept
  }

  #freePart(): Part | undefined {
    const found = this.#parts.find((part) => this.#isFree(part))
    if (found !== undefined || this.#usable > 1) return found
    if (this.#parts.length >= this.#limits.segmentsMax) return undefined
    return this.#newPart(this.#parts.length)
  }

  /** Undefined while the disk has no room for it. */
  #newPart(number: number): Part | undefined {
    const path = join(this.#folder, segmentFile(number))
    try {
      preallocate(path, this.#limits.segmentBytes)
    } catch (error) {
      removeIfFree(path)
      if (NO_ROOM.has(Reflect.get(Object(error), 'code'))) return undefined
      throw error
    }
    flush(this.#folder)
    const part = this.#open(number)
    this.#parts.push(part)
    return part
  }

  #open(number: number): Part {
    const path = join(this.#folder, segmentFile(number))
    return { segment: new Segment(path, this.#limits.segmentBytes), held: 0, isKept: false }
  }
}

/** At once or not at all, for whoever looks: first the name, then the files. */
export function removeLogFolder(folder: string): void {
  const gone = `${folder}.gone`
  try {
    renameSync(folder, gone)
  } catch {
    return // somebody reads it; the next start tries again
  }
  removeIfFree(gone)
}
