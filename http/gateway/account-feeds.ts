import { OPERATOR } from '../message/caller.ts'
import type { StreamReply } from '../message/reply.ts'
import type { HttpRequest } from '../message/request.ts'
import type { AccountLink } from '../port/service.ts'
import { mustHaveRoom } from '../stream/event-clients.ts'
import { AccountFeed, type AccountFeedOptions } from './account-feed.ts'

interface FeedsOptions extends Omit<AccountFeedOptions, 'find'> {
  readonly find: (accountId: string) => AccountLink | undefined
}

/** The event streams of the gateway's accounts: a feed for each that somebody follows. All share the limits. */
export class AccountFeeds {
  readonly #options: FeedsOptions
  readonly #feeds = new Map<string, AccountFeed>()

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
      new AccountFeed({ clock, limits, find: () => find(accountId), isStillGood })
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
