import type { FileHandle } from 'node:fs/promises'

const NEWLINE = 10

export interface LineReaderLimits {
  /** A longer line is reported as too long, not kept. */
  readonly lineBytesMax: number
  /** Read at once; this and one line are all that is in memory. */
  readonly chunkBytes: number
}

/**
 * Lines of a file of any size, a chunk at a time: `next` until it is false, then `fill`. After `next`
 * the line, without its end, is the bytes from `start` to `end`, until the next call.
 */
export class LineReader {
  readonly #file: FileHandle
  readonly #limits: LineReaderLimits
  readonly #buffer: Buffer
  /** Of the line given out last. */
  #lineStart = 0
  #lineEnd = 0
  #isTooLong = false
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

  get bytes(): Uint8Array {
    return this.#buffer
  }
  get start(): number {
    return this.#lineStart
  }
  get end(): number {
    return this.#lineEnd
  }
  /** It is over the limit, and its bytes are not kept. */
  get isTooLong(): boolean {
    return this.#isTooLong
  }
  get text(): string {
    return this.#buffer.toString('utf8', this.#lineStart, this.#lineEnd)
  }

  /** Goes to the next line; false when more must be read first. */
  next(): boolean {
    const at = this.#buffer.indexOf(NEWLINE, this.#start)
    if (at >= 0 && at < this.#end) return this.#take(at, at + 1)
    const hasRest = this.#start < this.#end || this.#isSkipping
    if (this.#hasEnded && hasRest) return this.#take(this.#end, this.#end)
    if (this.#end - this.#start > this.#limits.lineBytesMax) this.#isSkipping = true
    if (this.#isSkipping) this.#drop(this.#end)
    return false
  }

  /**
   * Text of the next lines, which stay the next ones: as many as asked for, fewer at the end of the file or
   * when they are too long to be kept together. Undefined when more must be read first.
   */
  following(count: number): readonly string[] | undefined {
    const lines: string[] = []
    let from = this.#start
    while (lines.length < count && from < this.#end) {
      const at = this.#buffer.indexOf(NEWLINE, from)
      const isWhole = at >= 0 && at < this.#end
      if (!isWhole && !this.#hasEnded) break
      const to = isWhole ? at : this.#end
      lines.push(this.#buffer.toString('utf8', from, to))
      from = to + 1
    }
    const isAll = lines.length === count || this.#hasEnded
    return isAll || this.#end - this.#start > this.#limits.lineBytesMax ? lines : undefined
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

  #take(lineEnd: number, next: number): true {
    this.#isTooLong = this.#isSkipping || lineEnd - this.#start > this.#limits.lineBytesMax
    this.#lineStart = this.#start
    this.#lineEnd = lineEnd
    this.#isSkipping = false
    this.#drop(next)
    return true
  }

  #drop(to: number): void {
    this.#offset += to - this.#start
    this.#start = to
  }
}
