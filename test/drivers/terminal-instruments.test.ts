import t from 'tap'
import { instrumentsOf } from '../../src/drivers/terminal/instruments.ts'

const ROW = {
  name: ' 招商银行 ',
  up: 39.68,
  down: 32.46,
  pre_close: 36.07,
  tick: 0.01,
  lot_min: 100,
}

t.test('a description of the terminal in our words; what it does not say is not known', (t) => {
  const [whole] = instrumentsOf({ '600036.SH': ROW })
  t.same(whole, {
    code: '600036.SH',
    name: '招商银行',
    lastClose: 360_700,
    lowerLimit: 324_600,
    upperLimit: 396_800,
    tickSize: 100,
    lotMin: 100,
  })
  const unknown = { name: '', lastClose: 0, lowerLimit: 0, upperLimit: 0, tickSize: 0, lotMin: 0 }
  const rows = [
    {},
    { name: null, up: null, down: null, pre_close: null, tick: null, lot_min: null },
    { name: 7, up: '39.68', down: Number.NaN, pre_close: -1, tick: Infinity, lot_min: -100 },
  ]
  for (const row of rows) {
    t.same(instrumentsOf({ '600036.SH': row }), [{ code: '600036.SH', ...unknown }])
  }
  t.end()
})

t.test('what is no description is left out', (t) => {
  for (const rows of [undefined, null, 7, 'x', {}, { nonsense: ROW }, { '600036.SH': null }]) {
    t.same(instrumentsOf(rows), [])
  }
  t.end()
})
