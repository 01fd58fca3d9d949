import t from 'tap'
import {
  brokerFactor,
  dayOfPrices,
  effectiveAfterDeals,
  marketFactor,
  rescaledHigh,
  SAME,
} from '../../src/domain/ex-day.ts'
import type { StockCode } from '../../src/domain/instrument.ts'
import type { Price, Quantity } from '../../src/domain/money.ts'

const yuan = (value: number) => Math.round(value * 10_000) as Price
const STOCK = '600036.SH' as StockCode
const FUND = '510300.SH' as StockCode
const BOND = '113050.SH' as StockCode

interface Told {
  readonly code?: StockCode
  readonly name?: string
  readonly sharesRatio?: number
  /** Close of the day before, its `lastClose`, that of today, price. */
  readonly quote: readonly [number, number, number, number]
}
const TOLD: readonly (readonly [string, Told, number | undefined])[] = [
  ['one for ten', { quote: [11, 10.5, 10, 10.2] }, 10 / 11],
  ['one tick is enough', { quote: [11, 10.5, 10.99, 11] }, 10.99 / 11],
  ['an ordinary day', { quote: [11, 10.5, 11, 11.2] }, 1],
  ['no close is known', { quote: [0, 10.5, 10, 10.2] }, undefined],
  ['no lastClose today', { quote: [11, 10.5, 0, 10.2] }, undefined],
  ['a lastClose that is not maintained', { quote: [11, 10, 10, 10.2] }, undefined],
  ['a lastClose under which the price could not trade', { quote: [11, 10.5, 9, 11] }, undefined],
  ['before the first price of the day', { quote: [11, 10.5, 5, 0] }, 5 / 11],
  ['a stock of which prices rise', { quote: [11, 10.5, 22, 22] }, undefined],
  ['the same with half the shares', { quote: [11, 10.5, 22, 22], sharesRatio: 2 }, 2],
  [
    'a fund whose last price was not quite its close',
    { code: FUND, quote: [1.1, 1, 1.098, 1.1] },
    1,
  ],
  ['a dividend of a fund', { code: FUND, quote: [1.1, 1, 1.08, 1.08] }, 1.08 / 1.1],
  ['a bond', { code: BOND, quote: [121.3, 120, 119, 120] }, 1],
  ['shares of a fund put together', { code: FUND, quote: [1.1, 1, 2.2, 2.21] }, 2],
]
for (const [name, { code = STOCK, name: called = '', sharesRatio = 1, quote }, expected] of TOLD) {
  t.test(`the market says: ${name}`, async (t) => {
    const [closeBefore, lastCloseBefore, lastClose, lastPrice] = quote.map(yuan) as Price[] as [
      Price,
      Price,
      Price,
      Price,
    ]
    const question = { code, name: called, day: '2026-09-15', sharesRatio }
    const factor = marketFactor(question, { closeBefore, lastCloseBefore, lastClose, lastPrice })
    t.equal(factor && factor.to / factor.of, expected)
  })
}

type Row = readonly [cost: number, shares: number]
const REPORTED: readonly (readonly [string, Row, Row, boolean, number | null | undefined])[] = [
  ['a bonus', [10, 1_000], [9.0909, 1_100], false, 9.0909 / 10],
  ['a bonus of which the shares come later', [10, 1_000], [9.0909, 1_000], false, 9.0909 / 10],
  ['a dividend', [10, 1_000], [9.5, 1_000], false, 0.95],
  ['shares alone', [10, 1_000], [10, 1_100], false, null],
  ['fewer shares alone', [10, 1_000], [10, 500], false, undefined],
  ['fewer shares of a fund alone', [10, 1_000], [10, 500], true, null],
  ['shares put together', [1, 1_000], [2, 500], true, 2],
  ['nothing but fees', [10, 1_000], [9.995, 1_000], false, undefined],
  ['a cost that rises alone', [10, 1_000], [10.5, 1_000], false, undefined],
  ['a purchase below the cost', [10, 1_000], [9.5, 2_000], false, undefined],
  ['a sale whose gain lowers the cost', [10, 1_000], [8, 500], false, undefined],
  ['a sale whose loss raises the cost', [10, 1_000], [12, 500], false, undefined],
  ['no cost', [10, 1_000], [0, 1_000], false, undefined],
]
for (const [name, before, after, isConsolidable, expected] of REPORTED) {
  t.test(`the broker says: ${name}`, async (t) => {
    const row = ([cost, shares]: Row) => ({ costPrice: yuan(cost), quantity: shares as Quantity })
    const factor = brokerFactor(row(before), row(after), isConsolidable)
    if (factor === null || factor === undefined) t.equal(factor, expected)
    else t.equal(factor.to / factor.of, expected)
  })
}

t.test('a change in the books is about the day whose prices come next', async (t) => {
  const at = (time: string) => dayOfPrices(Date.parse(`${time}+08:00`))
  t.equal(at('2026-09-14T09:00:00'), '2026-09-14')
  t.equal(at('2026-09-14T14:59:59'), '2026-09-14')
  t.equal(at('2026-09-14T20:00:00'), '2026-09-15')
  t.equal(at('2026-09-11T20:00:00'), '2026-09-14', 'over a weekend')
  t.equal(at('2026-09-12T10:00:00'), '2026-09-14')
})

/** A cost of 10 of which 1 was paid out: 9 counts. */
const COSTS: readonly (readonly [string, number, readonly [number, number, number], number])[] = [
  ['adjusted without a deal', 9, [1_000, 1_000, 0], 0],
  ['fees without a deal', 10.003, [1_000, 1_000, 0], 9.003],
  ['as many bought at 8, adjusted', 8.5, [1_000, 2_000, 8], 0],
  ['as many bought at 8, not adjusted', 9, [1_000, 2_000, 8], 8.5],
  ['half sold at 12, its gain taken off, not adjusted', 8, [1_000, 500, 12], 6],
  ['half sold at 12, its gain taken off, adjusted', 6, [1_000, 500, 12], 0],
  ['half sold at 12, adjusted', 9, [1_000, 500, 12], 0],
]
for (const [name, after, [had, has, price], expected] of COSTS) {
  t.test(`the cost that counts after another was reported: ${name}`, async (t) => {
    const costs = { before: yuan(10), effective: yuan(9), after: yuan(after) }
    t.equal(effectiveAfterDeals(costs, { had, has, price: yuan(price) }), yuan(expected))
  })
}

t.test(
  'a high is reckoned anew from the old scale, and what came since is of the new',
  async (t) => {
    const half = { to: 1, of: 2 }
    const tenth = { to: 9, of: 10 }
    const high = (was: number, now: number, earlier = SAME, factor = half) =>
      rescaledHigh({ was: yuan(was), now: yuan(now) }, { earlier, factor }) / 10_000
    t.equal(high(12, 12), 6)
    t.equal(high(12, 6, half, tenth), 10.8, 'another factor than was said first')
    t.equal(high(12, 11, half, tenth), 11, 'a price of today is above both')
    t.equal(high(12, 10, half, tenth), 10.8)
    t.equal(high(12, 0, half, tenth), 0, 'one that was given up is gone')
    t.equal(high(0, 11, SAME, half), 11, 'one that began today is of today')
    t.equal(high(12, 6, half, SAME), 12, 'there was no ex-day after all')
  },
)
