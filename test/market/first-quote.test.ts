import { setTimeout as after, setImmediate as turn } from 'node:timers/promises'
import t, { type Test } from 'tap'
import type { TimeSources } from '../../src/market/clock.ts'
import type { SavedMarket } from '../../src/market/saved.ts'
import type { MarketSource } from '../../src/ports/market-source.port.ts'
import type { MarketRequest, Tick } from '../../src/protocol/market.ts'
import { FakeActor, openSystem, savedInMemory } from './fixtures/market.ts'
import { tickOf } from './fixtures/ticks.ts'

const XT = { source: 'xt', sidecar: {} } as never
const CODE = '600036.SH'
const SILENT = '000001.SZ'
const LONG_MS = 60_000

/** A terminal that has quotes only a moment after it was asked to subscribe, and of one code never. */
class Subscribing implements MarketSource {
  readonly wanted: string[] = []
  #emit: (tick: Tick) => unknown = () => undefined
  want(code: string): void {
    this.wanted.push(code)
    if (code !== SILENT) void this.#answer(code)
  }
  start(emit: (tick: Tick) => unknown): void {
    this.#emit = emit
  }
  async stop(): Promise<void> {}
  async #answer(code: string): Promise<void> {
    await after(30)
    await this.#emit(tickOf(code, Date.now(), 36.5))
  }
}

async function open(t: Test, { time, saved }: { time?: TimeSources; saved?: SavedMarket } = {}) {
  const live = new Subscribing()
  const options = { ...(time && { time }), ...(saved && { saved }) }
  const system = await openSystem({ config: XT, live, ...options })
  t.teardown(() => system.market.stop())
  await system.market.start()
  const ask = async (codes: readonly string[], waitMs?: number) => {
    const request: MarketRequest = { kind: 'ticks', codes, ...(waitMs !== undefined && { waitMs }) }
    const answer = (await system.market.answer(request, undefined)) as { ticks: object }
    return Object.keys(answer.ticks)
  }
  return { live, system, ask }
}

t.test('who asks for a code first waits for its first quote', async (t) => {
  const { ask } = await open(t)
  t.same(await ask([CODE], LONG_MS), [CODE])
  t.same(await ask([CODE]), [CODE], 'and from then on it is there at once')
})

t.test(
  'a code that has no quote is absent after its time, and never waited for again',
  async (t) => {
    let passedMs = 0
    const wallMs = Date.now()
    const time = { wallMs: () => wallMs + passedMs, monotonicMs: () => passedMs }
    const { ask, live } = await open(t, { time })
    const asked = ask([SILENT, CODE], 50)
    while ((await ask([CODE])).length === 0) await turn()
    passedMs += 50
    t.same(await asked, [CODE], 'those that came are told')
    t.same(await ask([SILENT], 50), [], 'at once: it has had its time')
    t.same(live.wanted, [SILENT, CODE], 'and was subscribed once')
  },
)

t.test('several that ask for one new code wait for the same quote', async (t) => {
  const { ask, live } = await open(t)
  const answers = await Promise.all([
    ask([CODE], LONG_MS),
    ask([CODE], LONG_MS),
    ask([CODE], LONG_MS),
  ])
  t.same(answers, [[CODE], [CODE], [CODE]])
  t.same(live.wanted, [CODE])
})

t.test('a code that an account has just begun to watch is waited for too', async (t) => {
  const { ask, system } = await open(t)
  const account = new FakeActor(system, 1, (_event, done) => done())
  t.teardown(() => account.leave())
  await account.watch(CODE)
  t.same(await ask([CODE], LONG_MS), [CODE])
})

t.test('who does not want to wait is answered at once', async (t) => {
  const { ask } = await open(t)
  t.same(await ask([CODE]), [])
})

t.test(
  'F388 a code that an earlier process has left is fed again as soon as somebody asks for it',
  async (t) => {
    const saved = savedInMemory()
    const ticks = [tickOf(CODE, Date.now() - 60_000, 30), tickOf(SILENT, Date.now() - 60_000, 10)]
    await saved.quotes.save({ source: 'xt', ticks })
    const { ask, live, system } = await open(t, { saved })
    t.same(await ask([CODE], LONG_MS), [CODE])
    t.same(live.wanted, [CODE], 'what nobody asks for is not fed')
    const request: MarketRequest = { kind: 'ticks', codes: [CODE] }
    t.match(await system.market.answer(request, undefined), {
      ticks: { [CODE]: { lastPrice: 36.5 } },
    })
    t.same(await ask([CODE, SILENT], 0), [CODE, SILENT], 'the old one is told while there is none')
    t.same(live.wanted, [CODE, SILENT], 'each was subscribed once')
  },
)
