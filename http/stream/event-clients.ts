import { ServiceError } from '../../src/domain/errors.ts'
import type { FrontLimits } from '../desk/context.ts'
import { type Caller, OPERATOR } from '../message/caller.ts'
import { Refusal } from '../message/errors.ts'
import type { EventStream, StreamReply } from '../message/reply.ts'
import type { HttpRequest } from '../message/request.ts'

export type EventLimits = Pick<
  FrontLimits,
  | 'sseClientsMax'
  | 'sseClientsPerTokenMax'
  | 'sseIntervalMs'
  | 'sseSilenceMs'
  | 'sseMissedMax'
  | 'sseKeptMax'
  | 'readTimeoutMs'
  | 'retryAfterSeconds'
>

/** One open stream, and what its feed knows of who reads it. */
export interface EventClient<Told> {
  readonly told: Told
  readonly stream: EventStream
  readonly caller: Caller
  isBehind: boolean
  missed: number
}

interface EventClientsOptions<Told> {
  readonly limits: EventLimits
  /** Whether who opened a stream may still see it. */
  readonly isStillGood?: ((caller: Caller) => boolean) | undefined
  /** Of one that comes, with the id of the last event that it has had. */
  readonly toldOf: (lastId: string | undefined) => Told
  readonly joined: (client: EventClient<Told>) => void
  /** Nobody is left. */
  readonly empty: () => void
}

const HEADERS = {
  'Content-Type': 'text/event-stream; charset=utf-8',
  'Cache-Control': 'no-cache',
  'X-Accel-Buffering': 'no',
} as const

/** Errors  `OVERLOADED` when there are as many clients as allowed, `RATE_LIMITED` of one token. */
export function mustHaveRoom(
  { sseClientsMax, sseClientsPerTokenMax, retryAfterSeconds }: EventLimits,
  open: { readonly all: number; readonly ofToken: number },
): void {
  if (open.all >= sseClientsMax) {
    throw new ServiceError(
      'OVERLOADED',
      '事件流过多，请关闭不用的页面后再试 (too many event streams are open)',
    )
  }
  if (open.ofToken < sseClientsPerTokenMax) return
  const error = new ServiceError(
    'RATE_LIMITED',
    '此令牌打开的事件流过多，请关闭不用的页面后再试 (this token has too many event streams open)',
  )
  throw new Refusal(error, { 'Retry-After': String(retryAfterSeconds) })
}

/** Who listens to a feed. One that does not read misses what is sent, and is closed when it misses too much. */
export class EventClients<Told> {
  readonly #options: EventClientsOptions<Told>
  readonly #clients = new Set<EventClient<Told>>()

  constructor(options: EventClientsOptions<Told>) {
    this.#options = options
  }

  get size(): number {
    return this.#clients.size
  }

  [Symbol.iterator](): IterableIterator<EventClient<Told>> {
    return this.#clients.values()
  }

  /** Streams that the token of this name has open. */
  countOf(name: string): number {
    let count = 0
    for (const { caller } of this.#clients) if (caller.name === name) count += 1
    return count
  }

  /** Errors  `OVERLOADED` when there are as many clients as allowed, `RATE_LIMITED` of one token. */
  open({ caller = OPERATOR, headers }: Pick<HttpRequest, 'caller' | 'headers'>): StreamReply {
    mustHaveRoom(this.#options.limits, { all: this.size, ofToken: this.countOf(caller.name) })
    const lastId = headers.get('last-event-id')
    return {
      status: 200,
      headers: HEADERS,
      stream: (stream) => this.#join(stream, caller, lastId),
    }
  }

  /** Sends what `frame` makes, which is asked only if the client reads; who stays behind is closed. */
  send(client: EventClient<Told>, frame: () => string): void {
    if (client.isBehind) {
      client.missed += 1
      if (client.missed > this.#options.limits.sseMissedMax) client.stream.end(true)
      return
    }
    client.isBehind = !client.stream.write(frame())
  }

  /** Ends the streams whose token was withdrawn or has expired. */
  endWithdrawn(): void {
    const { isStillGood } = this.#options
    if (isStillGood === undefined) return
    for (const { stream, caller } of this.#clients) if (!isStillGood(caller)) stream.end()
  }

  /** Ends all streams. */
  close(): void {
    for (const { stream } of this.#clients) stream.end()
    this.#clients.clear()
  }

  #join(stream: EventStream, caller: Caller, lastId: string | undefined): void {
    const { toldOf, joined, empty } = this.#options
    const client = { told: toldOf(lastId), stream, caller, isBehind: false, missed: 0 }
    this.#clients.add(client)
    stream.onClose(() => {
      this.#clients.delete(client)
      if (this.size === 0) empty()
    })
    stream.onDrain(() => {
      client.isBehind = false
      client.missed = 0
    })
    joined(client)
  }
}
