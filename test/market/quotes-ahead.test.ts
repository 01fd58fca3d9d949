import t, { type Test } from 'tap'
import { createLogger } from '../../src/observability/logger.ts'
import { FakeActor, LIMITS, openSystem } from './fixtures/market.ts'
import { at, tickOf } from './fixtures/ticks.ts'

const CODE = '600036.SH'
const MORNING_MS = at('2026-08-11', '10:00:00')

async function startedSystem(t: Test) {
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
  const quote = (timeMs: number) => emit(tickOf(CODE, timeMs, 10))
  const pass = (ms: number) => {
    passedMs += ms
  }
  return { logged: system.logged, quote, pass }
}

t.test('F948 quotes from the future are told of once in a while, with their count', async (t) => {
  const { logged, quote, pass } = await startedSystem(t)
  const quotes = (count: number) => {
    for (let n = 0; n < count; n++) quote(MORNING_MS + LIMITS.quoteAheadMs * 2)
  }
  const told = () => logged.filter(({ message }) => /from the future/.test(message))
  quotes(1_000)
  t.match(told(), [{ level: 'warn', code: CODE, count: 1 }])
  pass(LIMITS.quoteLeadWindowMs)
  quotes(1_000)
  t.match(told(), [{ count: 1 }, { count: 1_001 }])
})

t.test('F960 a line about a quote bears its own time, beside that of the quote', async (t) => {
  const { logged, quote } = await startedSystem(t)
  const lines: string[] = []
  const logger = createLogger({ name: 'market', write: (line) => lines.push(line) })
  quote(MORNING_MS + LIMITS.quoteAheadMs * 2)
  quote(MORNING_MS)
  quote(MORNING_MS - LIMITS.quoteOvertakenMs - 1)
  for (const { level, message, ...fields } of logged) logger.warn(fields, message)
  for (const text of [/from the future/, /came after newer ones/]) {
    const line = lines.find((each) => text.test(each)) ?? ''
    t.match(JSON.parse(line), { time: /^\d{4}-\d\d-\d\dT/, quotedMs: Number })
    t.equal(line.split('"time":').length, 2, 'and no other')
  }
})
