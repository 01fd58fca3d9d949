import t from 'tap'
import { BOARD_OF } from '../../src/domain/data/board-rules.ts'
import type { StockCode } from '../../src/domain/instrument.ts'
import { priceDecimals } from '../../src/domain/rules.ts'
import { price, priceDecimals as shownDecimals } from '../../web/shared/format.ts'

t.test('the pages write the prices of every board with the decimals of its tick', async (t) => {
  for (const prefix of BOARD_OF.keys()) {
    const code = `${prefix.slice(2).padEnd(6, '3')}.${prefix.slice(0, 2)}`
    t.equal(shownDecimals(code), priceDecimals(code as StockCode), code)
  }
  t.equal(price(4.1, '510300'), '4.100')
  t.equal(price(36.1, '600036'), '36.10')
})
