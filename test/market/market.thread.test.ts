import { join } from 'node:path'
import { MessageChannel } from 'node:worker_threads'
import t from 'tap'
import type { MarketThreadData } from '../../actors/market/market.thread.ts'
import { createMarketMemory } from '../../src/market/memory.ts'
import { QuoteReader } from '../../src/market/quote-board.ts'
import { createLogMemory } from '../../src/observability/log-memory.ts'
import type { MarketRequest, ReplayStatus } from '../../src/protocol/market.ts'
import type { StoreControl } from '../../src/protocol/store.ts'
import { createActorBoard } from '../../src/runtime/actor-board.ts'
import { createLatencyBoard } from '../../src/runtime/latency-board.ts'
import { Link, portWire } from '../../src/runtime/link.ts'
import { startThread } from '../../src/runtime/thread.ts'
import { LIMITS, replayOf } from './fixtures/market.ts'
import { at, tickOf } from './fixtures/ticks.ts'

const T0 = at('2026-08-11', '10:00:00')
const CODE = '600036.SH'
const limits = { openAsksMax: 16 }

/** The market in its own thread, its records kept by this one. */
async function startMarket(
  config: MarketThreadData['config'],
  records: Map<string, Uint8Array | null>,
  dataDir: string,
) {
  const memory = createMarketMemory({ codesMax: 16, actorSlots: 2 })
  const store = new MessageChannel()
  new Link(portWire(store.port2), {
    peer: 'market',
    limits,
    answer: (body) => {
      const request = body as StoreControl
      if (request.kind === 'put') records.set(request.key, request.value?.slice() ?? null)
      return request.kind === 'get' ? (records.get(request.key) ?? null) : null
    },
  })
  const data: MarketThreadData = {
    memory,
    config,
    board: createActorBoard(2),
    limits: LIMITS,
    recordTimeoutMs: 5_000,
    logs: createLogMemory('error', 1_024),
    dataDir,
    latency: createLatencyBoard(2),
    writeMarginBytes: 0,
  }
  const thread = startThread({
    entry: 'actors/market/market.thread.ts',
    name: 'market',
    data,
    ports: { records: store.port1 },
  })
  const front = new MessageChannel()
  thread.introduce('link:front', front.port1)
  await thread.ready
  const link = new Link(portWire(front.port2), { peer: 'market', limits })
  const ask = <T>(request: MarketRequest) => link.ask<T>(request, { timeoutMs: 10_000 })
  return { thread, memory, ask }
}

t.test(
  'the market thread feeds when it is told to, and goes on where it was after a stop',
  async (t) => {
    const file = Array.from({ length: 100 }, (_, n) => tickOf(CODE, T0 + n, 10 + n / 100))
    const config = replayOf(join(t.testdir(), 'day'), file, { autostart: false })
    const records = new Map<string, Uint8Array | null>()
    const first = await startMarket(config, records, t.testdirName)
    await first.ask({ kind: 'start' })
    await first.ask({ kind: 'replayPlay', until: T0 + 49 })
    let status = await first.ask<ReplayStatus>({ kind: 'replayStatus' })
    while (status.state === 'playing') status = await first.ask({ kind: 'replayStatus' })
    t.match(status, { state: 'paused', ticks_played: 50, ticks_total: 100 })
    t.match(new QuoteReader(first.memory).read(0), { timeMs: T0 + 49, lastPrice: 104_900 })
    first.thread.stop()
    t.equal((await first.thread.exited).code, 0)

    const second = await startMarket(config, records, t.testdirName)
    t.match(await second.ask({ kind: 'replayStatus' }), { state: 'paused', ticks_played: 50 })
    t.match(new QuoteReader(second.memory).read(0), { timeMs: T0 + 49, lastPrice: 104_900 })
    t.equal(await second.ask({ kind: 'stop' }), null)
    await t.rejects(second.ask({ kind: 'replayPlay' }), { code: 'STOPPING' })
    second.thread.stop()
    await second.thread.exited
  },
)

t.test('a replay file that is missing ends the thread with one clear line', async (t) => {
  const config = { source: 'replay', file: '/gone/day', speed: 1, autostart: true } as const
  await t.rejects(startMarket(config, new Map(), t.testdirName), { message: /does not exist/ })
})
