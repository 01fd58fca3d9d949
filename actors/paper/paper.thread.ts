import { ActorBands } from '../../src/market/bands.ts'
import { SharedClock } from '../../src/market/clock.ts'
import type { MarketMemory } from '../../src/market/memory.ts'
import { QuoteReader } from '../../src/market/quote-board.ts'
import type { MarketEvent, MarketReplies, MarketRequest, Watch } from '../../src/protocol/market.ts'
import { ActorBoard, type ActorBoardMemory } from '../../src/runtime/actor-board.ts'
import { Channel } from '../../src/runtime/channel.ts'
import { startHeartbeat } from '../../src/runtime/heartbeat.ts'
import { Link, type LinkLimits, portWire } from '../../src/runtime/link.ts'
import { thisThread } from '../../src/runtime/thread.ts'
import { PAPER_SLOT } from './open-driver.ts'
import { PaperActor, type PaperIntroduction, type PaperLimits } from './paper.actor.ts'

export interface PaperThreadLimits extends PaperLimits, LinkLimits {
  /** For the market thread to answer which slots codes have. */
  readonly watchTimeoutMs: number
  readonly heartbeatIntervalMs: number
}

/**
 * What the paper thread is started with. Its ports: `market`, a link that takes `MarketRequest`,
 * and `events`, a channel of `MarketEvent`. Accounts are introduced as `account/<id>`.
 */
export interface PaperThreadData {
  readonly dataDir: string
  readonly actorBoard: ActorBoardMemory
  readonly market: MarketMemory
  readonly limits: PaperThreadLimits
}

const thread = thisThread<PaperThreadData>()
const { dataDir, actorBoard, market, limits } = thread.data
const board = new ActorBoard(actorBoard)
const link = new Link(portWire(thread.port('market')), { peer: 'market', limits })

async function watch(codes: readonly Watch[]): Promise<Readonly<Record<string, number>>> {
  const request: MarketRequest = { kind: 'watch', codes }
  const { slots } = await link.ask<MarketReplies['watch']>(request, {
    timeoutMs: limits.watchTimeoutMs,
  })
  return slots
}

const actor = new PaperActor({
  dataDir,
  board,
  watch,
  limits,
  quotes: new QuoteReader(market),
  bands: new ActorBands(market, PAPER_SLOT),
  clock: new SharedClock(market),
})
const events = new Channel<never, MarketEvent>(thread.port('events'), {
  board,
  self: PAPER_SLOT,
  peer: PAPER_SLOT,
  receive: (event, done) => actor.receive(event, done),
})
const stopHeartbeat = startHeartbeat(board, PAPER_SLOT, limits.heartbeatIntervalMs)

thread.onIntroduced((name, port, info) => {
  if (port === null) actor.leave(name.slice(name.indexOf('/') + 1))
  else actor.introduce(info as PaperIntroduction, port)
})
thread.onStop(async () => {
  stopHeartbeat()
  events.close()
  await actor.close()
})
thread.ready()
