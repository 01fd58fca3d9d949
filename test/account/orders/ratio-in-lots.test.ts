import t from 'tap'
import type { StockCode } from '../../../src/domain/instrument.ts'
import type { Quantity } from '../../../src/domain/money.ts'
import { Bench, brokerPosition, commands, KEY, quote, yuan } from '../fixture.ts'

/** How many are sold of so many, when a part of them is asked for. */
function sold(code: string, held: number, ratio: number): number | undefined {
  const bench = new Bench()
  const stock = code as StockCode
  const quantity = held as Quantity
  bench.quotes.set(stock, quote(120, bench.nowMs))
  bench.ready([brokerPosition({ code: stock, quantity, sellable: quantity, costPrice: yuan(110) })])
  const request = {
    kind: 'executeSell',
    key: KEY,
    requestHash: 'h',
    code,
    ratio,
    priceType: 5,
    price: 0,
    source: 'test',
  } as const
  const [order] = commands(bench.input({ kind: 'request', ref: 1, request }))
  return order?.kind === 'submit' ? order.order.quantity : undefined
}

t.test(
  'F565 a part of convertible bonds is sold in their lots of ten, and is not all of them',
  async (t) => {
    const cases: readonly (readonly [held: number, ratio: number, sold: number])[] = [
      [50, 0.5, 20],
      [90, 0.6, 50],
      [150, 0.6, 90],
      [1_000, 0.333, 330],
      [10, 0.5, 10],
      [15, 0.1, 10],
      [7, 0.5, 7],
      [95, 1, 95],
    ]
    for (const [held, ratio, wanted] of cases) {
      t.equal(sold('113050.SH', held, ratio), wanted, `${ratio} of ${held}`)
    }
  },
)

t.test(
  'a part of shares is sold in hundreds, and less than the fewest of the board whole',
  async (t) => {
    t.equal(sold('600036.SH', 1_000, 0.333), 300)
    t.equal(sold('600036.SH', 90, 0.5), 90)
    t.equal(sold('688981.SH', 199, 0.5), 199)
    t.equal(sold('688981.SH', 1_050, 0.5), 500)
    t.equal(sold('920118.BJ', 153, 0.5), 100)
  },
)
