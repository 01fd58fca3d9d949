import type { MessagePort } from 'node:worker_threads'
import type { ConnectionSettings } from '../../src/cluster/nats/connect.ts'
import type { NatsQuotesLimits } from '../../src/cluster/nats/nats-quotes.ts'
import { having } from '../../src/config/drivers.ts'
import type { Config, MarketConfig } from '../../src/config/schema.ts'
import { LateBars } from '../../src/market/bars/late-bars.ts'
import { REAL_TIME } from '../../src/market/clock.ts'
import { takeClosedDays } from '../../src/market/closed-days.ts'
import type { MarketMemory } from '../../src/market/memory.ts'
import type { Saved, SavedApart } from '../../src/market/saved.ts'
import { costsOfHoldings } from '../../src/market/simulated.ts'
import { type LogMemory, linesOf } from '../../src/observability/log-memory.ts'
import { createLogger } from '../../src/observability/logger.ts'
import type { BarStore } from '../../src/ports/bars.port.ts'
import { decode, encode } from '../../src/protocol/codec.ts'
import type { StoreControl, StoreControlReplies } from '../../src/protocol/store.ts'
import { ActorBoard, type ActorBoardMemory } from '../../src/runtime/actor-board.ts'
import { LatencyBoard } from '../../src/runtime/latency-board.ts'
import { Link, type LinkLimits, portWire } from '../../src/runtime/link.ts'
import { thisThread } from '../../src/runtime/thread.ts'
import { BarsDatabase } from '../../src/storage/bars-database.ts'
import { freeBytesIn } from '../../src/storage/free-space.ts'
import type { MarketLimits, MarketParts } from './desks.ts'
import { MarketActor } from './market.actor.ts'
import { openTaker, type Sharing, type SharingLimits } from './sharing.ts'

/**
 * What the market thread is started with; besides, a port `records` whose other end answers the
 * `get`, `put` and `list` requests of `StoreControl`.
 */
export interface MarketThreadData {
  readonly memory: MarketMemory
  readonly board: ActorBoardMemory
  readonly config: MarketConfig
  /** For a source that a driver brings, and for the prices at which made ones begin. */
  readonly configured?: Pick<Config, 'accounts' | 'limits'>
  readonly limits: MarketLimits
  /** In a cluster: this node, and the way to the others. */
  readonly cluster?: {
    readonly node: string
    readonly settings: ConnectionSettings
    readonly limits: SharingLimits & NatsQuotesLimits
  }
  /** The account that the process serves alone, in direct mode; empty: it serves all. Each has a market of its own. */
  readonly place: string
  /** Other places whose records are looked at. */
  readonly placesMax: number
  /** For one request to the records, milliseconds. */
  readonly recordTimeoutMs: number
  readonly logs: LogMemory
  readonly dataDir: string
  /** Of the latency board. */
  readonly latency: SharedArrayBuffer
  /** Free disk space below which nothing is written. */
  readonly writeMarginBytes: number
}

takeClosedDays()
const thread = thisThread<MarketThreadData>()
const { memory, board, config, configured, limits, recordTimeoutMs, logs, dataDir } = thread.data
const { place, placesMax } = thread.data
const actorBoard = new ActorBoard(board)
const log = createLogger({ memory: logs, name: 'market', write: linesOf(thread, logs) })
const latency = new LatencyBoard(thread.data.latency)
const { records, recordsApart } = recordsOver(thread.port('records'), limits, recordTimeoutMs)
const sharing = await openSharing()
const market = await MarketActor.open({
  memory,
  board,
  config,
  live: await liveMarket(),
  startPrices: costsOfHoldings(configured?.accounts ?? []),
  sharing,
  limits,
  saved: {
    replay: recordsApart('market/replay', place === ''),
    quotes: recordsApart('market/quotes', true),
    clock: records('market/clock'),
    listing: records('market/listing'),
  },
  openBars,
  wakes: (actor) => latency.woken(actor, REAL_TIME.monotonicMs()),
  log,
  time: REAL_TIME,
})
thread.onIntroduced((name, port, info) => market.introduce(name, port, info))
thread.onStop(() => market.stop())
thread.ready()

/** Whoever is in no cluster loads none of it; a recording is shared with nobody. */
async function openSharing(): Promise<Sharing | undefined> {
  const { cluster } = thread.data
  if (cluster === undefined || config.source === 'replay') return undefined
  const { NatsQuotes } = await import('../../src/cluster/nats/nats-quotes.ts')
  const { node, settings, limits: bounds } = cluster
  let before = ''
  const exchange = new NatsQuotes({
    settings,
    limits: bounds,
    onState: (text) => {
      if (text !== before) log.info({}, `servers of the cluster, for quotes: ${text}`)
      before = text
    },
  })
  return { node, exchange, limits: bounds }
}

/** The market of other computers, or that of a driver; undefined when the ticks are made or replayed. */
async function liveMarket(): Promise<MarketParts['live']> {
  if (config.source === 'cluster' && sharing !== undefined) {
    return () => openTaker(sharing, config, { monotonicMs: REAL_TIME.monotonicMs, log })
  }
  for (const [name, quotes] of Object.entries(having('quotes'))) {
    if (config.source !== name || configured === undefined) continue
    const { openMarket } = await quotes.open()
    const market = config as never // the variant that its own schema has made
    return (nowMs) => openMarket({ ...configured, dataDir, market, log, nowMs })
  }
  return undefined
}

/** A market whose history cannot be opened goes on without until it can be: nothing that trades depends on it. */
function openBars(source: string): BarStore {
  const { writeMarginBytes } = thread.data
  // History is the first thing to do without.
  const hasRoom = () => !actorBoard.isDiskLow() && freeBytesIn(dataDir) >= writeMarginBytes
  return new LateBars(() => new BarsDatabase(dataDir, source, hasRoom), log)
}

function recordsOver(port: MessagePort, linkLimits: LinkLimits, timeoutMs: number) {
  const link = new Link(portWire(port), { peer: 'records', limits: linkLimits })
  const ask = <T>(body: StoreControl) => link.ask<T>(body, { timeoutMs })
  const get = async <T>(key: string): Promise<T | undefined> => {
    const bytes = await ask<Uint8Array | null>({ kind: 'get', key })
    return bytes === null ? undefined : decode<T>(bytes)
  }
  const records = <T>(key: string): Saved<T> => ({
    load: () => get<T>(key),
    save: async (value) => {
      await ask<null>({ kind: 'put', key, value: encode(value) })
    },
  })
  const keyHere = (key: string): string => (place === '' ? key : [key, place].join('/'))
  /**
   * One for each place. A process for all accounts may take any of them over, and goes on where its own process was;
   * one for a single account is followed by that of all accounts alone, unless it `seesAll`.
   */
  const recordsApart = <T>(key: string, seesAll: boolean): SavedApart<T> => ({
    ...records<T>(keyHere(key)),
    others: async () => {
      const ofAll = place === '' ? undefined : await get<T>(key)
      const list = { kind: 'list', prefix: `${key}/`, limit: placesMax } as const
      const rows = seesAll ? await ask<StoreControlReplies['list']>(list) : []
      const others = rows.filter((row) => row.key !== keyHere(key))
      return [
        ...(ofAll === undefined ? [] : [ofAll]),
        ...others.map(({ value }) => decode<T>(value)),
      ]
    },
  })
  return { records, recordsApart }
}
