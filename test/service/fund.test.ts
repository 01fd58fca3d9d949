import t from 'tap'
import { type Json, post } from './fixture.ts'
import { linesOf, MONDAY, nobodyBuys, ON, Stage, together } from './fixtures/ticks.ts'

const FUND = '510300.SH'
const STOCK = '600036.SH'

t.test(
  'a fund is held, stopped and told of in thousandths, and pays no transfer fee',
  async (t) => {
    const stage = await Stage.open(t, {
      positions: [{ stock_code: FUND, volume: 10_000, cost_price: 4.123 }],
      lines: linesOf({
        day: MONDAY,
        code: FUND,
        open: 4.126,
        lastClose: 4.126,
        prices: [4.1, 3.85, 3.814, 3.813, 3.812],
      }),
      strategy: { ...ON, ENABLE_STOP_LOSS_BUY: false },
    })
    await stage.to(Date.parse(`${MONDAY}T09:30:15+08:00`))
    t.match(await stage.holding(FUND), { cost_price: 4.123, stop_loss_price: 3.814 })
    const order = { stock_code: FUND, side: 'buy', quantity: 100, order_type: 23, price_type: 11 }
    const asked = await post(`${stage.direct}/api/orders/preview`, { ...order, price: 4.54 })
    t.match(asked.body['data'], { allowed: false, code: 'PRICE_LIMIT', message: /涨停价 4\.539 / })
    await stage.to()
    t.strictSame(await stage.fills(), ['stop_loss 10000@3.813'], '3.8137 is the stop')
    t.match(await stage.list('/api/trade-records'), [{ commission: 11.44 }], '0.03 % of 38 130')
  },
)

t.test('a replay of older days pays what the law asked for on those days', async (t) => {
  const day = '2020-06-01'
  const stage = await Stage.open(t, {
    positions: [{ stock_code: STOCK, volume: 10_000, cost_price: 10, open_date: '2020-05-29' }],
    lines: together({ day, code: STOCK, prices: [9.4, 9.25, 9.2] }),
    strategy: { ...ON, ENABLE_STOP_LOSS_BUY: false },
  })
  await stage.to()
  t.strictSame(await stage.fills(), ['stop_loss 10000@9.25'])
  const [record] = (await stage.list('/api/trade-records')) as readonly Json[]
  t.equal(Number(record?.['commission']), 122.1, '27.75, duty 92.50, transfer 1.85')
})

t.test('a fund that falls further than the table allows is sold all the same', async (t) => {
  const code = '159915.SZ'
  const stage = await Stage.open(t, {
    positions: [{ stock_code: code, volume: 10_000, cost_price: 3 }],
    lines: linesOf({
      day: MONDAY,
      code,
      open: 2.9,
      lastClose: 2.9,
      prices: [2.58, ...Array<number>(14).fill(2.5), 2.5, 2.5],
      fields: (index, price) => (index >= 0 && index < 15 ? nobodyBuys(price) : {}),
    }),
    strategy: { ...ON, ENABLE_STOP_LOSS_BUY: false },
  })
  await stage.to()
  t.match(await stage.fills(), ['reorder_stop_loss 10000@2.5'], '2.61 would be ten percent')
})
