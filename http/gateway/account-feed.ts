import { ServiceError } from '../../src/domain/errors.ts'
import { exchangeTime } from '../../src/domain/exchange-time.ts'
import type { FrontLimits } from '../desk/context.ts'
import type { Caller } from '../message/caller.ts'
import type { StreamReply } from '../message/reply.ts'
import type { HttpRequest } from '../message/request.ts'
import type { AccountLink, CallOptions } from '../port/service.ts'
import { type EventClient, EventClients, type EventLimits } from '../stream/event-clients.ts'
import { frameOf, movedOn, type OwnPart, type Shown, shownOf, unasked } from './account-shown.ts'
import { JournalReader } from './journal-reader.ts'
import { type Place, placeIn } from './journal-tail.ts'

export type FeedLimits = EventLimits & Pick<FrontLimits, 'sseEntriesMax' | 'sseGatherMs'>

export interface AccountFeedOptions {
  readonly clock: { nowMs(): number }
  readonly limits: FeedLimits
  readonly find: () => AccountLink | undefined
  /** Whether who opened a stream may still see it. */
  readonly isStillGood: (caller: Caller) => boolean
}

/** What a client has been told. */
interface Told {
  /** Sent with the request: the id of the last event that it has had, here or at another gateway. */
  readonly lastId: string | undefined
  /** It knows the journal up to here; undefined before its first event. */
  place: Place | undefined
  /** Of the positions; undefined before the first event. */
  version: number | undefined
  /** It was there when the look began: what is read then is no older than what it knows. */
  isExpected: boolean
  /** It has had an event on this stream. */
  hasHeard: boolean
}
type Client = EventClient<Told>

/** What is read of an account at a look, and how. */
interface Look {
  readonly shown: Shown
  readonly journal: JournalReader
  readonly options: () => CallOptions
  /** There is something new, or nothing was told for long. */
  readonly isDue: boolean
  readonly timestamp: string
  /** Texts of this look that several clients get. */
  readonly frames: Map<string, string>
}

const NOTHING_TOLD = {
  place: undefined,
  version: undefined,
  isExpected: false,
  hasHeard: false,
} satisfies Partial<Told>
/** What a client has missed that comes back. */
type Missed = Omit<OwnPart, 'isChanged'>

interface News {
  readonly look: Look
  /** The end of the journal. */
  readonly place: Place
  readonly missed: Missed | undefined
}

const CORRELATION = 'sse'

/**
 * The event stream of one account at the gateway, wherever the account is run. Events tell state, so who is behind
 * misses some and gets the newest; and what was journaled since the client's last one, each entry once and in order.
 * The id of an event is a place in the journal, which every gateway knows and every owner of the account goes on with.
 */
export class AccountFeed {
  readonly #options: AccountFeedOptions
  readonly #clients: EventClients<Told>
  #journal: JournalReader
  #timer: NodeJS.Timeout | undefined
  #newsTimer: NodeJS.Timeout | undefined
  #unlisten: (() => void) | undefined
  #isLooking = false
  /** Somebody came, or something was told, while it looked. */
  #isAgain = false
  /** Everything is to be read, whatever the word of the account says. */
  #isNews = true
  #last: Shown | undefined
  #lastSentMs = 0
  #lastWholeMs = 0

  constructor(options: AccountFeedOptions) {
    this.#options = options
    const { limits, isStillGood } = options
    this.#journal = new JournalReader(limits)
    this.#clients = new EventClients<Told>({
      limits,
      isStillGood,
      toldOf: (lastId) => ({ lastId, ...NOTHING_TOLD }),
      joined: () => this.#joined(),
      empty: () => this.#rest(),
    })
  }

  get clients(): number {
    return this.#clients.size
  }

  /** Streams that the token of this name has open. */
  clientsOf(name: string): number {
    return this.#clients.countOf(name)
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

  #joined(): void {
    const { limits, find } = this.#options
    this.#timer ??= setInterval(() => void this.#look(), limits.sseIntervalMs)
    this.#unlisten ??= find()?.onNews(() => this.#heard())
    this.#isNews = true
    void this.#look()
  }

  /** More often comes alone: a short wait makes one look of many commits. */
  #heard(): void {
    this.#newsTimer ??= setTimeout(() => {
      this.#newsTimer = undefined
      this.#isNews = true
      void this.#look()
    }, this.#options.limits.sseGatherMs)
  }

  #rest(): void {
    clearInterval(this.#timer)
    clearTimeout(this.#newsTimer)
    this.#timer = undefined
    this.#newsTimer = undefined
    this.#unlisten?.()
    this.#unlisten = undefined
    this.#last = undefined
    this.#journal = new JournalReader(this.#options.limits)
  }

  async #look(): Promise<void> {
    this.endWithdrawn()
    if (this.#isLooking) {
      this.#isAgain ||= this.#isNews
      return
    }
    this.#isLooking = true
    do {
      this.#isAgain = false
      await this.#lookOnce()
    } while (this.#isAgain && this.clients > 0)
    this.#isLooking = false
  }

  async #lookOnce(): Promise<void> {
    const { limits, clock } = this.#options
    for (const { told } of this.#clients) told.isExpected = true
    const journal = this.#journal
    const options = this.#within()
    const { shown, hasEntries } = await this.#read(journal, options)
    const isDue =
      hasEntries ||
      shown.text !== this.#last?.text ||
      performance.now() - this.#lastSentMs >= limits.sseSilenceMs
    this.#last = shown
    if (isDue) this.#lastSentMs = performance.now()
    const timestamp = exchangeTime(clock.nowMs())
    const look = { shown, journal, options, isDue, timestamp, frames: new Map<string, string>() }
    for (const client of [...this.#clients]) await this.#tell(client, look)
  }

  /** All questions of a look end by the same time. */
  #within(): () => CallOptions {
    const endMs = performance.now() + this.#options.limits.readTimeoutMs
    return () => ({
      timeoutMs: Math.max(1, endMs - performance.now()),
      correlationId: CORRELATION,
    })
  }

  async #read(
    journal: JournalReader,
    options: () => CallOptions,
  ): Promise<{ readonly shown: Shown; readonly hasEntries: boolean }> {
    const isNews = this.#isNews
    this.#isNews = false
    try {
      const link = this.#link()
      const status = await link.read('v1Status', options())
      const last = this.#last
      if (last?.word === status.version && !isNews && !this.#isWholeDue) {
        return { shown: movedOn(last, status), hasEntries: false }
      }
      const shown = await shownOf(link, status, options)
      const hasEntries = await journal.look(link, options)
      this.#lastWholeMs = performance.now()
      return { shown, hasEntries }
    } catch (error) {
      // A stream that falls silent looks like a dead service; one that says what is wrong does not.
      return { shown: unasked(error), hasEntries: false }
    }
  }

  /** Errors  `UNKNOWN_ACCOUNT`. */
  #link(): AccountLink {
    const link = this.#options.find()
    if (link === undefined)
      throw new ServiceError('UNKNOWN_ACCOUNT', '账户已不在 (the account is gone)')
    return link
  }

  /** Now and then whatever its word says: that of another process, which has taken the account over, may be the same. */
  get #isWholeDue(): boolean {
    return performance.now() - this.#lastWholeMs >= this.#options.limits.sseSilenceMs
  }

  async #tell(client: Client, look: Look): Promise<void> {
    const { told } = client
    const isNew = told.place === undefined
    if (!(told.isExpected && (look.isDue || isNew))) return
    const place = look.journal.head
    if (look.shown.version < 0 || place === undefined) {
      if (look.isDue || !told.hasHeard) this.#tellUnasked(client, look, look.shown)
      return
    }
    try {
      const missed = isNew ? await this.#missedBy(told, look) : undefined
      this.#clients.send(client, () => this.#frameFor(told, { look, place, missed }))
      told.hasHeard = true
    } catch (error) {
      this.#isNews = true // the next look asks again
      this.#tellUnasked(client, look, unasked(error))
    }
  }

  #tellUnasked(client: Client, { timestamp }: Look, shown: Shown): void {
    this.#clients.send(client, () => frameOf(shown, timestamp))
    client.told.hasHeard = true
  }

  /** Of a client that has just come. Errors  of the account. */
  async #missedBy({ lastId }: Told, { journal, options }: Look): Promise<Missed> {
    if (lastId === undefined) return { entries: [], isLost: false }
    const place = placeIn(lastId)
    const entries = place && (await journal.missedAfter(place, this.#link(), options))
    return { entries: entries ?? [], isLost: entries === undefined }
  }

  #frameFor(told: Told, { look, place, missed }: News): string {
    const { shown, journal, timestamp, frames } = look
    const known = told.place && journal.after(told.place)
    const entries = missed?.entries ?? known ?? []
    const isLost = missed?.isLost ?? known === undefined
    const { version } = shown
    const isChanged = told.version === undefined ? version !== 0 : version !== told.version
    const key = `${told.place?.seq ?? told.lastId} ${isChanged} ${isLost}`
    const frame =
      frames.get(key) ?? frameOf(shown, timestamp, { own: { isChanged, entries, isLost }, place })
    frames.set(key, frame)
    told.place = place
    told.version = version
    return frame
  }
}
