import { randomBytes } from 'node:crypto'
import { ServiceError } from '../src/domain/errors.ts'
import { exchangeTime } from '../src/domain/exchange-time.ts'
import { type Caller, OPERATOR } from './caller.ts'
import type { FrontLimits } from './context.ts'
import { Refusal } from './errors.ts'
import { EventMemory, type FeedEvent } from './event-memory.ts'
import type { EventStream, StreamReply } from './reply.ts'
import type { HttpRequest } from './request.ts'
import type { AccountLink, CallOptions } from './service.ts'

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

interface EventOptions {
  readonly clock: { nowMs(): number }
  readonly limits: EventLimits
  readonly find: () => AccountLink | undefined
  /** What its events carry; that of the console when left out. */
  readonly show?: (link: AccountLink, options: CallOptions) => Promise<Shown>
  /** Whether who opened a stream may still see it. */
  readonly isStillGood?: (caller: Caller) => boolean
}

interface Client {
  readonly stream: EventStream
  readonly caller: Caller
  /** Version of the last event that reached it; undefined before the first. */
  version: number | undefined
  isBehind: boolean
  missed: number
}

/** The fields of an event, and the text that changes with them. */
export interface Shown {
  readonly text: string
  readonly fields: Record<string, unknown>
}

/** What the account shows, before it is made ready for one client. */
interface Snapshot extends Shown {
  readonly version: number
}

const HEADERS = {
  'Content-Type': 'text/event-stream; charset=utf-8',
  'Cache-Control': 'no-cache',
  'X-Accel-Buffering': 'no',
} as const
/** Opens a stream that has nothing to say yet: the head goes out with the first bytes. */
const RESUMED = ': resumed\n\n'

/** Errors  `OVERLOADED` when there are as many clients as allowed, `RATE_LIMITED` of one token. */
export function mustHaveRoom(
  { sseClientsMax, sseClientsPerTokenMax, retryAfterSeconds }: EventLimits,
  open: { readonly all: number; readonly ofToken: number },
): void {
  if (open.all >= sseClientsMax) {
    throw new ServiceError('OVERLOADED', 'too many event streams are open')
  }
  if (open.ofToken < sseClientsPerTokenMax) return
  const error = new ServiceError('RATE_LIMITED', 'this token has too many event streams open')
  throw new Refusal(error, { 'Retry-After': String(retryAfterSeconds) })
}

/**
 * The event stream of one account: one timer and one read a second for all its clients. Events carry
 * state, so a client that is behind misses some and gets the newest; one that stays behind is closed.
 * Each event has an id, and a client that names the last one it had gets what came after it.
 */
export class EventFeed {
  readonly #options: EventOptions
  readonly #clients = new Set<Client>()
  readonly #memory: EventMemory
  #timer: NodeJS.Timeout | undefined
  #isReading = false
  #last: Snapshot | undefined
  #lastSentMs = 0

  constructor(options: EventOptions) {
    this.#options = options
    // Another start counts from 1 again: its ids must not look like these.
    this.#memory = new EventMemory(randomBytes(6).toString('hex'), options.limits.sseKeptMax)
  }

  get clients(): number {
    return this.#clients.size
  }

  /** Streams that the token of this name has open. */
  clientsOf(name: string): number {
    let count = 0
    for (const { caller } of this.#clients) if (caller.name === name) count += 1
    return count
  }

  /** Errors  `OVERLOADED` when there are as many clients as allowed, `RATE_LIMITED` of one token. */
  open({ caller = OPERATOR, headers }: Pick<HttpRequest, 'caller' | 'headers'>): StreamReply {
    mustHaveRoom(this.#options.limits, { all: this.clients, ofToken: this.clientsOf(caller.name) })
    const lastId = headers.get('last-event-id')
    return {
      status: 200,
      headers: HEADERS,
      stream: (stream) => this.#join(stream, caller, lastId),
    }
  }

  /** Ends the streams whose token was withdrawn or has expired. */
  endWithdrawn(): void {
    const { isStillGood } = this.#options
    if (isStillGood === undefined) return
    for (const { stream, caller } of this.#clients) if (!isStillGood(caller)) stream.end()
  }

  /** Ends all streams. */
  close(): void {
    clearInterval(this.#timer)
    this.#timer = undefined
    for (const { stream } of this.#clients) stream.end()
    this.#clients.clear()
  }

  #join(stream: EventStream, caller: Caller, lastId: string | undefined): void {
    const client: Client = { stream, caller, version: undefined, isBehind: false, missed: 0 }
    this.#clients.add(client)
    stream.onClose(() => this.#leave(client))
    stream.onDrain(() => {
      client.isBehind = false
      client.missed = 0
    })
    this.#resume(client, lastId)
    this.#timer ??= setInterval(() => void this.#writeAll(), this.#options.limits.sseIntervalMs)
    void this.#writeAll()
  }

  /** What came after the event that the client had last; all in one piece. */
  #resume(client: Client, lastId: string | undefined): void {
    const missed = lastId === undefined ? undefined : this.#memory.after(lastId)
    if (missed === undefined) return
    client.version = missed.version
    const frames = missed.events.map((event) => this.#frameFor(client, event))
    client.isBehind = !client.stream.write(frames.length === 0 ? RESUMED : frames.join(''))
  }

  #leave(client: Client): void {
    this.#clients.delete(client)
    if (this.#clients.size > 0) return
    clearInterval(this.#timer)
    this.#timer = undefined
    this.#last = undefined
  }

  async #writeAll(): Promise<void> {
    this.endWithdrawn()
    if (this.#isReading) return
    this.#isReading = true
    const snapshot = await this.#read()
    this.#isReading = false
    const elapsedMs = performance.now() - this.#lastSentMs
    const isDue =
      snapshot.text !== this.#last?.text || elapsedMs >= this.#options.limits.sseSilenceMs
    this.#last = snapshot
    const { fields, version } = snapshot
    const newest = this.#memory.newest
    const timestamp = exchangeTime(this.#options.clock.nowMs())
    const event =
      isDue || newest === undefined
        ? this.#memory.add({ timestamp, fields, version })
        : { ...newest, timestamp } // for those who have just come
    if (isDue) this.#lastSentMs = performance.now()
    for (const client of this.#clients) {
      if (isDue || client.version === undefined) this.#send(client, event)
    }
  }

  async #read(): Promise<Snapshot> {
    const { find, limits, show = ofConsole } = this.#options
    try {
      const link = find()
      if (link === undefined) throw new ServiceError('UNKNOWN_ACCOUNT', 'the account is gone')
      const options = { timeoutMs: limits.readTimeoutMs, correlationId: 'sse' }
      const shown = await show(link, options)
      return { ...shown, version: versionOf(shown.fields) }
    } catch (error) {
      // A stream that falls silent looks like a dead service; one that says what is wrong does not.
      const message = error instanceof Error ? error.message : 'unknown error'
      return { text: message, fields: { error: message }, version: -1 }
    }
  }

  #send(client: Client, event: FeedEvent): void {
    if (client.isBehind) {
      client.missed += 1
      if (client.missed > this.#options.limits.sseMissedMax) client.stream.end(true)
      return
    }
    client.isBehind = !client.stream.write(this.#frameFor(client, event))
  }

  #frameFor(client: Client, event: FeedEvent): string {
    const { version } = event
    const isChanged = client.version === undefined ? version !== 0 : version !== client.version
    if (version >= 0) client.version = version
    return this.#memory.frame(event, isChanged)
  }
}

/** Cash, switches and positions, for the pages of direct mode. */
async function ofConsole(link: AccountLink, options: CallOptions): Promise<Shown> {
  const { bytes } = await link.read('events', options)
  const text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('utf8')
  return { text, fields: JSON.parse(`${text}}`) as Record<string, unknown> }
}

function versionOf({ positions_update: update }: Record<string, unknown>): number {
  const version =
    typeof update === 'object' && update !== null && 'version' in update ? update.version : 0
  return typeof version === 'number' ? version : 0
}
