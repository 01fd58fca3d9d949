import fc from 'fast-check'
import t from 'tap'
import type { StockCode } from '../../src/domain/instrument.ts'
import type { Price } from '../../src/domain/money.ts'
import { withinCage } from '../../src/domain/price-cage.ts'

const yuan = (value: number) => Math.round(value * 10_000) as Price
const MAIN = '600036.SH' as StockCode
const STAR = '688981.SH' as StockCode
const FUND = '510300.SH' as StockCode
const book = (bid: number, ask: number, last = 0) => ({
  bid: [yuan(bid)],
  ask: [yuan(ask)],
  lastPrice: yuan(last),
})

t.test('a limit goes no further through the book than the exchange takes it', async (t) => {
  const cases: readonly (readonly [
    StockCode,
    'buy' | 'sell',
    number,
    ReturnType<typeof book>,
    number,
  ])[] = [
    [MAIN, 'sell', 30, book(36.49, 36.5), 35.77],
    [MAIN, 'sell', 36.2, book(36.49, 36.5), 36.2],
    [MAIN, 'sell', 40, book(36.49, 36.5), 40],
    [MAIN, 'buy', 40, book(36.49, 36.5), 37.23],
    [MAIN, 'buy', 36.6, book(36.49, 36.5), 36.6],
    [MAIN, 'buy', 30, book(36.49, 36.5), 30],
    // Ten ticks are more than 2 % of a cheap stock, but not on STAR.
    [MAIN, 'sell', 2.5, book(3, 3.01), 2.9],
    [MAIN, 'buy', 3.5, book(3, 3.01), 3.11],
    [STAR, 'sell', 2.5, book(3, 3.01), 2.94],
    [STAR, 'buy', 3.5, book(3, 3.01), 3.07],
    [FUND, 'sell', 3.9, book(4.123, 4.124), 4.041],
    // Nobody on the other side: the own one, then what was traded last.
    [MAIN, 'sell', 9, book(0, 10), 9.8],
    [MAIN, 'buy', 11, book(10, 0), 10.2],
    [MAIN, 'sell', 9, book(0, 0, 10), 9.8],
    [MAIN, 'sell', 9, book(0, 0), 9],
  ]
  for (const [code, side, price, quote, expected] of cases) {
    t.equal(
      withinCage({ code, side, price: yuan(price) }, quote),
      yuan(expected),
      `${code} ${side} at ${price}`,
    )
  }
  t.equal(withinCage({ code: MAIN, side: 'sell', price: yuan(9) }, undefined), yuan(9))
})

t.test('it stays a price of the board, and trades at the best one all the same', async () => {
  const cents = fc.integer({ min: 1, max: 300_000 })
  fc.assert(
    fc.property(
      cents,
      cents,
      fc.constantFrom('buy', 'sell'),
      fc.constantFrom(MAIN, STAR),
      (best, given, side, code) => {
        const [top, price] = [best * 100, given * 100] as [Price, Price]
        const found = withinCage({ code, side, price }, { bid: [top], ask: [top], lastPrice: top })
        const isThrough = side === 'buy' ? found >= top : found <= top
        const wasThrough = side === 'buy' ? price >= top : price <= top
        return found > 0 && found % 100 === 0 && isThrough === wasThrough
      },
    ),
  )
})
