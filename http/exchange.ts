import { ServiceError } from '../src/domain/errors.ts'
import {
  type EventStream,
  type RawAnswer,
  type Reply,
  type StreamReply,
  writeHead,
  writeReply,
} from './reply.ts'
import { announcesBody, type RawPeer, type ReceivedRequest } from './request.ts'

/** What an exchange needs of the socket library's response; nothing else of it is ever touched. */
export interface RawResponse extends RawAnswer, RawPeer {
  onAborted(aborted: () => void): unknown
  onData(receive: (chunk: ArrayBuffer, isLast: boolean) => void): unknown
  onWritable(drained: (offset: number) => boolean): unknown
  cork(write: () => void): unknown
  write(chunk: string): boolean
  close(): unknown
}

export interface ExchangeLimits {
  /** Bytes of a request body. */
  readonly bodyBytesMax: number
  /** From the head of a request to its answer, whatever the route waits for. */
  readonly requestTimeoutMs: number
}

export interface ExchangeOptions {
  readonly limits: ExchangeLimits
  /** When the request came, of `performance.now()`. */
  readonly startMs: number
  /** Headers that every answer carries. */
  readonly commonHeaders: Readonly<Record<string, string>>
  /** The answer when the time is up. */
  readonly late: () => Reply
  /** Once, when the answer has become a stream. */
  readonly streaming: () => void
  /** Once, when the answer is finished, the client is gone, or the stream has ended. */
  readonly finished: (end: { status: number; isStream: boolean; elapsedMs: number }) => void
}

/**
 * A request whose answer has to be waited for. It listens for the client's end, answers at most once,
 * corked, and always ends: by the answer, by the client leaving, or by its deadline.
 */
export class Exchange {
  readonly request: ReceivedRequest
  readonly #raw: RawResponse
  readonly #options: ExchangeOptions
  readonly #startMs: number
  readonly #timer: NodeJS.Timeout
  readonly #body: BodyCollector | undefined
  #isDone = false
  #isGone = false
  #onGone: () => void = () => {}

  /** To be called inside the library's own callback, before anything is awaited. */
  constructor(raw: RawResponse, request: ReceivedRequest, options: ExchangeOptions) {
    raw.onAborted(() => this.#gone())
    this.#raw = raw
    this.#options = options
    this.#startMs = options.startMs
    this.request = request
    request.keep()
    const { bodyBytesMax, requestTimeoutMs } = options.limits
    this.#timer = setTimeout(() => this.answer(options.late(), true), requestTimeoutMs)
    this.#body = announcesBody(this.request) ? new BodyCollector(raw, bodyBytesMax) : undefined
  }

  /** The whole body. Errors  `BODY_TOO_LARGE`. Without one: empty, in the same turn. */
  async body(): Promise<Uint8Array> {
    return this.#body === undefined ? new Uint8Array() : this.#body.whole
  }

  /** Forgets what has come of the body and what will; resolves when it has ended. */
  async discardBody(): Promise<void> {
    this.#body?.discard()
    await this.#body?.whole.catch(() => {})
  }

  /** Sends the answer; nothing happens when there was one already or the client is gone. */
  answer(reply: Reply, closeConnection = false): void {
    if (this.#isDone) return
    this.#isDone = true
    clearTimeout(this.#timer)
    const isToClose = closeConnection || this.#body?.isEnded === false
    this.#raw.cork(() => {
      writeReply(this.#raw, this.request, reply, this.#options.commonHeaders, isToClose)
    })
    this.#isGone = true
    this.#finish(reply.status, false)
  }

  /** Sends the head and hands the rest to the route. */
  stream(reply: StreamReply): void {
    if (this.request.method === 'HEAD') {
      this.answer({ status: reply.status, headers: reply.headers, body: '' })
      return
    }
    if (this.#isDone) return
    this.#isDone = true
    clearTimeout(this.#timer)
    this.#raw.cork(() => writeHead(this.#raw, this.request, reply, this.#options.commonHeaders))
    this.#options.streaming()
    reply.stream(this.#eventStream(reply.status))
  }

  #eventStream(status: number): EventStream {
    const raw = this.#raw
    let closed = (): void => {}
    const ended = (): void => {
      this.#finish(status, true)
      closed()
    }
    this.#onGone = ended
    return {
      write: (text) => {
        let isKeptUp = true
        if (!this.#isGone) {
          raw.cork(() => {
            isKeptUp = raw.write(text)
          })
        }
        return isKeptUp
      },
      onDrain: (drained) => {
        if (this.#isGone) return
        raw.onWritable(() => {
          drained()
          return true
        })
      },
      onClose: (then) => {
        closed = then
        if (this.#isGone) then()
      },
      end: (force = false) => {
        if (this.#isGone) return
        this.#onGone = () => {}
        this.#isGone = true
        if (force) raw.close()
        else raw.cork(() => raw.end('', true))
        ended()
      },
    }
  }

  #gone(): void {
    if (this.#isGone) return
    this.#isGone = true
    clearTimeout(this.#timer)
    this.#body?.discard()
    if (!this.#isDone) this.#finish(0, false)
    this.#isDone = true
    this.#onGone()
  }

  #finish(status: number, isStream: boolean): void {
    this.#options.finished({ status, isStream, elapsedMs: performance.now() - this.#startMs })
  }
}

/** Takes the body as it comes: the library stops sending when nobody listens from the start. */
class BodyCollector {
  readonly whole: Promise<Uint8Array>
  isEnded = false
  #chunks: Uint8Array[] = []
  #isKept = true
  #bytes = 0

  constructor(raw: RawResponse, bytesMax: number) {
    const { promise, resolve, reject } = Promise.withResolvers<Uint8Array>()
    this.whole = promise
    promise.catch(() => {}) // read later, or never when the request was refused before
    const tooLarge = () =>
      new ServiceError('BODY_TOO_LARGE', `the body is larger than ${bytesMax} bytes`)
    raw.onData((chunk, isLast) => {
      this.#bytes += chunk.byteLength
      this.isEnded = isLast
      if (this.#bytes > bytesMax) this.discard()
      // The chunk belongs to the library and is emptied when this call returns.
      if (this.#isKept) this.#chunks.push(new Uint8Array(chunk.slice(0)))
      // Once more the same amount is read and dropped, so that an honest client gets to its answer.
      if (this.#bytes > 2 * bytesMax || (isLast && this.#bytes > bytesMax)) reject(tooLarge())
      else if (isLast) resolve(Buffer.concat(this.#chunks))
    })
  }

  discard(): void {
    this.#isKept = false
    this.#chunks = []
  }
}
