import fc from 'fast-check'
import t from 'tap'
import { PARTS, partOf } from '../../web/console/ticket-volume.ts'

t.test('a part of the most is in lots, and all of it is all', async (t) => {
  const rows: readonly [
    string,
    percent: number,
    most: number | null,
    least: number,
    step: number,
    number | undefined,
  ][] = [
    ['a quarter, down to the lot', 25, 1_500, 100, 100, 300],
    ['half', 50, 1_500, 100, 100, 700],
    ['three quarters', 75, 1_500, 100, 100, 1_100],
    ['all, odd shares included', 100, 1_550, 100, 100, 1_550],
    ['at least one lot', 25, 200, 100, 100, 100],
    ['never more than there is', 25, 50, 100, 100, 50],
    ['STAR: 200, then every share', 50, 501, 200, 1, 250],
    ['STAR: at least 200', 25, 501, 200, 1, 200],
    ['Beijing: 100, then every share', 75, 333, 100, 1, 249],
    ['nothing', 100, 0, 100, 100, undefined],
    ['not known', 50, null, 100, 100, undefined],
  ]
  for (const [name, percent, most, least, step, wanted] of rows) {
    t.equal(partOf(percent, { quantity_max: most, lot_min: least, lot_step: step }), wanted, name)
  }
})

t.test('no part is more than the whole, and a greater part is never less', async (t) => {
  const any = fc.record({
    most: fc.integer({ min: 1, max: 1_000_000 }),
    lots: fc.constantFrom([100, 100], [200, 1], [100, 1], [10, 10]),
  })
  fc.assert(
    fc.property(any, ({ most, lots: [lot_min = 100, lot_step = 100] }) => {
      const parts = PARTS.map(
        (part) => partOf(part, { quantity_max: most, lot_min, lot_step }) ?? 0,
      )
      return (
        parts.every((volume) => volume > 0 && volume <= most) &&
        parts.every((volume, n) => volume >= (parts[n - 1] ?? 0))
      )
    }),
  )
  t.pass('for every board')
})
