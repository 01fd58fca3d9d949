import t from 'tap'
import { distanceTo, isGridLoud, isWhyLoud } from '../../web/shared/why-facts.ts'
import type { GridNext, PositionRow } from '../../web/shared/wire.ts'

const next = (price: number | null) => ({ price }) as GridNext
const held = (why: Partial<NonNullable<PositionRow['why']>>) => ({
  why: { reasons: [], order: null, ...why } as unknown as NonNullable<PositionRow['why']>,
})

t.test('how far a price is away is told only where both are known', async (t) => {
  t.equal(distanceTo(next(9), 10)?.toFixed(6), '-10.000000')
  t.equal(distanceTo(next(11), 10)?.toFixed(6), '10.000000')
  for (const [price, now] of [
    [null, 10],
    [9, undefined],
    [9, 0],
    [9, Number.NaN],
  ] as const) {
    t.equal(distanceTo(next(price), now), undefined)
  }
})

t.test('what somebody has to look at is loud, what was chosen or passes is not', async (t) => {
  t.ok(isWhyLoud(held({ reasons: ['master_off', 'kill_switch'] })))
  t.ok(isWhyLoud(held({ order: { in_doubt: true } as never })))
  t.notOk(isWhyLoud(held({ reasons: ['master_off', 'outside_session', 'nothing_sellable'] })))
  t.notOk(isWhyLoud({}), 'of an older service nothing is known')
  t.notOk(isGridLoud({ why: undefined }))
})
