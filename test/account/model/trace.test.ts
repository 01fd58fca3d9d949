import t from 'tap'
import { DecisionTrace } from '../../../src/account/model/trace.ts'
import type { StockCode } from '../../../src/domain/instrument.ts'
import { BANK, MORNING_MS } from '../fixture.ts'

const REFUSAL = { code: 'ORDER_VALUE', message: '超过单笔上限' }
const DAY_MS = 86_400_000
const entry = (timeMs: number, code: StockCode = BANK) => ({ timeMs, code, cause: 'tick' as const })

t.test('a refusal is counted, also when its evaluation is forgotten', async (t) => {
  const trace = new DecisionTrace({ decisionsPerStockMax: 2, decisionsMax: 10 })
  for (let second = 0; second < 37; second++) {
    trace.note('stop-profit', entry(MORNING_MS + second * 1_000), REFUSAL)
  }
  trace.note('stop-profit', entry(MORNING_MS + 40_000))
  trace.note('grid', entry(MORNING_MS + 41_000), { ...REFUSAL, message: '又一次' })
  t.equal(trace.of('stop-profit').get(BANK)?.length, 2)
  t.match(trace.refused(), [
    { strategy: 'stop-profit', count: 37, firstMs: MORNING_MS, lastMs: MORNING_MS + 36_000 },
    { strategy: 'grid', count: 1, message: '又一次' },
  ])
})

t.test('the next day begins anew, and no more kinds are kept than the limit', async (t) => {
  const trace = new DecisionTrace({ decisionsPerStockMax: 1, decisionsMax: 1_000 })
  trace.note('grid', entry(MORNING_MS), REFUSAL)
  for (let at = 0; at < 501; at++) {
    const code = `${600_000 + at}.SH` as StockCode
    trace.note('grid', entry(MORNING_MS + DAY_MS, code), REFUSAL)
  }
  t.equal(trace.refused().length, 500)
  t.equal(trace.refused().at(0)?.stock, '600001.SH', 'the oldest has made room')
  t.notOk(trace.refused().some(({ firstMs }) => firstMs === MORNING_MS))
})

t.test('F390 stocks that come and go leave no more than so many evaluations behind', async (t) => {
  const trace = new DecisionTrace({ decisionsPerStockMax: 4, decisionsMax: 10 })
  const codes = Array.from({ length: 40 }, (_, at) => `${600_100 + at}.SH` as StockCode)
  let timeMs = MORNING_MS
  const held = () => trace.note('stop-profit', entry(++timeMs))
  const kept = () => [...trace.of('stop-profit'), ...trace.of('grid')]
  for (const [at, code] of codes.entries()) {
    for (const strategy of at % 2 === 0 ? ['grid'] : ['stop-profit']) {
      for (let look = 0; look < 4; look++) trace.note(strategy, entry(++timeMs, code))
    }
    held()
    const size = kept().reduce((sum, [, entries]) => sum + entries.length, 0)
    t.ok(size <= 10, `${size} after ${code}`)
  }
  t.equal(trace.of('stop-profit').get(BANK)?.length, 4, 'what goes on being judged stays')
  t.strictSame([...trace.of('stop-profit').keys()].at(-1), BANK)
  t.ok(
    kept().some(([code]) => code === codes.at(-1)),
    'and so does the newest',
  )
  t.notOk(kept().some(([code]) => code === codes[0]))
})
