import t from 'tap'
import { BOARD_OF } from '../../src/domain/data/board-rules.ts'
import type { StockCode } from '../../src/domain/instrument.ts'
import { reportedPrice } from '../../src/domain/money.ts'
import { priceDecimals, priceText } from '../../src/domain/rules.ts'
import { exactPrice, price, priceDecimals as shownDecimals } from '../../web/shared/format.ts'

t.test('the pages write the prices of every board with the decimals of its tick', async (t) => {
  for (const prefix of BOARD_OF.keys()) {
    const code = `${prefix.slice(2).padEnd(6, '3')}.${prefix.slice(0, 2)}`
    t.equal(shownDecimals(code), priceDecimals(code as StockCode), code)
  }
  t.equal(price(4.1, '510300'), '4.100')
  t.equal(price(36.1, '600036'), '36.10')
})

t.test('nor is what is only held or watched rounded to less than its tick', async (t) => {
  // B shares of both exchanges, bonds of the state and of companies, repos of both exchanges, an index.
  const CASES = [
    ['900901.SH', 0.345, '0.345'],
    ['200725.SZ', 2.34, '2.34'],
    ['019547.SH', 101.235, '101.235'],
    ['020547.SH', 99.876, '99.876'],
    ['101698.SZ', 100.123, '100.123'],
    ['143001.SH', 100.123, '100.123'],
    ['204001.SH', 1.505, '1.505'],
    ['131810.SZ', 1.505, '1.505'],
    ['002594.SZ', 230.1, '230.10'],
  ] as const
  for (const [code, value, text] of CASES) {
    t.equal(price(value, code), text, code)
    t.equal(
      priceText(code as StockCode, reportedPrice(value)),
      text,
      `${code} in the words of the service`,
    )
  }
})

t.test('a figure that a rule refuses is not rounded to one that it would let pass', async (t) => {
  t.equal(exactPrice(36.5, '600036'), '36.50')
  t.equal(exactPrice(36.511, '600036'), '36.511')
  t.equal(exactPrice(4.1, '510300'), '4.100')
  t.equal(exactPrice(0, '600036'), '--')
})
