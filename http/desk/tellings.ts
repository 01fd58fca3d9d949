import { setTimeout as delay } from 'node:timers/promises'
import { ServiceError } from '../../src/domain/errors.ts'
import type { NoteTold, OrderAnswer } from '../../src/protocol/orders.ts'
import type { Reply } from '../message/reply.ts'
import type { HttpRequest } from '../message/request.ts'
import type { AccountLink } from '../port/service.ts'

export interface TellingLimits {
  readonly commandTimeoutMs: number
  /** News for accounts that cannot take them now; the oldest are dropped. */
  readonly tellingsMax: number
  /** Orders that are remembered as answered, of equal requests; the oldest are forgotten. */
  readonly tellingsOfRequestMax: number
  readonly tellingRetryMs: number
  readonly tellingKeepMs: number
}

interface Options {
  readonly limits: TellingLimits
  readonly log: { warn(fields: Readonly<Record<string, unknown>>, message: string): void }
}

interface News {
  readonly link: AccountLink
  readonly note: NoteTold
  readonly untilMs: number
}

/** An order under way, or some of one request. */
interface Asked {
  readonly link: AccountLink
  readonly request: HttpRequest
  /** Its client order id; of a request for several that of the request. */
  readonly key: string
  readonly source: string
  /** Of the request for it; absent where nothing is placed. */
  readonly requestHash?: string
}

/**
 * Whether callers got to know what became of their orders. Only what goes another way than usual is said to the
 * account: an answer that cannot be delivered or that knows nothing, and the answer to whoever asks again.
 * One after the other, and again while the account cannot be asked.
 */
export class Tellings {
  readonly #options: Options
  readonly #news = new Map<string, News[]>()
  /** Client order ids of which it was said that their callers were missed; the oldest go first. */
  readonly #missed = new Set<string>()
  /** Answers that were delivered, by account and request; the oldest go first. */
  readonly #delivered = new Map<string, Delivered>()
  #count = 0
  #isClosed = false

  constructor(options: Options) {
    this.#options = options
  }

  /**
   * Of one request. To be called before the account is asked: where a request like this one was answered, the account is
   * told so first, if it may have begun to doubt that since. One that has been restarted takes the answer for lost, and
   * would refuse this order as its repetition.
   */
  of(asked: Asked): Telling {
    // As it is before the account is asked: what it comes to doubt afterwards is another one.
    const doubts = asked.link.doubtsOfAnswers
    const delivered = this.#delivered.get(requestOf(asked))
    const earlier = delivered?.doubted(doubts, asked.key) ?? NONE
    if (delivered !== undefined && earlier.length > 0) {
      void this.#remind(asked, earlier, () => delivered.believed(earlier, doubts))
    }
    return new Telling(asked, {
      tell: (news) => this.#tell(asked, news),
      wasMissed: (id) => this.#missed.has(id),
      delivered: (ids, isAgain) => this.#keepDelivered(asked, ids, isAgain ? undefined : doubts),
    })
  }

  /** Past the news that wait, and not tried again: the next request like this one brings it anew. */
  async #remind(
    { link, source }: Asked,
    told: readonly string[],
    believed: () => void,
  ): Promise<void> {
    const { commandTimeoutMs: timeoutMs } = this.#options.limits
    try {
      await link.ask(
        { kind: 'noteTold', told, untold: [], source },
        { timeoutMs, correlationId: '' },
      )
      believed()
    } catch (error) {
      if (!(error instanceof ServiceError)) throw error
    }
  }

  /** A request that leads to nothing new under its own key leaves what is known of the others. */
  #keepDelivered(asked: Asked, ids: readonly string[], doubts: number | undefined): void {
    if (asked.requestHash === undefined || ids.length === 0) return
    const request = requestOf(asked)
    const { tellingsMax, tellingsOfRequestMax } = this.#options.limits
    const delivered = this.#delivered.get(request) ?? new Delivered(tellingsOfRequestMax)
    delivered.add(ids, doubts)
    this.#delivered.delete(request)
    this.#delivered.set(request, delivered)
    const [oldest] = this.#delivered.keys()
    const isFull = this.#delivered.size > tellingsMax
    if (isFull && oldest !== undefined) this.#delivered.delete(oldest)
  }

  /** Nothing is tried again any more, and what waits may not be told. */
  close(): void {
    this.#isClosed = true
    for (const news of [...this.#news.values()].flat()) unsaid(news)
  }

  #tell({ link, source }: Asked, { told = [], untold = [] }: Partial<NoteTold>): void {
    const { tellingsMax, tellingKeepMs } = this.#options.limits
    const { accountId } = link
    for (const id of told) this.#missed.delete(id)
    for (const id of untold) this.#miss(id)
    const note: NoteTold = { kind: 'noteTold', told, untold, source }
    const news = { link, note, untilMs: performance.now() + tellingKeepMs }
    if (this.#isClosed) unsaid(news)
    if (this.#count >= tellingsMax) return this.#dropped(news, 'too many')
    this.#count += 1
    const waiting = this.#news.get(accountId)
    if (waiting !== undefined) return void waiting.push(news)
    const queue = [news]
    this.#news.set(accountId, queue)
    void this.#deliver(accountId, queue)
  }

  #miss(id: string): void {
    const [oldest] = this.#missed
    const isFull = this.#missed.size >= this.#options.limits.tellingsMax
    if (isFull && oldest !== undefined) this.#missed.delete(oldest)
    this.#missed.add(id)
  }

  /** The first is asked for in this turn of the event loop, before whatever the caller sends next. */
  async #deliver(accountId: string, queue: News[]): Promise<void> {
    for (;;) {
      const [news] = queue
      if (news === undefined) break
      if (await this.#isDelivered(news)) {
        queue.shift()
        this.#count -= 1
      } else await delay(this.#options.limits.tellingRetryMs, undefined, { ref: false })
    }
    this.#news.delete(accountId)
  }

  /** Also when it is given up. */
  async #isDelivered(news: News): Promise<boolean> {
    const { link, note, untilMs } = news
    const { commandTimeoutMs: timeoutMs } = this.#options.limits
    try {
      await link.ask(note, { timeoutMs, correlationId: '' })
      return true
    } catch (error) {
      if (!(error instanceof ServiceError)) throw error
      if (!this.#isClosed && performance.now() < untilMs) return false
      this.#dropped(news, error.message)
      return true
    }
  }

  #dropped(news: News, reason: string): void {
    unsaid(news)
    this.#options.log.warn(
      { account: news.link.accountId, reason },
      'an account was not told of an answer that was lost',
    )
  }
}

const NONE: readonly string[] = []

const unsaid = ({ link, note }: News): void => {
  if (note.untold.length > 0) link.answerUnsaid()
}

/**
 * Client order ids of answers to one request that were delivered, each with what the account had come to doubt when it
 * was asked: as long as that stands, the account knows them. Equal slices are many, so none costs the look at all others.
 */
class Delivered {
  readonly #max: number
  readonly #doubtsById = new Map<string, number | undefined>()
  /** What stands beside each of them; undefined: not the same, or not known. */
  #doubtsOfAll: number | undefined

  constructor(max: number) {
    this.#max = max
  }

  add(ids: readonly string[], doubts: number | undefined): void {
    if (this.#doubtsById.size === 0) this.#doubtsOfAll = doubts
    if (this.#doubtsOfAll !== doubts) this.#doubtsOfAll = undefined
    for (const id of ids) {
      this.#doubtsById.set(id, doubts)
      const [oldest] = this.#doubtsById.keys()
      if (this.#doubtsById.size > this.#max && oldest !== undefined) this.#doubtsById.delete(oldest)
    }
  }

  /** Those of which the account may not know any more that they were delivered, but for `except`. */
  doubted(doubts: number | undefined, except: string): readonly string[] {
    if (doubts !== undefined && this.#doubtsOfAll === doubts) return NONE
    const doubted: string[] = []
    for (const [id, known] of this.#doubtsById) {
      if (known === undefined || known !== doubts) doubted.push(id)
    }
    if (doubted.length === 0) this.#doubtsOfAll = doubts
    return doubted.filter((id) => id !== except)
  }

  /** The account was told of these. */
  believed(ids: readonly string[], doubts: number | undefined): void {
    for (const id of ids) if (this.#doubtsById.has(id)) this.#doubtsById.set(id, doubts)
  }
}

const requestOf = ({ link, requestHash = '' }: Asked): string => `${link.accountId} ${requestHash}`

interface Teller {
  readonly tell: (news: Partial<NoteTold>) => void
  /** A request for this came before, and its caller was missed. */
  readonly wasMissed: (clientOrderId: string) => boolean
  /** Their answer has got to the caller; where it is a later one, the account is still being told. */
  readonly delivered: (clientOrderIds: readonly string[], isAgain: boolean) => void
}

/** What one caller learns. */
export class Telling {
  readonly #asked: Asked
  readonly #teller: Teller

  constructor(asked: Asked, teller: Teller) {
    this.#asked = asked
    this.#teller = teller
  }

  /** It is answered that nobody knows, or nobody is there to be answered. */
  unknown(): void {
    this.#teller.tell({ untold: [this.#asked.key] })
  }

  /** The answer to a question about orders. Not delivered, it leaves everything as it was. */
  asked(reply: Reply, answers: readonly OrderAnswer[]): Reply {
    const told = idsOf(answers.filter(({ state }) => state !== 'unknown'))
    if (told.length === 0) return reply
    const delivered = (isDelivered: boolean): void => {
      if (isDelivered) this.#teller.tell({ told })
    }
    return { ...reply, delivered }
  }

  /** The answer to a request for orders, and what follows from its being delivered or not. */
  around(reply: Reply, answers: readonly OrderAnswer[]): Reply {
    const known = answers.filter(({ state }) => state !== 'unknown')
    const wasMissed = this.#teller.wasMissed(this.#asked.key)
    // The first request may never have reached the account, and then this is no repetition to it.
    const again = known.filter(({ replayed }) => replayed || wasMissed)
    const told = wasMissed ? [this.#asked.key, ...idsOf(again)] : idsOf(again)
    if (known.length === 0) return reply
    const delivered = (isDelivered: boolean): void => {
      if (!isDelivered) return this.#teller.tell({ untold: idsOf(known) })
      this.#teller.delivered(idsOf(known), again.length > 0)
      if (again.length > 0) this.#teller.tell({ told: [...new Set(told)] })
    }
    return { ...reply, delivered }
  }
}

const idsOf = (answers: readonly OrderAnswer[]): readonly string[] =>
  answers.map(({ clientOrderId }) => clientOrderId)
