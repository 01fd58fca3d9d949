import t from 'tap'
import { areMany, FOLLOWED_MAX, followedOf } from '../../web/monitor/followed.ts'

const idsOf = (count: number): string[] => Array.from({ length: count }, (_, n) => `A${n}`)
const FEW = idsOf(FOLLOWED_MAX)
const MANY = idsOf(60)
const base = { ids: MANY, isWall: false, open: undefined, hasOverview: true }

t.test('few accounts are followed in everything, of many the open one alone', async (t) => {
  t.strictSame(followedOf({ ...base, ids: FEW }), FEW)
  t.strictSame(followedOf(base), [])
  t.strictSame(followedOf({ ...base, open: 'A7' }), ['A7'])
  t.strictSame(followedOf({ ...base, open: 'B7' }), [], 'none that is not there')
  t.strictSame(followedOf({ ...base, ids: FEW, isWall: true }), [], 'the wall needs none')
  t.strictSame(followedOf({ ...base, hasOverview: false }), MANY, 'nothing else tells of them')
})

t.test('what is followed stays below what the service allows', async (t) => {
  t.notOk(areMany({ ids: FEW, hasOverview: true }))
  t.ok(areMany({ ids: idsOf(FOLLOWED_MAX + 1), hasOverview: true }))
  t.notOk(areMany({ ids: MANY, hasOverview: false }))
})
