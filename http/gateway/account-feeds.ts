import { type Caller, OPERATOR } from '../caller.ts'
import type { StreamReply } from '../reply.ts'
import type { HttpRequest } from '../request.ts'
import type { AccountLink, CallOptions } from '../service.ts'
import { EventFeed, type EventLimits, mustHaveRoom, type Shown } from '../sse.ts'
import { tagOf } from '../validators.ts'

interface FeedsOptions {
  readonly clock: { nowMs(): number }
  readonly limits: EventLimits
  readonly find: (accountId: string) => AccountLink | undefined
  /** Whether who opened a stream may still see it. */
  readonly isStillGood: (caller: Caller) => boolean
}

/** The event streams of the gateway's accounts: a feed for each that somebody follows. All share the limits. */
export class AccountFeeds {
  readonly #options: FeedsOptions
  readonly #feeds = new Map<string, EventFeed>()

  constructor(options: FeedsOptions) {
    this.#options = options
  }

  /** Errors  `OVERLOADED`, `RATE_LIMITED`. */
  open(accountId: string, request: Pick<HttpRequest, 'caller' | 'headers'>): StreamReply {
    const { clock, limits, find, isStillGood } = this.#options
    const { name } = request.caller ?? OPERATOR
    const feeds = [...this.#feeds.values()]
    mustHaveRoom(limits, {
      all: feeds.reduce((sum, { clients }) => sum + clients, 0),
      ofToken: feeds.reduce((sum, feed) => sum + feed.clientsOf(name), 0),
    })
    for (const [id, { clients }] of this.#feeds) if (clients === 0) this.#feeds.delete(id)
    const feed =
      this.#feeds.get(accountId) ??
      new EventFeed({ clock, limits, find: () => find(accountId), isStillGood, show: changesOf })
    this.#feeds.set(accountId, feed)
    return feed.open(request)
  }

  /** Ends the streams whose token was withdrawn or has expired. */
  endWithdrawn(): void {
    for (const feed of this.#feeds.values()) feed.endWithdrawn()
  }

  /** Ends all streams. */
  close(): void {
    for (const feed of this.#feeds.values()) feed.close()
    this.#feeds.clear()
  }
}

/** What has changed, and not what it is now: whoever follows reads that, if it wants it. */
async function changesOf(link: AccountLink, options: CallOptions): Promise<Shown> {
  const [status, orders, trades] = await Promise.all([
    link.read('v1Status', options),
    link.read('v1Orders', options),
    link.read('v1Trades', options),
  ])
  const text = Buffer.from(status.bytes).toString('utf8')
  const { data } = JSON.parse(text) as { readonly data: Readonly<Record<string, unknown>> }
  const fields = {
    account_id: link.accountId,
    connected: data['connected'] === true,
    ready: data['ready'] === true,
    simulation_mode: data['simulation_mode'] ?? null,
    orders: tagOf(orders),
    trades: tagOf(trades),
    positions_update: { version: orders.dataVersion },
  }
  return { text: JSON.stringify(fields), fields }
}
