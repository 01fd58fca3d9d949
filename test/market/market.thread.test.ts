import { join } from 'node:path'
import { MessageChannel } from 'node:worker_threads'
import t from 'tap'
import type { MarketThreadData } from '../../actors/market/market.thread.ts'
import { createMarketMemory } from '../../src/market/memory.ts'
import { QuoteReader } from '../../src/market/quote-board.ts'
import { createLogMemory } from '../../src/observability/log-memory.ts'
import type { MarketReplies, MarketRequest, ReplayStatus } from '../../src/protocol/market.ts'
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

const listed = (records: ReadonlyMap<string, Uint8Array | null>, prefix: string) =>
  [...records].flatMap(([key, value]) =>
    key.startsWith(prefix) && value !== null ? [{ key, value }] : [],
  )

/** The market in its own thread, its records kept by this one. */
async function startMarket(
  config: MarketThreadData['config'],
  records: Map<string, Uint8Array | null>,
  dataDir: string,
  place = '',
) {
  const memory = createMarketMemory({ codesMax: 16, actorSlots: 2 })
  const store = new MessageChannel()
  new Link(portWire(store.port2), {
    peer: 'market',
    limits,
    answer: (body) => {
      const request = body as StoreControl
      if (request.kind === 'put') records.set(request.key, request.value?.slice() ?? null)
      if (request.kind === 'list') return listed(records, request.prefix)
      return request.kind === 'get' ? (records.get(request.key) ?? null) : null
    },
  })
  const data: MarketThreadData = {
    memory,
    config,
    board: createActorBoard(2),
    limits: LIMITS,
    place,
    placesMax: 16,
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

/** Asks as an account does, which is given a row of the board for what it holds. */
function watcherOf({ thread }: Awaited<ReturnType<typeof startMarket>>) {
  const port = new MessageChannel()
  thread.introduce('link:account/1', port.port1, { slot: 1 })
  const link = new Link(portWire(port.port2), { peer: 'market', limits })
  return async (code: string): Promise<number> => {
    const request: MarketRequest = { kind: 'watch', codes: [{ code, hint: 100_000 }] }
    const { slots } = await link.ask<MarketReplies['watch']>(request, { timeoutMs: 10_000 })
    return slots[code] ?? -1
  }
}

t.test(
  'F404 processes that share a data folder each keep the last quotes of what they hold',
  async (t) => {
    const records = new Map<string, Uint8Array | null>()
    const config = { source: 'simulated', seed: 1, interval_ms: 3_600_000, speed: 1 } as const
    const begin = (place: string) => startMarket(config, records, t.testdirName, place)
    const [first, second] = [await begin('A'), await begin('B')]
    const held = [
      [first, CODE],
      [second, '601318.SH'],
    ] as const
    const before: unknown[] = []
    for (const [market, code] of held) {
      await market.ask({ kind: 'start' })
      const slot = await watcherOf(market)(code)
      before.push(new QuoteReader(market.memory).read(slot))
    }
    for (const { thread } of [first, second]) {
      thread.stop()
      await thread.exited
    }
    for (const [index, place] of ['A', 'B'].entries()) {
      const again = await begin(place)
      t.ok(before[index])
      t.same(new QuoteReader(again.memory).read(0), before[index], `${place} shows its own`)
      again.thread.stop()
      await again.thread.exited
    }
    await t.test('one that takes an account over finds the quotes of it', async (t) => {
      const gateway = await begin('')
      t.equal(new QuoteReader(gateway.memory).read(0), undefined, 'nothing is held here yet')
      const slot = await watcherOf(gateway)('601318.SH')
      t.same(new QuoteReader(gateway.memory).read(slot), before[1])
      await gateway.ask({ kind: 'start' })
      const { lastPrice, timeMs } = new QuoteReader(gateway.memory).read(slot) ?? {}
      t.match(before[1], { lastPrice }, 'its price does not jump')
      t.ok((timeMs ?? 0) > 0)
      gateway.thread.stop()
      await gateway.thread.exited
    })
  },
)

t.test(
  'processes that share a data folder each go on in a recording where they were',
  async (t) => {
    const file = Array.from({ length: 100 }, (_, n) => tickOf(CODE, T0 + n, 10 + n / 100))
    const config = replayOf(join(t.testdir(), 'day'), file, { autostart: false })
    const records = new Map<string, Uint8Array | null>()
    const begin = (place: string) => startMarket(config, records, t.testdirName, place)
    const [first, second] = [await begin('A'), await begin('B')]
    for (const [market, until] of [
      [first, T0 + 19],
      [second, T0 + 49],
    ] as const) {
      await market.ask({ kind: 'start' })
      await market.ask({ kind: 'replayPlay', until })
      let status = await market.ask<ReplayStatus>({ kind: 'replayStatus' })
      while (status.state === 'playing') status = await market.ask({ kind: 'replayStatus' })
    }
    for (const { thread } of [first, second]) {
      thread.stop()
      await thread.exited
    }
    for (const [place, ticks] of [
      ['A', 20],
      ['B', 50],
      ['C', 0],
      ['', 20],
    ] as const) {
      const again = await begin(place)
      t.match(await again.ask({ kind: 'replayStatus' }), { ticks_played: ticks }, `"${place}"`)
      const shown = new QuoteReader(again.memory).read(0)?.timeMs
      t.equal(shown, ticks === 0 ? undefined : T0 + ticks - 1, 'no price of a time to come')
      again.thread.stop()
      await again.thread.exited
      records.delete('market/replay/C')
    }
  },
)

t.test('a replay file that is missing ends the thread with one clear line', async (t) => {
  const config = { source: 'replay', file: '/gone/day', speed: 1, autostart: true } as const
  await t.rejects(startMarket(config, new Map(), t.testdirName), { message: /does not exist/ })
})
