import { ServiceError } from '../src/domain/errors.ts'
import { type EventStream, headerValue, type Reply, type StreamReply, statusLine } from './reply.ts'
import { announcesBody, type HttpRequest } from './request.ts'
import type { Route } from './routes.ts'

/** What an exchange needs of the socket library's response; nothing else of it is ever touched. */
export interface RawResponse {
  onAborted(aborted: () => void): unknown
  onData(receive: (chunk: ArrayBuffer, isLast: boolean) => void): unknown
  onWritable(drained: (offset: number) => boolean): unknown
  cork(write: () => void): unknown
  writeStatus(status: string): unknown
  writeHeader(name: string, value: string): unknown
  write(chunk: string): boolean
  end(body?: string | Uint8Array, closeConnection?: boolean): unknown
  endWithoutBody(length?: number, closeConnection?: boolean): unknown
  close(): unknown
  getRemoteAddressAsText(): ArrayBuffer
}

/** What is copied from the library's request, which is gone when the first call returns. */
export interface RawRequest {
  getUrl(): string
  getQuery(): string | undefined
  getCaseSensitiveMethod(): string
  forEach(each: (name: string, value: string) => void): void
}

export interface ExchangeLimits {
  /** Bytes of a request body. */
  readonly bodyBytesMax: number
  /** From the head of a request to its answer, whatever the route waits for. */
  readonly requestTimeoutMs: number
}

export interface ExchangeOptions {
  readonly id: string
  readonly limits: ExchangeLimits
  /** Headers that every answer carries. */
  readonly commonHeaders: Readonly<Record<string, string>>
  /** The answer when the time is up. */
  readonly late: () => Reply
  /** Once, when the answer has become a stream. */
  readonly streaming: () => void
  /** Once, when the answer is finished, the client is gone, or the stream has ended. */
  readonly finished: (end: { status: number; isStream: boolean; elapsedMs: number }) => void
}

/** Statuses that never have a body, not even an empty one with a length. */
const BODYLESS: ReadonlySet<number> = new Set([204, 304])

/**
 * One request and its one answer. It listens for the client's end before anything else, answers at
 * most once, corked, and always ends: by the answer, by the client leaving, or by its deadline.
 */
export class Exchange {
  readonly request: HttpRequest
  /** The row of the route table that took it, once one has. */
  route: Route | undefined
  readonly #raw: RawResponse
  readonly #options: ExchangeOptions
  readonly #startMs = performance.now()
  readonly #timer: NodeJS.Timeout
  readonly #body: BodyCollector | undefined
  #isDone = false
  #isGone = false
  #onGone: () => void = () => {}

  /** To be called inside the library's own callback, before anything is awaited. */
  constructor(raw: RawResponse, rawRequest: RawRequest, options: ExchangeOptions) {
    raw.onAborted(() => this.#gone())
    this.#raw = raw
    this.#options = options
    this.request = copyRequest(raw, rawRequest, options.id)
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
    this.#raw.cork(() => {
      this.#head(reply)
      const { body } = reply
      const isHead = this.request.method === 'HEAD'
      // The library keeps a connection waiting for the body that a HEAD answer never sends.
      if (BODYLESS.has(reply.status)) this.#endBodyless(closeConnection)
      else if (isHead) this.#raw.endWithoutBody(Buffer.byteLength(body), true)
      else this.#raw.end(body, closeConnection || this.#body?.isEnded === false)
    })
    this.#isGone = true
    this.#finish(reply.status, false)
  }

  /** The library takes a length that is undefined, but given, for one of 2⁶³ bytes. */
  #endBodyless(closeConnection: boolean): void {
    if (closeConnection) this.#raw.endWithoutBody(0, true)
    else this.#raw.endWithoutBody()
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
    this.#raw.cork(() => this.#head(reply))
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

  #head({ status, headers }: Pick<Reply, 'status' | 'headers'>): void {
    const { commonHeaders, id } = this.#options
    this.#raw.writeStatus(statusLine(status))
    this.#raw.writeHeader('X-Request-Id', id)
    for (const name in commonHeaders) {
      if (headers?.[name] === undefined) this.#raw.writeHeader(name, commonHeaders[name] ?? '')
    }
    for (const name in headers) this.#raw.writeHeader(name, headerValue(headers[name] ?? ''))
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

function copyRequest(raw: RawResponse, rawRequest: RawRequest, id: string): HttpRequest {
  const headers = new Map<string, string>()
  const repeated = new Set<string>()
  rawRequest.forEach((name, value) => {
    if (headers.has(name)) repeated.add(name)
    else headers.set(name, value)
  })
  return {
    id,
    method: rawRequest.getCaseSensitiveMethod(),
    path: rawRequest.getUrl(),
    query: rawRequest.getQuery() ?? '',
    headers,
    repeated,
    peer: Buffer.from(raw.getRemoteAddressAsText()).toString('latin1'),
    caller: undefined,
  }
}
