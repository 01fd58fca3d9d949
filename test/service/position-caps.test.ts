import t from 'tap'
import { type Json, post } from './fixture.ts'
import { HELD, MONDAY, ON, Stage, together } from './fixtures/ticks.ts'

const [DEAR, STAR, CHEAP] = ['600519.SH', '688981.SH', '600009.SH']

t.test('no purchase of a strategy lifts a stock above its cap', async (t) => {
  const stage = await Stage.open(t, {
    positions: [
      { stock_code: DEAR, volume: 100, cost_price: 650 },
      { stock_code: STAR, volume: 600, cost_price: 100 },
      { ...HELD, stock_code: CHEAP, volume: 4_000 },
    ],
    lines: together(
      { day: MONDAY, code: DEAR, open: 650, lastClose: 650, prices: [610, 604, 603.9, 604] },
      { day: MONDAY, code: STAR, open: 100, lastClose: 100, prices: [94, 93, 92.9, 93] },
      { day: MONDAY, code: CHEAP, prices: [9.4, 9.3, 9.29, 9.3] },
    ),
    strategy: ON,
  })
  await stage.to()
  t.strictSame(await stage.fills(), ['add_position 3500@9.3'], '7 500 shares are 69 750 yuan')
  t.match(await stage.holding(DEAR), { volume: 100 }, 'another lot would make it 120 800 yuan')
  t.ok((await stage.verdicts(DEAR)).includes('add_room_below_lot'))
  t.match(
    await stage.holding(STAR),
    { volume: 600 },
    '14 200 yuan are left, 200 shares cost 18 600',
  )
  t.ok((await stage.verdicts(STAR)).includes('add_room_below_lot'))
})

t.test('nor all holdings above their part of all assets; a person may', async (t) => {
  const stage = await Stage.open(t, {
    positions: [{ ...HELD, volume: 4_000 }],
    lines: together({ day: MONDAY, code: '600036.SH', prices: [9.4, 9.3, 9.29, 9.3] }),
    strategy: { ...ON, MAX_TOTAL_POSITION_RATIO: 0.06 },
  })
  await stage.to()
  t.strictSame(await stage.fills(), [], '62 232 yuan may be held, 69 750 would be')
  const { decisions } = await stage.data('/api/decisions?stock_code=600036.SH')
  const refused = (decisions as unknown as Json[]).find(({ refusal }) => refusal !== null)
  t.match(refused?.['refusal'], { code: 'MAX_TOTAL_POSITION', message: /超过总资产的 6%/ })
  const { entries } = await stage.data('/api/audit?kind=orderDenied&limit=10')
  t.match(entries, [{ body: { code: 'MAX_TOTAL_POSITION' } }], 'and it is in the journal')
  const order = { stock_code: '600036.SH', side: 'buy', quantity: 3_500, order_type: 23 }
  const asked = await post(`${stage.direct}/api/orders/preview`, { ...order, price: 9.3 })
  const { rules, allowed } = asked.body['data'] as Json
  t.equal(allowed, true)
  t.match(
    (rules as unknown as Json[]).find(({ name }) => String(name) === 'max_total_position'),
    { status: 'off', message: /orders by hand/ },
  )
})
