import t from 'tap'
import { DecisionTrace } from '../../../src/account/model/trace.ts'
import type { StockCode } from '../../../src/domain/instrument.ts'
import { BANK, MORNING_MS } from '../fixture.ts'

const REFUSAL = { code: 'ORDER_VALUE', message: '超过单笔上限' }
const DAY_MS = 86_400_000
const entry = (timeMs: number, code: StockCode = BANK) => ({ timeMs, code, cause: 'tick' as const })

t.test('a refusal is counted, also when its evaluation is forgotten', async (t) => {
  const trace = new DecisionTrace(2)
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
  const trace = new DecisionTrace(1)
  trace.note('grid', entry(MORNING_MS), REFUSAL)
  for (let at = 0; at < 501; at++) {
    const code = `${600_000 + at}.SH` as StockCode
    trace.note('grid', entry(MORNING_MS + DAY_MS, code), REFUSAL)
  }
  t.equal(trace.refused().length, 500)
  t.equal(trace.refused().at(0)?.stock, '600001.SH', 'the oldest has made room')
  t.notOk(trace.refused().some(({ firstMs }) => firstMs === MORNING_MS))
})
