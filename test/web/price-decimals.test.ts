import t from 'tap'
import { BOARD_OF } from '../../src/domain/data/board-rules.ts'
import type { StockCode } from '../../src/domain/instrument.ts'
import { priceDecimals } from '../../src/domain/rules.ts'
import { exactPrice, price, priceDecimals as shownDecimals } from '../../web/shared/format.ts'

t.test('the pages write the prices of every board with the decimals of its tick', async (t) => {
  for (const prefix of BOARD_OF.keys()) {
    const code = `${prefix.slice(2).padEnd(6, '3')}.${prefix.slice(0, 2)}`
    t.equal(shownDecimals(code), priceDecimals(code as StockCode), code)
  }
  t.equal(price(4.1, '510300'), '4.100')
  t.equal(price(36.1, '600036'), '36.10')
})

t.test('a figure that a rule refuses is not rounded to one that it would let pass', async (t) => {
  t.equal(exactPrice(36.5, '600036'), '36.50')
  t.equal(exactPrice(36.511, '600036'), '36.511')
  t.equal(exactPrice(4.1, '510300'), '4.100')
  t.equal(exactPrice(0, '600036'), '--')
})
