import {
  closeSync,
  copyFileSync,
  fsyncSync,
  mkdirSync,
  openSync,
  readFileSync,
  readSync,
  rmSync,
  writeSync,
} from 'node:fs'
import { join } from 'node:path'
import { renameHeld } from '../../config/rename.ts'
import { ServiceError } from '../../domain/errors.ts'
import { err, type Result } from '../../domain/result.ts'
import { flush } from '../flushed.ts'
import { namesIn } from '../listing.ts'
import {
  HEAD_BYTES,
  parseSegmentHead,
  readSegment,
  type Segment,
  type SegmentHead,
} from './segment.ts'

/** A segment as its name tells it. */
export interface SegmentFile {
  readonly name: string
  readonly first: number
  readonly last: number
}

const NAME = /^(\d{12})-(\d{12})\.seg$/
const DIGITS = 12
const UNFINISHED = '.part'

/** Names sort as their numbers do. */
const segmentName = (first: number, last: number): string =>
  `${String(first).padStart(DIGITS, '0')}-${String(last).padStart(DIGITS, '0')}.seg`

export const journalFolder = (dataDir: string, accountId: string): string =>
  join(dataDir, accountId, 'journal')

/** Where a process may end while a segment is written, for tests. */
export type WriteStep = 'created' | 'written' | 'flushed' | 'renamed' | 'settled'

/** How many bytes of a file a disk took. */
export type TakeBytes = (file: number, bytes: Uint8Array) => number

interface WriteOptions {
  readonly at?: (step: WriteStep) => void
  /** Another disk than the real one, for tests. */
  readonly disk?: TakeBytes
}

/** The folder of one account's segments. A segment is written once, whole, and never changed. */
export class SegmentFiles {
  readonly accountId: string
  readonly folder: string
  readonly #at: (step: WriteStep) => void
  readonly #disk: TakeBytes

  constructor(dataDir: string, accountId: string, options: WriteOptions = {}) {
    this.accountId = accountId
    this.folder = journalFolder(dataDir, accountId)
    this.#at = options.at ?? (() => undefined)
    this.#disk = options.disk ?? ((file, bytes) => writeSync(file, bytes))
  }

  /** In the order of their numbers; empty where nothing was ever moved. Errors  of {@link namesIn}. */
  list(): readonly SegmentFile[] {
    const names = namesIn(this.folder).sort()
    return names.flatMap((name) => {
      const [, first, last] = NAME.exec(name) ?? []
      return first === undefined ? [] : [{ name, first: Number(first), last: Number(last) }]
    })
  }

  /** On disk under its name, and read back, when this returns. Errors  what the disk says; `STORE_FAILED`. */
  write(head: Pick<SegmentFile, 'first' | 'last'>, bytes: Uint8Array): SegmentFile {
    this.#makeFolder()
    const file = { ...head, name: segmentName(head.first, head.last) }
    const part = join(this.folder, `${file.name}.${process.pid}${UNFINISHED}`)
    const handle = openSync(part, 'w', 0o600)
    try {
      this.#at('created')
      orGone(part, () => {
        for (let rest = bytes; rest.length > 0; ) rest = rest.subarray(this.#disk(handle, rest))
      })
      this.#at('written')
      orGone(part, () => fsyncSync(handle))
    } finally {
      closeSync(handle)
    }
    this.#at('flushed')
    renameHeld(part, join(this.folder, file.name))
    this.#at('renamed')
    this.settle()
    this.read(file)
    return file
  }

  /** Every name in the folder is on disk when this returns. Errors  what the disk says. */
  settle(): void {
    flush(this.folder)
    this.#at('settled')
  }

  /** The whole segment, checked. Errors  `STORE_FAILED`: it is gone, cut, changed, or another one. */
  read(file: SegmentFile): Segment {
    const read = this.#bytesOf(file, (path) => readSegment(readFileSync(path)))
    if (!read.ok) throw this.#failure(file, read.error)
    const other = this.#otherThan(file, read.value.head)
    if (other !== undefined) throw this.#failure(file, other)
    return read.value
  }

  /** What its head says, without its body. Errors  as of {@link read}. */
  head(file: SegmentFile): SegmentHead {
    const read = this.#bytesOf(file, (path) => parseSegmentHead(firstBytes(path)))
    if (!read.ok) throw this.#failure(file, read.error)
    const other = this.#otherThan(file, read.value)
    if (other !== undefined) throw this.#failure(file, other)
    return read.value
  }

  /** A copy of a segment that another folder has; one that is deleted meanwhile was kept no longer. */
  copyTo(other: SegmentFiles, { name }: SegmentFile): boolean {
    other.#makeFolder()
    try {
      copyFileSync(join(this.folder, name), join(other.folder, name))
      return true
    } catch (error) {
      if (Reflect.get(Object(error), 'code') === 'ENOENT') return false
      throw error
    }
  }

  remove({ name }: SegmentFile): void {
    rmSync(join(this.folder, name), { force: true, maxRetries: 5 })
  }

  /** What a process has left that ended while it wrote. */
  removeUnfinished(): void {
    for (const name of namesIn(this.folder)) {
      if (name.endsWith(UNFINISHED)) rmSync(join(this.folder, name), { force: true, maxRetries: 5 })
    }
  }

  #bytesOf<T>({ name }: SegmentFile, read: (path: string) => Result<T, string>): Result<T, string> {
    try {
      return read(join(this.folder, name))
    } catch (error) {
      return err(`it cannot be read (${Reflect.get(Object(error), 'code') ?? error})`)
    }
  }

  #otherThan({ first, last }: SegmentFile, head: SegmentHead): string | undefined {
    if (head.account !== this.accountId) return 'it is of another account'
    if (head.first === first && head.last === last) return undefined
    return `it holds the entries ${head.first} to ${head.last}`
  }

  #failure({ name }: SegmentFile, why: string): ServiceError {
    return new ServiceError('STORE_FAILED', `segment ${name}: ${why}`)
  }

  #makeFolder(): void {
    if (mkdirSync(this.folder, { recursive: true, mode: 0o700 }) === undefined) return
    flush(join(this.folder, '..'))
  }
}

/** What a full disk has taken of a file is given back at once: accounts need it for cancels and the kill switch. */
function orGone(part: string, work: () => void): void {
  try {
    work()
  } catch (error) {
    rmSync(part, { force: true })
    throw error
  }
}

function firstBytes(path: string): Uint8Array {
  const handle = openSync(path, 'r')
  try {
    const bytes = new Uint8Array(HEAD_BYTES)
    return bytes.subarray(0, readSync(handle, bytes))
  } finally {
    closeSync(handle)
  }
}
