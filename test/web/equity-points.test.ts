import t from 'tap'
import { type EquityPoint, plotPoint } from '../../web/console/equity-points.ts'

t.test('points stand one behind the other, each moment once', async (t) => {
  const points: EquityPoint[] = []
  for (const [atMs, total] of [
    [1_000, 1],
    [1_000, 2],
    [3_000, 3],
  ] as const) {
    plotPoint(points, { atMs, total })
  }
  t.strictSame(points, [
    { atMs: 1_000, total: 2 },
    { atMs: 3_000, total: 3 },
  ])
  plotPoint(points, { atMs: 2_000, total: 9 })
  t.strictSame(points, [{ atMs: 2_000, total: 9 }], 'a recording that was put back begins anew')
})

t.test('a page that stays open keeps the last hour', async (t) => {
  const points: EquityPoint[] = []
  for (let n = 1; n <= 4_000; n += 1) plotPoint(points, { atMs: n * 1_000, total: n })
  t.strictSame([points.length, points[0]?.total, points.at(-1)?.total], [3_600, 401, 4_000])
})
