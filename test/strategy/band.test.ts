import fc from 'fast-check'
import t from 'tap'
import type { Price } from '../../src/domain/money.ts'
import { ANY_PRICE, type Band, EVERY_TICK, intersection } from '../../src/strategy/band.ts'

const price = fc.integer({ min: 0, max: 12 }).map((units) => units as Price)
const band: fc.Arbitrary<Band> = fc.record({ low: price, high: price })
const holds = ({ low, high }: Band, at: number) => at >= low && at <= high

t.test('the intersection holds the prices that both bands hold, and no other', async (t) => {
  fc.assert(
    fc.property(band, band, price, (one, other, at) => {
      t.equal(holds(intersection(one, other), at), holds(one, at) && holds(other, at))
    }),
  )
  const one = { low: 3 as Price, high: 9 as Price }
  t.equal(intersection(ANY_PRICE, one), one, 'every price narrows nothing')
  t.notOk(holds(intersection(one, EVERY_TICK), 5), 'every tick leaves nothing')
})

const withQuiet: fc.Arbitrary<Band> = fc
  .record({ low: price, high: price, more: fc.integer({ min: 0, max: 4 }) })
  .map(({ low, high, more }) =>
    more === 0 ? { low, high } : { low, high, quiet: (high + more) as Price },
  )
const holdsQuietly = ({ low, high, quiet = high }: Band, at: number) => at >= low && at <= quiet

t.test('what is quiet in one of two bands is quiet only where the other one is at rest', (t) => {
  fc.assert(
    fc.property(withQuiet, withQuiet, price, (one, other, at) => {
      const both = intersection(one, other)
      t.equal(holds(both, at), holds(one, at) && holds(other, at))
      t.equal(holdsQuietly(both, at), holdsQuietly(one, at) && holdsQuietly(other, at))
      t.ok(both.quiet === undefined || both.quiet > both.high)
    }),
    { numRuns: 2_000 },
  )
  t.end()
})
