import { setTimeout as delay } from 'node:timers/promises'
import { ServiceError } from '../src/domain/errors.ts'
import type { NoteTold, OrderAnswer } from '../src/protocol/account.ts'
import type { Reply } from './reply.ts'
import type { HttpRequest } from './request.ts'
import type { AccountLink } from './service.ts'

export interface TellingLimits {
  readonly commandTimeoutMs: number
  /** News for accounts that cannot take them now; the oldest are dropped. */
  readonly tellingsMax: number
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
}

/**
 * Whether callers got to know what became of their orders. Only what goes another way than usual is said to the
 * account: an answer that cannot be delivered or that knows nothing, and the answer to whoever asks again.
 * One after the other, and again while the account cannot be asked.
 */
export class Tellings {
  readonly #options: Options
  readonly #news = new Map<string, News[]>()
  #count = 0
  #isClosed = false

  constructor(options: Options) {
    this.#options = options
  }

  /** Of one request. To be called before the account is asked. */
  of(asked: Asked): Telling {
    return new Telling(asked, (news) => this.#tell(asked, news))
  }

  /** Nothing is tried again any more. */
  close(): void {
    this.#isClosed = true
  }

  #tell({ link, source }: Asked, { told = [], untold = [] }: Partial<NoteTold>): void {
    const { tellingsMax, tellingKeepMs } = this.#options.limits
    const { accountId } = link
    if (this.#count >= tellingsMax) return this.#dropped(accountId, 'too many')
    const note: NoteTold = { kind: 'noteTold', told, untold, source }
    const news = { link, note, untilMs: performance.now() + tellingKeepMs }
    this.#count += 1
    const waiting = this.#news.get(accountId)
    if (waiting !== undefined) return void waiting.push(news)
    const queue = [news]
    this.#news.set(accountId, queue)
    void this.#deliver(accountId, queue)
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
  async #isDelivered({ link, note, untilMs }: News): Promise<boolean> {
    const { commandTimeoutMs: timeoutMs } = this.#options.limits
    try {
      await link.ask(note, { timeoutMs, correlationId: '' })
      return true
    } catch (error) {
      if (!(error instanceof ServiceError)) throw error
      if (!this.#isClosed && performance.now() < untilMs) return false
      this.#dropped(link.accountId, error.message)
      return true
    }
  }

  #dropped(account: string, reason: string): void {
    this.#options.log.warn(
      { account, reason },
      'an account was not told of an answer that was lost',
    )
  }
}

/** What one caller learns. */
export class Telling {
  readonly #asked: Asked
  readonly #tell: (news: Partial<NoteTold>) => void

  constructor(asked: Asked, tell: (news: Partial<NoteTold>) => void) {
    this.#asked = asked
    this.#tell = tell
  }

  /** It is answered that nobody knows, or nobody is there to be answered. */
  unknown(): void {
    this.#tell({ untold: [this.#asked.key] })
  }

  /** The answer to a question about an order. Not delivered, it leaves everything as it was. */
  asked(reply: Reply, answer: OrderAnswer): Reply {
    if (answer.state === 'unknown') return reply
    const delivered = (isDelivered: boolean): void => {
      if (isDelivered) this.#tell({ told: idsOf([answer]) })
    }
    return { ...reply, delivered }
  }

  /** The answer to a request for orders, and what follows from its being delivered or not. */
  around(reply: Reply, answers: readonly OrderAnswer[]): Reply {
    const known = answers.filter(({ state }) => state !== 'unknown')
    const again = known.filter(({ replayed }) => replayed)
    if (known.length === 0) return reply
    const delivered = (isDelivered: boolean): void => {
      if (!isDelivered) this.#tell({ untold: idsOf(known) })
      else if (again.length > 0) this.#tell({ told: idsOf(again) })
    }
    return { ...reply, delivered }
  }
}

const idsOf = (answers: readonly OrderAnswer[]): readonly string[] =>
  answers.map(({ clientOrderId }) => clientOrderId)
