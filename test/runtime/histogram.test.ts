import fc from 'fast-check'
import t from 'tap'
import { HISTOGRAM_BYTES, Histogram } from '../../src/runtime/histogram.ts'
import { createLatencyBoard, LatencyBoard } from '../../src/runtime/latency-board.ts'

t.test(
  'a quantile is at most an eighth above the duration it stands for, and never below',
  async (t) => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 2_000_000_000 }), (microseconds) => {
        const histogram = new Histogram()
        histogram.observe(microseconds / 1_000)
        const shown = histogram.quantile(1) * 1_000
        return shown >= microseconds - 0.5 && shown <= microseconds * 1.125 + 1
      }),
    )
    t.equal(new Histogram().quantile(0.5), 0)
  },
)

t.test('durations are counted up to a bound and summed', async (t) => {
  const histogram = new Histogram()
  for (const ms of [0.05, 0.5, 5, 50, 50, 500]) histogram.observe(ms)
  t.equal(histogram.count, 6)
  t.equal(histogram.sumMs, 605.55)
  t.strictSame(
    [0.1, 1, 10, 100, 1_000].map((bound) => histogram.countUntil(bound)),
    [1, 2, 3, 5, 6],
  )
  t.ok(histogram.quantile(0.5) >= 5 && histogram.quantile(0.5) < 6)
})

t.test('durations at a glance', async (t) => {
  const histogram = new Histogram()
  t.strictSame(histogram.spread, { count: 0, p50: 0, p90: 0, p99: 0, max: 0 })
  for (let n = 1; n <= 100; n++) histogram.observe(n === 100 ? 64 : n <= 90 ? 1 : 8)
  const { count, p50, p90, p99, max } = histogram.spread
  t.equal(count, 100)
  t.ok(p50 >= 1 && p50 < 1.125 && p90 === p50, `${p50} ${p90}`)
  t.ok(p99 >= 8 && p99 < 9, `${p99}`)
  t.ok(max >= 64 && max < 72, `${max}`)
})

t.test('strange durations do no harm', async (t) => {
  const histogram = new Histogram()
  for (const ms of [-1, 0, 1e12, Number.POSITIVE_INFINITY]) histogram.observe(ms)
  t.equal(histogram.count, 4)
})

t.test('actors of one board do not write into each other, and every reader sees it', async (t) => {
  const memory = createLatencyBoard(3)
  const [writer, reader] = [new LatencyBoard(memory), new LatencyBoard(memory)]
  writer.histogram(1, 'tickToIntent').observe(1)
  writer.histogram(1, 'commit').observe(2)
  writer.histogram(1, 'commit').observe(3)
  writer.woken(2, 12.5)
  const counts = [0, 1, 2].map((slot) => [
    reader.histogram(slot, 'tickToIntent').count,
    reader.histogram(slot, 'commit').count,
    reader.wokenAtMs(slot),
  ])
  t.strictSame(counts, [
    [0, 0, 0],
    [1, 2, 0],
    [0, 0, 12.5],
  ])
  t.equal(HISTOGRAM_BYTES % 8, 0)
})
