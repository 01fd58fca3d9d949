import t from 'tap'
import { believed, freshnessOf } from '../../web/shared/freshness.ts'

const NOW_MS = 1_786_413_600_000

t.test('what was read is fresh for half a minute, and lost after one and a half', async (t) => {
  for (const [ageMs, freshness] of [
    [0, 'fresh'],
    [29_999, 'fresh'],
    [30_000, 'stale'],
    [89_999, 'stale'],
    [90_000, 'lost'],
  ] as const) {
    t.equal(freshnessOf(NOW_MS - ageMs, NOW_MS), freshness, String(ageMs))
  }
  t.equal(freshnessOf(undefined, NOW_MS), 'never')
})

t.test('a clock that was set back makes nothing young: its age is not known', async (t) => {
  const HOURS_MS = 8 * 3_600_000
  t.equal(freshnessOf(NOW_MS + HOURS_MS, NOW_MS), 'lost')
  t.equal(believed({ data: 'on', updatedAt: NOW_MS + HOURS_MS }, NOW_MS), undefined)
  t.equal(freshnessOf(NOW_MS + 60_000, NOW_MS), 'fresh', 'a hidden page looks at its clock rarely')
})
