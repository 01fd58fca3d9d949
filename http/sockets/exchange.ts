import { setImmediate } from 'node:timers/promises'
import {
  type EventStream,
  type RawAnswer,
  type Reply,
  type StreamReply,
  sendsBody,
  writeHead,
  writeReply,
  writeWhole,
} from '../message/reply.ts'
import { announcesBody, type RawPeer, type ReceivedRequest } from '../message/request.ts'
import { BodyCollector, type BodyOptions, type RawBody } from './body-collector.ts'

/** What an exchange needs of the socket library's response; nothing else of it is ever touched. */
export interface RawResponse extends RawAnswer, RawPeer, RawBody {
  onAborted(aborted: () => void): unknown
  onWritable(drained: (offset: number) => boolean): unknown
  cork(write: () => void): unknown
  write(chunk: string): boolean
  close(): unknown
}

export interface ExchangeLimits {
  /** From the head of a request to its answer, whatever the route waits for. */
  readonly requestTimeoutMs: number
  /** From a refusal to the end of its connection, while the body still comes. */
  readonly refusalLingerMs: number
}

export interface ExchangeOptions {
  readonly limits: ExchangeLimits
  /** When the request came, of `performance.now()`. */
  readonly startMs: number
  /** Headers that every answer carries. */
  readonly commonHeaders: Readonly<Record<string, string>>
  /** The answer when the time is up. */
  readonly late: () => Reply
  /** After the answer, and when the client is gone; the library is still at it. */
  readonly settled: (how: 'answered' | 'gone') => void
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
  #timer: NodeJS.Timeout
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
    const { requestTimeoutMs } = options.limits
    this.#timer = setTimeout(() => this.#endLate(), requestTimeoutMs)
    this.#body = announcesBody(this.request) ? new BodyCollector(raw) : undefined
  }

  /** The whole body; without one empty, in the same turn. Errors  those of {@link BodyCollector.whole}. */
  async body(options: BodyOptions): Promise<Uint8Array> {
    return this.#body === undefined ? new Uint8Array() : this.#body.whole(options)
  }

  /**
   * Sends an answer that does not wait for the body. Where that has not come whole by now, the
   * connection ends: what still comes is dropped, for just so long that an honest client, which is
   * still sending, gets to read why.
   */
  async refuse(reply: Reply, closeConnection: boolean): Promise<void> {
    const body = this.#body
    body?.discard()
    if (body?.isEnded === false) {
      // What came with the head is there when the library's callback has returned, and the answer
      // must be there before the library looks at a next request.
      const ended = new Promise<void>((resolve) => body.onEnd(resolve))
      await Promise.race([ended, setImmediate()])
    }
    if (body?.isEnded === false) this.#refuseNow(reply)
    else this.answer(reply, closeConnection)
  }

  /** What the route still comes to is nobody's. */
  #endLate(): void {
    if (!this.#isDone) this.request.leave()
    this.#refuseNow(this.#options.late())
  }

  #refuseNow(reply: Reply): void {
    if (this.#isDone) return
    const body = this.#body
    if (body === undefined || body.isEnded) {
      this.answer(reply, true)
      return
    }
    this.#sendWhole(reply)
  }

  /** The answer by itself; the connection ends soon after. */
  #sendWhole(reply: Reply): void {
    this.#isDone = true
    this.#body?.discard()
    clearTimeout(this.#timer)
    const { commonHeaders, limits } = this.#options
    this.#raw.cork(() => writeWhole(this.#raw, this.request, reply, commonHeaders))
    const close = (): void => {
      if (!this.#isGone) this.#raw.close()
    }
    this.#timer = setTimeout(close, limits.refusalLingerMs)
    // Not from inside its own callback: the library is still reading there.
    this.#body?.onEnd(() => void setImmediate().then(close))
    this.#finish(reply.status, false)
  }

  /** Sends the answer; nothing happens when there was one already or the client is gone. */
  answer(reply: Reply, closeConnection = false): void {
    const isOpen = !this.#isDone
    if (isOpen) this.#answer(reply, closeConnection)
    reply.delivered?.(isOpen)
  }

  #answer(reply: Reply, closeConnection: boolean): void {
    if (this.#body !== undefined && !sendsBody(this.request, reply)) {
      this.#sendWhole(reply) // the library would not show that it was answered
      return
    }
    this.#isDone = true
    clearTimeout(this.#timer)
    const isToClose = closeConnection || this.#body?.isEnded === false
    this.#raw.cork(() => {
      writeReply(this.#raw, this.request, reply, this.#options.commonHeaders, isToClose)
    })
    this.#isGone = true
    this.#options.settled('answered')
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
        // Not with the connection's end: the library would write that header among the chunks.
        else raw.cork(() => raw.end(''))
        ended()
      },
    }
  }

  #gone(): void {
    if (this.#isGone) return
    this.#isGone = true
    clearTimeout(this.#timer)
    this.#body?.discard()
    this.#options.settled('gone')
    const isUnanswered = !this.#isDone
    if (isUnanswered) this.#finish(0, false)
    this.#isDone = true
    if (isUnanswered) this.request.leave()
    this.#onGone()
  }

  #finish(status: number, isStream: boolean): void {
    this.#options.finished({ status, isStream, elapsedMs: performance.now() - this.#startMs })
  }
}
