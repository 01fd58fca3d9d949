import { randomBytes } from 'node:crypto'
import { saidOf } from '../../src/domain/error-words.ts'
import { ServiceError } from '../../src/domain/errors.ts'
import { exchangeTime } from '../../src/domain/exchange-time.ts'
import type { Caller } from '../message/caller.ts'
import { failureOf } from '../message/errors.ts'
import type { StreamReply } from '../message/reply.ts'
import type { HttpRequest } from '../message/request.ts'
import type { AccountLink, CallOptions } from '../port/service.ts'
import { type EventClient, EventClients, type EventLimits } from './event-clients.ts'
import { EventMemory, type FeedEvent } from './event-memory.ts'

interface EventOptions {
  readonly clock: { nowMs(): number }
  readonly limits: EventLimits
  readonly find: () => AccountLink | undefined
  /** Whether who opened a stream may still see it. */
  readonly isStillGood?: (caller: Caller) => boolean
}

interface Told {
  readonly lastId: string | undefined
  /** Version of the last event that reached it; undefined before the first. */
  version: number | undefined
}
type Client = EventClient<Told>

/** What the account shows, before it is made ready for one client. */
interface Snapshot {
  /** Changes with what is shown. */
  readonly text: string
  readonly fields: Record<string, unknown>
  readonly version: number
}

/** Opens a stream that has nothing to say yet: the head goes out with the first bytes. */
const RESUMED = ': resumed\n\n'

/**
 * The event stream of one account in direct mode: one timer and one read a second for all its clients. Events carry
 * state, so a client that is behind misses some and gets the newest; one that stays behind is closed.
 * Each event has an id, and a client that names the last one it had gets what came after it.
 */
export class EventFeed {
  readonly #options: EventOptions
  readonly #clients: EventClients<Told>
  readonly #memory: EventMemory
  #timer: NodeJS.Timeout | undefined
  #isReading = false
  #last: Snapshot | undefined
  #lastSentMs = 0

  constructor(options: EventOptions) {
    this.#options = options
    const { limits, isStillGood } = options
    // Another start counts from 1 again: its ids must not look like these.
    this.#memory = new EventMemory(randomBytes(6).toString('hex'), limits.sseKeptMax)
    this.#clients = new EventClients<Told>({
      limits,
      isStillGood,
      toldOf: (lastId) => ({ lastId, version: undefined }),
      joined: (client) => this.#joined(client),
      empty: () => this.#rest(),
    })
  }

  get clients(): number {
    return this.#clients.size
  }

  /** Errors  `OVERLOADED` when there are as many clients as allowed, `RATE_LIMITED` of one token. */
  open(request: Pick<HttpRequest, 'caller' | 'headers'>): StreamReply {
    return this.#clients.open(request)
  }

  /** Ends the streams whose token was withdrawn or has expired. */
  endWithdrawn(): void {
    this.#clients.endWithdrawn()
  }

  /** Ends all streams. */
  close(): void {
    this.#rest()
    this.#clients.close()
  }

  #joined(client: Client): void {
    this.#resume(client)
    this.#timer ??= setInterval(() => void this.#writeAll(), this.#options.limits.sseIntervalMs)
    void this.#writeAll()
  }

  #rest(): void {
    clearInterval(this.#timer)
    this.#timer = undefined
    this.#last = undefined
  }

  /** What came after the event that the client had last; all in one piece. */
  #resume(client: Client): void {
    const { told, stream } = client
    const missed = told.lastId === undefined ? undefined : this.#memory.after(told.lastId)
    if (missed === undefined) return
    told.version = missed.version
    const frames = missed.events.map((event) => this.#frameFor(told, event))
    client.isBehind = !stream.write(frames.length === 0 ? RESUMED : frames.join(''))
  }

  async #writeAll(): Promise<void> {
    this.endWithdrawn()
    if (this.#isReading) return
    this.#isReading = true
    const lookedMs = performance.now()
    const snapshot = await this.#read()
    this.#isReading = false
    const { sseIntervalMs, sseSilenceMs } = this.#options.limits
    // The look nearest to the end of the silence: a moment before it is nearer than the look that comes after.
    const elapsedMs = lookedMs - this.#lastSentMs + sseIntervalMs / 2
    const isDue = snapshot.text !== this.#last?.text || elapsedMs >= sseSilenceMs
    this.#last = snapshot
    const { fields, version } = snapshot
    const newest = this.#memory.newest
    const timestamp = exchangeTime(this.#options.clock.nowMs())
    const event =
      isDue || newest === undefined
        ? this.#memory.add({ timestamp, fields, version })
        : { ...newest, timestamp } // for those who have just come
    if (isDue) this.#lastSentMs = lookedMs
    for (const client of this.#clients) {
      if (!isDue && client.told.version !== undefined) continue
      this.#clients.send(client, () => this.#frameFor(client.told, event))
    }
  }

  async #read(): Promise<Snapshot> {
    const { find, limits } = this.#options
    try {
      const link = find()
      if (link === undefined)
        throw new ServiceError('UNKNOWN_ACCOUNT', '账户已不在 (the account is gone)')
      const options = { timeoutMs: limits.readTimeoutMs, correlationId: 'sse' }
      return await shownOf(link, options)
    } catch (error) {
      // A stream that falls silent looks like a dead service; one that says what is wrong does not.
      const message = saidOf(failureOf(error))
      return { text: message, fields: { error: message }, version: -1 }
    }
  }

  #frameFor(told: Told, event: FeedEvent): string {
    const { version } = event
    const isChanged = told.version === undefined ? version !== 0 : version !== told.version
    if (version >= 0) told.version = version
    return this.#memory.frame(event, isChanged)
  }
}

/** Cash, switches and positions. */
async function shownOf(link: AccountLink, options: CallOptions): Promise<Snapshot> {
  const { bytes } = await link.read('events', options)
  const text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('utf8')
  const fields = JSON.parse(`${text}}`) as Record<string, unknown>
  return { text, fields, version: versionOf(fields) }
}

function versionOf({ positions_update: update }: Record<string, unknown>): number {
  const version =
    typeof update === 'object' && update !== null && 'version' in update ? update.version : 0
  return typeof version === 'number' ? version : 0
}
