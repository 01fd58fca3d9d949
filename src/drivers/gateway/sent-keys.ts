import {
  closeSync,
  fsyncSync,
  mkdirSync,
  openSync,
  readFileSync,
  renameSync,
  writeSync,
} from 'node:fs'
import { join } from 'node:path'
import { DAY_MS, exchangeDay } from '../../domain/exchange-time.ts'
import { flush } from '../../storage/flushed.ts'

export const SENT_FILE = 'sent.ndjson'

/** An order that was handed to the network, or was about to be. */
export interface SentKey {
  /** Client order id. */
  readonly key: string
  readonly strategy: string
  /** Exchange day on which it was sent. */
  readonly day: string
  /** Number there; empty while it is not known, or there is none. */
  readonly orderId: string
  /** What became of it is known. */
  readonly isDecided: boolean
}

/** Lines of the file. */
type Line =
  | { readonly epoch: number }
  | { readonly key: string; readonly strategy: string; readonly day: string }
  | { readonly decided: string; readonly orderId: string }

export interface SentKeysOptions {
  readonly folder: string
  readonly keepDays: number
  readonly keysMax: number
  /** What the other gateway calls an order of this key. */
  readonly idThere: (key: string) => string
  /** Epoch milliseconds. */
  readonly nowMs: () => number
  /** Does a piece of work in which the thread stands as long as the disk likes: whoever watches it has to know. */
  readonly atDisk?: (<T>(work: () => T) => T) | undefined
  /** Another disk than the real one, for tests. */
  readonly disk?: SentDisk
}

interface SentDisk {
  /** How many bytes it took: a disk that is nearly full takes the first of them, without an error. */
  readonly write: (file: number, bytes: Uint8Array) => number
  readonly flush: (file: number) => void
  /** Which names are in a folder stays so after a power cut. */
  readonly flushNames: (folder: string) => void
}

const DISK: SentDisk = {
  write: (file, bytes) => writeSync(file, bytes),
  flush: fsyncSync,
  flushNames: flush,
}

/**
 * The keys of this account's orders, on disk before anything is sent: whatever ends, the next life knows which
 * orders may still be on their way, and which rows of the other gateway are its own. One file that is
 * appended to, made anew when it is opened.
 */
export class SentKeys {
  readonly #options: SentKeysOptions
  readonly #keys = new Map<string, SentKey>()
  readonly #byNumber = new Map<string, string>()
  readonly #byIdThere = new Map<string, string>()
  readonly #path: string
  readonly #disk: SentDisk
  /** Undefined: what the last write has left there is not known, and the next one makes it anew. */
  #file: number | undefined
  #isClosed = false
  #epoch = 0

  /** Errors  throws when the folder cannot be written. */
  constructor(options: SentKeysOptions) {
    this.#options = options
    this.#disk = options.disk ?? DISK
    mkdirSync(options.folder, { recursive: true, mode: 0o700 })
    this.#path = join(options.folder, SENT_FILE)
    this.#load(this.#path)
    this.#file = this.#atDisk(() => this.#madeAnew())
  }

  /** Highest epoch of an owner that has been here. */
  get epoch(): number {
    return this.#epoch
  }

  noteEpoch(epoch: number): void {
    if (epoch === this.#epoch) return
    this.#write({ epoch }, true)
    this.#epoch = epoch
  }

  /** Errors  throws when it cannot be written down; then it must not be sent. */
  add(key: string, strategy: string): void {
    if (this.#keys.size >= this.#options.keysMax) this.#forgetOld() // a process may live for months
    if (this.#keys.size >= this.#options.keysMax) {
      throw new Error('limits.gateway.sent_max: 记录的委托键已满 (too many keys are kept)')
    }
    const day = exchangeDay(this.#options.nowMs())
    this.#write({ key, strategy, day }, true)
    this.#put({ key, strategy, day, orderId: '', isDecided: false })
  }

  /** What became of it is known; the number is empty when it was not taken. */
  decide(key: string, orderId: string): void {
    const sent = this.#keys.get(key)
    if (sent === undefined || (sent.isDecided && sent.orderId === orderId)) return
    this.#put({ ...sent, orderId, isDecided: true })
    try {
      this.#write({ decided: key, orderId }, false)
    } catch {} // it is asked for again by the next life
  }

  find(key: string): SentKey | undefined {
    return this.#keys.get(key)
  }

  /** By the id that the other gateway shows. */
  shownAs(idThere: string): SentKey | undefined {
    return this.#keys.get(this.#byIdThere.get(idThere) ?? '')
  }

  /** Numbers may begin anew every day. */
  numbered(orderId: string, timeMs: number): SentKey | undefined {
    return this.#keys.get(this.#byNumber.get(numberKey(exchangeDay(timeMs), orderId)) ?? '')
  }

  /** Nobody knows yet what became of them. */
  undecided(): readonly string[] {
    return [...this.#keys.values()].flatMap(({ key, isDecided }) => (isDecided ? [] : [key]))
  }

  /** For good: an answer that comes later writes nothing over what the next connection keeps there. */
  close(): void {
    this.#isClosed = true
    this.#letGo()
  }

  #letGo(): void {
    if (this.#file !== undefined) closeSync(this.#file)
    this.#file = undefined
  }

  #put(sent: SentKey): void {
    this.#keys.set(sent.key, sent)
    this.#byIdThere.set(this.#options.idThere(sent.key), sent.key)
    if (sent.orderId !== '') this.#byNumber.set(numberKey(sent.day, sent.orderId), sent.key)
  }

  /**
   * Errors  throws; the line counts for nothing then. What stands of it would swallow the next one, and a flush that
   * failed once says nothing when it is tried again: the file is made anew from what is known here.
   */
  #write(line: Line, mustLast: boolean): void {
    if (this.#isClosed) throw new Error('closed')
    this.#atDisk(() => {
      this.#file ??= this.#madeAnew()
      try {
        this.#append(this.#file, `${JSON.stringify(line)}\n`, mustLast)
      } catch (error) {
        this.#letGo()
        throw error
      }
    })
  }

  #atDisk<T>(work: () => T): T {
    const { atDisk } = this.#options
    return atDisk === undefined ? work() : atDisk(work)
  }

  /**
   * Open for appending. Errors  throws; what is found later is the file from before, or all that is known here. Keys
   * that are appended must not go with a name that the disk has not taken yet.
   */
  #madeAnew(): number {
    const fresh = `${this.#path}.new`
    const file = openSync(fresh, 'w', 0o600)
    try {
      this.#append(file, this.#text(), true)
    } finally {
      closeSync(file)
    }
    renameSync(fresh, this.#path)
    this.#disk.flushNames(this.#options.folder)
    return openSync(this.#path, 'a', 0o600)
  }

  #append(file: number, text: string, mustLast: boolean): void {
    const { write, flush } = this.#disk
    for (let rest = Buffer.from(text); rest.length > 0; ) rest = rest.subarray(write(file, rest))
    if (mustLast) flush(file)
  }

  #text(): string {
    const lines: Line[] = [{ epoch: this.#epoch }]
    for (const { key, strategy, day, orderId, isDecided } of this.#keys.values()) {
      lines.push({ key, strategy, day })
      if (isDecided) lines.push({ decided: key, orderId })
    }
    return lines.map((line) => `${JSON.stringify(line)}\n`).join('')
  }

  #load(path: string): void {
    for (const line of linesOf(path)) this.#take(line)
    this.#forgetOld()
  }

  /** Decided and of days that are not kept; what they were called leads to nothing then. */
  #forgetOld(): void {
    const { keepDays, nowMs, idThere } = this.#options
    const fromDay = exchangeDay(nowMs() - keepDays * DAY_MS)
    for (const { key, day, orderId, isDecided } of [...this.#keys.values()]) {
      if (!isDecided || day >= fromDay) continue
      this.#keys.delete(key)
      this.#byIdThere.delete(idThere(key))
      this.#byNumber.delete(numberKey(day, orderId))
    }
  }

  #take(
    line: Partial<Record<'epoch' | 'key' | 'strategy' | 'day' | 'decided' | 'orderId', unknown>>,
  ) {
    const { epoch, key, strategy, day, decided, orderId } = line
    if (typeof epoch === 'number') this.#epoch = Math.max(this.#epoch, epoch)
    if (typeof key === 'string') {
      this.#put({
        key,
        strategy: String(strategy),
        day: String(day),
        orderId: '',
        isDecided: false,
      })
    }
    const sent = this.#keys.get(String(decided))
    if (sent !== undefined) this.#put({ ...sent, orderId: String(orderId), isDecided: true })
  }
}

const numberKey = (day: string, orderId: string): string => `${day}|${orderId}`

/** A last line that was cut off was never acted upon. */
function linesOf(path: string): readonly object[] {
  let text = ''
  try {
    text = readFileSync(path, 'utf8')
  } catch (error) {
    if (Reflect.get(Object(error), 'code') !== 'ENOENT') throw error
  }
  return text.split('\n').flatMap((line) => {
    try {
      const value: unknown = JSON.parse(line)
      return typeof value === 'object' && value !== null ? [value] : []
    } catch {
      return []
    }
  })
}
