import { ServiceError } from '../src/domain/errors.ts'
import { exchangeTime } from '../src/domain/exchange-time.ts'
import type { FrontLimits } from './context.ts'
import type { EventStream, StreamReply } from './reply.ts'
import type { AccountLink } from './service.ts'

export type EventLimits = Pick<
  FrontLimits,
  'sseClientsMax' | 'sseIntervalMs' | 'sseSilenceMs' | 'sseMissedMax' | 'readTimeoutMs'
>

interface EventOptions {
  readonly clock: { nowMs(): number }
  readonly limits: EventLimits
  readonly find: () => AccountLink | undefined
}

interface Client {
  readonly stream: EventStream
  /** Version of the last event that reached it; undefined before the first. */
  version: number | undefined
  isBehind: boolean
  missed: number
}

/** What the account shows, before it is made ready for one client. */
interface Snapshot {
  readonly text: string
  readonly fields: Record<string, unknown>
  readonly version: number
}

const HEADERS = {
  'Content-Type': 'text/event-stream; charset=utf-8',
  'Cache-Control': 'no-cache',
  'X-Accel-Buffering': 'no',
} as const

/**
 * The event stream of one account: one timer and one read a second for all its clients. Events carry
 * state, so a client that is behind misses some and gets the newest; one that stays behind is closed.
 */
export class EventFeed {
  readonly #options: EventOptions
  readonly #clients = new Set<Client>()
  #timer: NodeJS.Timeout | undefined
  #isReading = false
  #last: Snapshot | undefined
  #lastSentMs = 0

  constructor(options: EventOptions) {
    this.#options = options
  }

  get clients(): number {
    return this.#clients.size
  }

  /** Errors  `OVERLOADED` when there are as many clients as allowed. */
  open(): StreamReply {
    if (this.#clients.size >= this.#options.limits.sseClientsMax) {
      throw new ServiceError('OVERLOADED', 'too many event streams are open')
    }
    return { status: 200, headers: HEADERS, stream: (stream) => this.#join(stream) }
  }

  /** Ends all streams. */
  close(): void {
    clearInterval(this.#timer)
    this.#timer = undefined
    for (const { stream } of this.#clients) stream.end()
    this.#clients.clear()
  }

  #join(stream: EventStream): void {
    const client: Client = { stream, version: undefined, isBehind: false, missed: 0 }
    this.#clients.add(client)
    stream.onClose(() => this.#leave(client))
    stream.onDrain(() => {
      client.isBehind = false
      client.missed = 0
    })
    this.#timer ??= setInterval(() => void this.#turn(), this.#options.limits.sseIntervalMs)
    void this.#turn()
  }

  #leave(client: Client): void {
    this.#clients.delete(client)
    if (this.#clients.size > 0) return
    clearInterval(this.#timer)
    this.#timer = undefined
    this.#last = undefined
  }

  async #turn(): Promise<void> {
    if (this.#isReading) return
    this.#isReading = true
    const snapshot = await this.#read()
    this.#isReading = false
    const elapsedMs = performance.now() - this.#lastSentMs
    const isDue =
      snapshot.text !== this.#last?.text || elapsedMs >= this.#options.limits.sseSilenceMs
    this.#last = snapshot
    if (isDue) this.#lastSentMs = performance.now()
    for (const client of this.#clients) {
      if (isDue || client.version === undefined) this.#send(client, snapshot)
    }
  }

  async #read(): Promise<Snapshot> {
    const { find, limits } = this.#options
    try {
      const link = find()
      if (link === undefined) throw new ServiceError('UNKNOWN_ACCOUNT', 'the account is gone')
      const options = { timeoutMs: limits.readTimeoutMs, correlationId: 'sse' }
      const { bytes } = await link.read('events', options)
      const text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('utf8')
      const fields = JSON.parse(`${text}}`) as Record<string, unknown>
      return { text, fields, version: versionOf(fields) }
    } catch (error) {
      // A stream that falls silent looks like a dead service; one that says what is wrong does not.
      const message = error instanceof Error ? error.message : 'unknown error'
      return { text: message, fields: { error: message }, version: -1 }
    }
  }

  #send(client: Client, { fields, version }: Snapshot): void {
    if (client.isBehind) {
      client.missed += 1
      if (client.missed > this.#options.limits.sseMissedMax) client.stream.end(true)
      return
    }
    const timestamp = exchangeTime(this.#options.clock.nowMs())
    const isChanged = client.version === undefined ? version !== 0 : version !== client.version
    const update = version < 0 ? {} : { positions_update: { version, changed: isChanged } }
    const event = JSON.stringify({ timestamp, ...fields, ...update })
    client.isBehind = !client.stream.write(`data: ${event}\n\n`)
    if (version >= 0) client.version = version
  }
}

function versionOf({ positions_update: update }: Record<string, unknown>): number {
  const version =
    typeof update === 'object' && update !== null && 'version' in update ? update.version : 0
  return typeof version === 'number' ? version : 0
}
