import type { FileHandle } from 'node:fs/promises'

const NEWLINE = 10

export interface LineReaderLimits {
  /** A longer line is reported as too long, not kept. */
  readonly lineBytesMax: number
  /** Read at once; this and one line are all that is in memory. */
  readonly chunkBytes: number
}

/** Stands for a line over the limit. */
export const TOO_LONG = Symbol('line too long')

/** Lines of a file of any size, a chunk at a time: `next` until undefined, then `fill`. */
export class LineReader {
  readonly #file: FileHandle
  readonly #limits: LineReaderLimits
  readonly #buffer: Buffer
  #start = 0
  #end = 0
  /** Byte in the file that follows the last line given out. */
  #offset: number
  #readOffset: number
  #isSkipping = false
  #hasEnded = false

  constructor(file: FileHandle, offset: number, limits: LineReaderLimits) {
    this.#file = file
    this.#limits = limits
    this.#buffer = Buffer.allocUnsafe(limits.lineBytesMax + limits.chunkBytes)
    this.#offset = offset
    this.#readOffset = offset
  }

  get offset(): number {
    return this.#offset
  }

  /** The next line without its end; undefined when more must be read first. */
  next(): string | typeof TOO_LONG | undefined {
    const at = this.#buffer.indexOf(NEWLINE, this.#start)
    if (at >= 0 && at < this.#end) return this.#take(at, at + 1)
    const hasRest = this.#start < this.#end || this.#isSkipping
    if (this.#hasEnded && hasRest) return this.#take(this.#end, this.#end)
    if (this.#end - this.#start > this.#limits.lineBytesMax) this.#isSkipping = true
    if (this.#isSkipping) this.#drop(this.#end)
    return undefined
  }

  /** Reads on; false at the end of the file. Errors  those of the file system. */
  async fill(): Promise<boolean> {
    if (this.#hasEnded) return false
    this.#buffer.copyWithin(0, this.#start, this.#end)
    this.#end -= this.#start
    this.#start = 0
    const room = this.#buffer.length - this.#end
    const { bytesRead } = await this.#file.read(this.#buffer, this.#end, room, this.#readOffset)
    this.#end += bytesRead
    this.#readOffset += bytesRead
    this.#hasEnded = bytesRead === 0
    return !this.#hasEnded || this.#end > 0 || this.#isSkipping
  }

  #take(lineEnd: number, next: number): string | typeof TOO_LONG {
    const isTooLong = this.#isSkipping || lineEnd - this.#start > this.#limits.lineBytesMax
    const line = isTooLong ? TOO_LONG : this.#buffer.toString('utf8', this.#start, lineEnd)
    this.#isSkipping = false
    this.#drop(next)
    return line
  }

  #drop(to: number): void {
    this.#offset += to - this.#start
    this.#start = to
  }
}
