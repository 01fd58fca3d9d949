import { readFile } from 'node:fs/promises'
import type { AccountPolicy } from '../../src/account/model/policy.ts'
import { METER_CELLS } from '../../src/domain/call-log.ts'
import { ActorAlarm } from '../../src/market/alarms.ts'
import { ActorBands } from '../../src/market/bands.ts'
import { REAL_TIME, SharedClock } from '../../src/market/clock.ts'
import { takeClosedDays } from '../../src/market/closed-days.ts'
import type { MarketMemory } from '../../src/market/memory.ts'
import { QuoteReader } from '../../src/market/quote-board.ts'
import { type LogMemory, linesOf } from '../../src/observability/log-memory.ts'
import { createLogger } from '../../src/observability/logger.ts'
import type { AccountControl, AccountRequest, AccountTold } from '../../src/protocol/account.ts'
import type { MarketEvent, MarketReplies, MarketRequest } from '../../src/protocol/market.ts'
import { ActorBoard, type ActorBoardMemory } from '../../src/runtime/actor-board.ts'
import { Channel } from '../../src/runtime/channel.ts'
import { startHeartbeat } from '../../src/runtime/heartbeat.ts'
import { LatencyBoard } from '../../src/runtime/latency-board.ts'
import { Link, type LinkLimits, portWire } from '../../src/runtime/link.ts'
import { TallyBoard } from '../../src/runtime/tally-board.ts'
import { thisThread } from '../../src/runtime/thread.ts'
import { StoreClient, type StoreClientLimits } from '../../src/storage/store-client.ts'
import { AccountActor } from './account.actor.ts'
import type { AccountActorLimits } from './deps.ts'
import { type CrashPoint, commit as commitFault, crashingDriver, crashingStore } from './faults.ts'
import { openPaperDriver, openRealDriver } from './open-driver.ts'
import { type OrderCheckMemory, orderCheck } from './order-check.ts'
import { Rehearsal } from './rehearsal.ts'
import { type WarmUpLimits, warmUp } from './warm-up.ts'

export interface AccountThreadLimits
  extends AccountActorLimits,
    LinkLimits,
    StoreClientLimits,
    WarmUpLimits {
  readonly heartbeatIntervalMs: number
}

/**
 * What an account thread is started with. Its ports: `front` (answers `AccountRequest`), `store`,
 * `reader`, `market` (all asked), `events` (channel of `MarketEvent`), `driver` (to the host of its driver).
 */
export interface AccountThreadData {
  readonly policy: AccountPolicy
  /** Whether its driver leads to a real broker. */
  readonly isReal: boolean
  readonly slot: number
  readonly incarnation: number
  /** It crashed too often: no strategies, no orders; a person can stop what is under way. */
  readonly isReduced?: boolean
  readonly actorBoard: ActorBoardMemory
  readonly market: MarketMemory
  readonly limits: AccountThreadLimits
  /** File with the candidates shown by the console; it need not exist. */
  readonly stockPoolFile: string
  readonly logs: LogMemory
  /** Of the latency board. */
  readonly latency: SharedArrayBuffer
  /** Of the tally board. */
  readonly tallies: SharedArrayBuffer
  /** In a cluster: what is looked at before the trading client is told anything. */
  readonly orderCheck?: OrderCheckMemory
  /** Only tests break things. */
  readonly allowFaults: boolean
  readonly crashAt?: CrashPoint
}

takeClosedDays()
const thread = thisThread<AccountThreadData>()
const { policy, slot, limits, allowFaults, crashAt } = thread.data
const board = new ActorBoard(thread.data.actorBoard)
const { logs } = thread.data
const log = createLogger({ memory: logs, name: 'account', write: linesOf(thread, logs) }).child({
  account: policy.accountId,
})
const latency = new LatencyBoard(thread.data.latency)
const market = new Link(portWire(thread.port('market')), { peer: 'market', limits })
const store = new Link(portWire(thread.port('store')), { peer: 'store', limits })
const reader = new Link(portWire(thread.port('reader')), { peer: 'reader', limits })
const books = new StoreClient(store, limits, reader, () => board.isDiskLate())
const stopHeartbeat = startHeartbeat(board, slot, limits.heartbeatIntervalMs)

const actor = await AccountActor.start({
  policy,
  slot,
  board,
  log,
  limits,
  latency: {
    tickToStep: latency.histogram(slot, 'tickToStep'),
    tickToIntent: latency.histogram(slot, 'tickToIntent'),
    commit: latency.histogram(slot, 'commit'),
    commitToSubmit: latency.histogram(slot, 'commitToSubmit'),
    wokenAtMs: () => latency.wokenAtMs(slot),
    nowMs: REAL_TIME.monotonicMs,
  },
  tallies: new TallyBoard(thread.data.tallies, METER_CELLS).row(slot),
  incarnation: thread.data.incarnation,
  isReduced: thread.data.isReduced ?? false,
  quotes: new QuoteReader(thread.data.market),
  bands: new ActorBands(thread.data.market, slot),
  alarm: new ActorAlarm(thread.data.market, slot),
  clock: new SharedClock(thread.data.market),
  time: REAL_TIME,
  store: crashAt === undefined ? books : crashingStore(books, crashAt),
  isReal: thread.data.isReal,
  ...(thread.data.orderCheck && { callBy: orderCheck(thread.data.orderCheck, slot) }),
  driver: (epoch) => {
    const port = thread.port('driver')
    const driver = thread.data.isReal
      ? openRealDriver({ port, epoch, submitWithinMs: policy.limits.callTimeoutMs })
      : openPaperDriver({ port, board, slot, epoch })
    return crashAt === undefined ? driver : crashingDriver(driver, crashAt)
  },
  market: <R extends MarketRequest>(request: R, timeoutMs = limits.marketAskMs) =>
    market.ask<MarketReplies[R['kind']]>(request, { timeoutMs }),
  stockPool: () => readPool(thread.data.stockPoolFile),
})

new Link(portWire(thread.port('front')), {
  peer: 'front',
  limits,
  answer: (body, call) => actor.request(body as AccountRequest, call),
  tell: (body) => actor.withdraw((body as AccountTold).withdrawn),
})
const events = new Channel<never, MarketEvent>(thread.port('events'), {
  board,
  self: slot,
  peer: slot,
  receive: (event, done) => actor.onMarket(event, done),
})

thread.onControl((message) => {
  const control = message as AccountControl
  if (control.kind === 'fault' && allowFaults) commitFault(control.fault)
})
thread.onStop(async () => {
  events.close()
  await actor.stop()
  stopHeartbeat()
})
thread.serves()
// One that crashed too often does with as little as can be.
if (thread.data.isReduced !== true) {
  const rehearse = (sales: number) => new Rehearsal(policy, sales)
  await warmUp({ limits, rehearse, nowMs: REAL_TIME.monotonicMs, log })
}
thread.ready()

/** The candidates as they stand in the file; an absent or unreadable one is an empty pool. */
async function readPool(file: string): Promise<readonly string[]> {
  const bytes = await readFile(file).catch(() => Buffer.from('[]'))
  try {
    const codes: unknown = JSON.parse(new TextDecoder(encodingOf(bytes)).decode(bytes))
    return Array.isArray(codes) ? codes.filter((code) => typeof code === 'string') : []
  } catch {
    log.warn({ file }, 'stock pool file is not JSON; using the default pool')
    return []
  }
}

/** Editors of Windows mark a file, and what they call Unicode is UTF-16. The mark itself is no text. */
function encodingOf(bytes: Buffer): string {
  const mark = bytes.toString('hex', 0, 2)
  if (mark === 'fffe') return 'utf-16le'
  return mark === 'feff' ? 'utf-16be' : 'utf-8'
}
