import { ServiceError } from '../../src/domain/errors.ts'

/** What tells of the bytes of a body. */
export interface RawBody {
  onData(receive: (chunk: ArrayBuffer, isLast: boolean) => void): unknown
}

export interface BodyOptions {
  readonly bytesMax: number
  readonly timeoutMs: number
  /**
   * Takes a place for a body that has not come with its head; the function gives it back. May throw
   * a ServiceError.
   */
  readonly wait: () => () => void
}

/** Takes the body as it comes: the library stops sending when nobody listens from the start. */
export class BodyCollector {
  readonly #whole = Promise.withResolvers<Uint8Array>()
  #options: BodyOptions | undefined
  #chunks: Uint8Array[] = []
  #isKept = false
  #bytes = 0
  #isEnded = false
  #timer: NodeJS.Timeout | undefined
  #leave: () => void = () => {}
  #ended: () => void = () => {}

  constructor(raw: RawBody) {
    this.#whole.promise.catch(() => {}) // read later, or never
    raw.onData((chunk, isLast) => this.#take(chunk, isLast))
  }

  /** All of it has come, also when nobody kept it. */
  get isEnded(): boolean {
    return this.#isEnded
  }

  /** Keeps what comes from now on. Errors  `BODY_TOO_LARGE`, `DEADLINE_EXCEEDED`, what `wait` throws. */
  whole(options: BodyOptions): Promise<Uint8Array> {
    this.#options = options
    this.#isKept = true
    // Most bodies come with their head, and are there when the library's callback has returned.
    setImmediate(() => this.#wait())
    return this.#whole.promise
  }

  /** Forgets what has come, and what will. */
  discard(): void {
    this.#isKept = false
    this.#chunks = []
    clearTimeout(this.#timer)
    this.#leave()
    this.#leave = () => {}
  }

  /** Once it has come. */
  onEnd(ended: () => void): void {
    this.#ended = ended
    if (this.#isEnded) ended()
  }

  #wait(): void {
    const options = this.#options
    if (this.#isEnded || !this.#isKept || options === undefined) return
    try {
      this.#leave = options.wait()
    } catch (error) {
      this.#fail(error)
      return
    }
    const late = new ServiceError(
      'DEADLINE_EXCEEDED',
      '请求体未在时限内收完，未执行 (the body did not come in time: nothing was done)',
    )
    this.#timer = setTimeout(() => this.#fail(late), options.timeoutMs)
  }

  #take(chunk: ArrayBuffer, isLast: boolean): void {
    this.#isEnded = isLast
    // The chunk belongs to the library and is emptied when this call returns.
    if (this.#isKept) this.#keep(chunk)
    if (isLast) this.#end()
  }

  #keep(chunk: ArrayBuffer): void {
    const bytesMax = this.#options?.bytesMax ?? 0
    this.#bytes += chunk.byteLength
    if (this.#bytes > bytesMax) this.#fail(tooLarge(bytesMax))
    else this.#chunks.push(new Uint8Array(chunk.slice(0)))
  }

  #end(): void {
    if (this.#isKept) this.#whole.resolve(Buffer.concat(this.#chunks))
    this.discard()
    this.#ended()
  }

  #fail(error: unknown): void {
    this.discard()
    this.#whole.reject(error)
  }
}

export const tooLarge = (bytesMax: number): ServiceError =>
  new ServiceError(
    'BODY_TOO_LARGE',
    `请求体超过 ${bytesMax} 字节 (the body is larger than ${bytesMax} bytes)`,
  )
