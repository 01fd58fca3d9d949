import t from 'tap'
import { dealOf, positionOf } from '../../../src/drivers/terminal/rows.ts'
import { price } from '../fixtures/paper.ts'

const DEAL = {
  deal_id: 'd1',
  order_id: '7',
  client_order_id: '',
  code: '600036.SH',
  order_type: 24,
  quantity: 200,
  price: 36.5,
  amount: 7_300.5,
  fee: 8.65,
  time: 1_000,
  strategy: '',
}
const money = (yuan: number): number => price(yuan)

t.test('a deal has the amount and the fee that the terminal tells', async (t) => {
  t.match(dealOf(DEAL, 0), { amount: money(7_300.5), fee: money(8.65), quantity: 200 })
  for (const fee of [0, -1]) t.match(dealOf({ ...DEAL, fee }, 0), { fee: 0 }, 'none is told')
})

t.test('F958 what is no amount of a deal is reckoned from its price and quantity', async (t) => {
  for (const amount of [0, -7_300, 1e11, 1e299]) {
    t.match(dealOf({ ...DEAL, amount }, 0), { amount: money(7_300) }, String(amount))
  }
})

t.test('no more of a holding may be sold than there is, and no less than nothing', async (t) => {
  const held = { code: '600036.SH', name: '', quantity: 1_000, cost: 35 }
  for (const [sellable, may] of [
    [400, 400],
    [1_000, 1_000],
    [1_100, 1_000],
    [-100, 0],
    [0.5, 0],
  ] as const) {
    t.match(positionOf({ ...held, sellable }), { sellable: may, quantity: 1_000 })
  }
})
