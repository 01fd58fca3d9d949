import t from 'tap'
import { FakeActor, LIMITS, openSystem } from './fixtures/market.ts'
import { at, tickOf } from './fixtures/ticks.ts'

const CODE = '600036.SH'
const MORNING_MS = at('2026-08-11', '10:00:00')

t.test('F948 quotes from the future are told of once in a while, with their count', async (t) => {
  let passedMs = 0
  const time = { wallMs: () => MORNING_MS + passedMs, monotonicMs: () => 1_000_000 + passedMs }
  let emit: (tick: ReturnType<typeof tickOf>) => unknown = () => undefined
  const live = { want() {}, start: (to: typeof emit) => (emit = to), async stop() {} } as never
  const system = await openSystem({ config: { source: 'xt', sidecar: {} } as never, time, live })
  const account = new FakeActor(system, 1, (_event, done) => done())
  t.teardown(async () => {
    await system.market.stop()
    account.leave()
  })
  await account.watch(CODE)
  await system.market.start()
  const quotes = (count: number) => {
    for (let n = 0; n < count; n++) emit(tickOf(CODE, MORNING_MS + LIMITS.quoteAheadMs * 2, 10))
  }
  const told = () => system.logged.filter(({ message }) => /from the future/.test(message))
  quotes(1_000)
  t.match(told(), [{ level: 'warn', code: CODE, count: 1 }])
  passedMs += LIMITS.quoteLeadWindowMs
  quotes(1_000)
  t.match(told(), [{ count: 1 }, { count: 1_001 }])
})
