import t from 'tap'
import { linesOf, MONDAY, Stage, tickMs } from './fixtures/ticks.ts'

const MONTHS_LATER = '2026-12-15'

t.test('fills of a long replay stay readable to its end', async (t) => {
  const stage = await Stage.open(t, {
    lines: [
      ...linesOf({ day: MONDAY, prices: [10, 10] }),
      ...linesOf({ day: MONTHS_LATER, prices: [10, 10] }),
    ],
  })
  await stage.to(tickMs(MONDAY, 0))
  const order = { stock_code: '600036', quantity: 100, price_type: 5 }
  t.match(await stage.post('/api/actions/execute_sell', order), { status: 'success' })
  await stage.to()
  const records = await stage.list('/api/trade-records')
  t.match(records, [{ trade_time: /^2026-09-14/, volume: 100 }], 'three months ago')
})
