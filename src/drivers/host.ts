import type { MarketMemory } from '../market/memory.ts'
import type { LogMemory } from '../observability/log-memory.ts'
import type { ActorBoardMemory } from '../runtime/actor-board.ts'

/**
 * What the thread of a driver's host is started with. Accounts are introduced as `account/<id>`, with a
 * port that brings `HostCommand`s, and gone when they are introduced with null. The thread of the embedded
 * broker has the ports `market`, a link that takes `MarketRequest`, and `events`, a channel of `MarketEvent`.
 */
export interface HostThreadData<Limits> {
  readonly dataDir: string
  /** Its own row of the actor board. */
  readonly slot: number
  readonly actorBoard: ActorBoardMemory
  readonly market: MarketMemory
  /** As configured; each driver says which of them it reads. */
  readonly limits: Limits
  readonly logs: LogMemory
}

/** What comes with the port of an account. */
export interface HostIntroduction<Account> {
  /** Row of the account on the actor board. */
  readonly slot: number
  /** As configured; each driver says what it reads of it. */
  readonly account: Account
}
