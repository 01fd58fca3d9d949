import fc from 'fast-check'
import t from 'tap'
import { moneyFromYuan } from '../../../src/domain/money.ts'
import { purchaseQuantity, saleQuantity } from '../../../src/strategy/stop-profit/order-size.ts'
import type { StopProfitSignal } from '../../../src/strategy/stop-profit/stop-profit-signal.ts'
import { price, shares } from './fixture.ts'

const MAIN = { lotMin: 100, quantityMax: 1_000_000 }
const STAR = { lotMin: 200, quantityMax: 100_000 }
const base = { price: price(10.64), costPrice: price(10) }
const half = (sellRatio = 0.6): StopProfitSignal => ({
  ...base,
  type: 'take_profit_half',
  sellRatio,
})
const STOP: StopProfitSignal = {
  ...base,
  type: 'stop_loss',
  stopPrice: price(9.25),
}
const FULL: StopProfitSignal = { ...base, type: 'take_profit_full' }

t.test(
  'a half sale is rounded to lots with a minimum of 100; less than that is sold whole',
  async (t) => {
    const TABLE = [
      [0, 0],
      [50, 50],
      [99, 99],
      [100, 100],
      [166, 100],
      [170, 100],
      [300, 100],
      [333, 100],
      [334, 200],
      [1_000, 600],
      [1_750, 1_000],
    ] as const
    for (const [sellable, expected] of TABLE) {
      t.equal(saleQuantity(half(), shares(sellable), MAIN), expected, `${sellable}`)
    }
    t.equal(saleQuantity(half(0.58), shares(10_000), MAIN), 5_800, 'no float noise')
    t.equal(saleQuantity(half(1), shares(1_050), MAIN), 1_000)
    t.equal(saleQuantity(half(), shares(199), STAR), 199, 'less than the minimum of the board')
    t.equal(saleQuantity(half(), shares(250), STAR), 200)
  },
)

t.test('a full exit and a stop-loss sell all, odd lots included', async (t) => {
  for (const signal of [STOP, FULL]) {
    for (const sellable of [0, 1, 150, 1_050]) {
      t.equal(saleQuantity(signal, shares(sellable), MAIN), sellable)
    }
    t.equal(saleQuantity(signal, shares(1_000_050), MAIN), 1_000_000, 'most of one order')
  }
})

t.test('no sale is above what may be sold', async () => {
  const counts = fc.integer({ min: 0, max: 2_000_000 }).map(shares)
  const ratios = fc.double({ min: 0.01, max: 1, noNaN: true })
  const holds = fc.property(
    counts,
    ratios,
    fc.constantFrom(MAIN, STAR),
    (sellable, ratio, rule) => {
      const sold = [half(ratio), STOP, FULL].map((signal) => saleQuantity(signal, sellable, rule))
      return sold.every((count) => count <= sellable && count > 0 === sellable > 0)
    },
  )
  fc.assert(holds)
})

t.test('an amount buys whole lots', async (t) => {
  const buy = (yuan: number, at: number, rule = MAIN) =>
    purchaseQuantity(moneyFromYuan(yuan), price(at), rule)
  t.equal(buy(35_000, 9.3), 3_700)
  t.equal(buy(930, 9.3), 100, 'exactly one')
  t.equal(buy(929.99, 9.3), 0)
  t.equal(buy(1_000, 9.3, STAR), 0)
})
