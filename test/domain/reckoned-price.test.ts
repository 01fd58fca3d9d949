import fc from 'fast-check'
import t from 'tap'
import type { StockCode } from '../../src/domain/instrument.ts'
import type { Price } from '../../src/domain/money.ts'
import { counterpartyPrice, reckonedPrice } from '../../src/domain/reckoned-price.ts'
import { termsOf } from '../../src/drivers/paper/matching.ts'

const yuan = (value: number) => Math.round(value * 10_000) as Price
const SH = '600036.SH' as StockCode
const STAR = '688981.SH' as StockCode
const QUOTE = {
  timeMs: 0,
  lastPrice: yuan(10),
  lastClose: yuan(9.9),
  open: yuan(10),
  high: yuan(10),
  low: yuan(10),
  volume: 0,
  amount: 0,
  bid: [9.99, 9.98, 0, 0, 0].map(yuan),
  ask: [10.01, 10.02, 10.05, 0, 0].map(yuan),
  bidVolume: [],
  askVolume: [],
}

t.test('cash is reckoned at the worst price at which an order may trade', async (t) => {
  const cases: readonly (readonly [priceType: number, buy: number, sell: number])[] = [
    [11, 7, 7],
    [5, 10.01, 9.99],
    [44, 10.01, 9.99],
    [45, 9.99, 10.01],
    [42, 10.05, 9.98],
    [43, 10.05, 9.98],
    [46, 10.05, 9.98],
    [47, 10.05, 9.98],
    [48, 10.05, 9.98],
    [0, 0, 0],
  ]
  for (const [priceType, buy, sell] of cases) {
    const of = (side: 'buy' | 'sell') =>
      reckonedPrice(
        { code: SH, side, priceType, price: priceType === 11 ? yuan(7) : yuan(0) },
        QUOTE,
      )
    t.equal(of('buy'), yuan(buy), `buy ${priceType}`)
    t.equal(of('sell'), yuan(sell), `sell ${priceType}`)
  }
})

t.test(
  'a market order with a worst price keeps cash for it, and a sale trades no lower',
  async (t) => {
    const of = (side: 'buy' | 'sell', price: number, code = STAR) =>
      reckonedPrice({ code, side, priceType: 42, price: yuan(price) }, QUOTE)
    t.equal(of('buy', 11), yuan(11))
    t.equal(of('buy', 10.02), yuan(10.02))
    t.equal(of('buy', 0), yuan(10.05), 'none: the book')
    t.equal(of('sell', 9), yuan(9.98))
    t.equal(of('sell', 9.99), yuan(9.99))
    t.equal(of('buy', 11, SH), yuan(10.05), 'a row of a board that takes none')
  },
)

t.test('without a quote only a limit says what an order costs', async (t) => {
  const halted = { ...QUOTE, lastPrice: yuan(0) }
  for (const quote of [undefined, halted]) {
    t.equal(reckonedPrice({ code: SH, side: 'buy', priceType: 11, price: yuan(7) }, quote), yuan(7))
    t.equal(reckonedPrice({ code: SH, side: 'buy', priceType: 5, price: yuan(0) }, quote), 0)
    t.equal(reckonedPrice({ code: SH, side: 'buy', priceType: 48, price: yuan(0) }, quote), 0)
  }
})

t.test('the counter freezes what was reckoned', async () => {
  const price = fc.integer({ min: 1, max: 5_000_000 }) as fc.Arbitrary<Price>
  const level = fc.oneof(fc.constant(0 as Price), price)
  const levels = fc.array(level, { minLength: 5, maxLength: 5 })
  const order = fc.record({
    code: fc.constantFrom('600036.SH' as StockCode, '000001.SZ' as StockCode),
    side: fc.constantFrom('buy' as const, 'sell' as const),
    priceType: fc.constantFrom(5, 11, 42, 43, 44, 45, 46, 47, 48),
    price,
  })
  const same = fc.property(order, price, levels, levels, (asked, lastPrice, bid, ask) => {
    const quote = { ...QUOTE, lastPrice, bid, ask }
    const terms = termsOf(asked, quote)
    return !terms.ok || terms.value.limit === reckonedPrice(asked, quote)
  })
  fc.assert(same, { numRuns: 500 })
})

t.test(
  'the price is the third bid, then the first, the last, the close, the one that is given',
  async (t) => {
    const levels = (first: number, third: number): Price[] => [yuan(first), yuan(0), yuan(third)]
    const quote = {
      lastPrice: yuan(10),
      lastClose: yuan(9.9),
      bid: levels(9.99, 9.97),
      ask: levels(10.01, 10.03),
    }
    const given = yuan(10.5)
    t.equal(counterpartyPrice('sell', quote, given), yuan(9.97))
    t.equal(counterpartyPrice('buy', quote, given), yuan(10.03))
    t.equal(counterpartyPrice('sell', { ...quote, bid: levels(9.99, 0) }, given), yuan(9.99))
    t.equal(counterpartyPrice('sell', { ...quote, bid: [] }, given), yuan(10))
    const halted = { ...quote, bid: [], lastPrice: yuan(0) }
    t.equal(counterpartyPrice('sell', halted, given), yuan(9.9))
    t.equal(counterpartyPrice('sell', { ...halted, lastClose: yuan(0) }, given), given)
    t.equal(counterpartyPrice('sell', undefined, given), given)
    t.equal(counterpartyPrice('buy', undefined, yuan(0)), 0)
  },
)
