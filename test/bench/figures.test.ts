import fc from 'fast-check'
import t from 'tap'
import {
  type Figures,
  measure,
  median,
  perSecond,
  pooledRow,
  quantile,
  rowOf,
  slopeOf,
  spreadOf,
  timesUs,
} from '../../bench/kit/figures.ts'
import { LatencyWindow, windowRow } from '../../bench/kit/latency.ts'
import { figure, judged, table } from '../../bench/kit/report.ts'
import { benchesWithTargets, targetNames, unmeasured } from '../../bench/kit/targets.ts'
import { createLatencyBoard, LatencyBoard } from '../../src/runtime/latency-board.ts'

t.test('the median is the middle value, or lies between the two in the middle', async (t) => {
  t.equal(median([3, 1, 2]), 2)
  t.equal(median([4, 1, 3, 2]), 2.5)
  t.equal(median([7]), 7)
  t.throws(() => median([]))
})

t.test('a quantile is a value that so many do not exceed', async (t) => {
  const hundred = Array.from({ length: 100 }, (_, at) => at + 1)
  t.equal(quantile(hundred, 0.99), 99)
  t.equal(quantile(hundred, 1), 100)
  t.equal(quantile([5], 0.99), 5)
  fc.assert(
    fc.property(
      fc.array(fc.integer(), { minLength: 1 }),
      fc.constantFrom(0.1, 0.9, 0.99, 1),
      (values, part) => {
        const sorted = [...values].sort((left, right) => left - right)
        const found = quantile(sorted, part)
        return sorted.filter((value) => value <= found).length >= part * sorted.length - 1e-9
      },
    ),
  )
})

t.test('the slope is the growth from one value to the next', async (t) => {
  t.equal(slopeOf([3, 5, 7, 9]), 2)
  t.equal(slopeOf([4, 4, 4]), 0)
  t.equal(slopeOf([7]), 0)
  t.equal(slopeOf([]), 0)
  t.ok(slopeOf([10, 12, 9, 11, 10, 12, 9, 11]) ** 2 < 0.01, 'what goes up and down does not grow')
})

t.test('the spread is the range in medians', async (t) => {
  t.equal(spreadOf([90, 100, 120]), 0.3)
  t.equal(spreadOf([0, 0]), 0)
})

t.test('rounds alternate, and the warm-up is not kept', async (t) => {
  const order: string[] = []
  const side = (name: string) => (): Figures => {
    order.push(name)
    return { at: order.length }
  }
  const samples = await measure(2, side('ours'), side('bare'))
  t.strictSame(order, ['ours', 'bare', 'ours', 'bare', 'bare', 'ours'])
  t.strictSame(samples.ours, [{ at: 3 }, { at: 6 }])
  t.strictSame(samples.baseline, [{ at: 4 }, { at: 5 }])
})

t.test('the ratio of a row is the median of the ratios of its rounds', async (t) => {
  const samples = {
    ours: [{ us: 10 }, { us: 40 }, { us: 30 }],
    baseline: [{ us: 10 }, { us: 20 }, { us: 10 }],
  }
  const row = rowOf({ bench: 'x', unit: 'µs', figure: 'us' }, samples)
  t.match(row, { ours: 30, baseline: 10, ratio: 2, spread: 1 })
  const alone = rowOf({ bench: 'x', unit: 'µs', figure: 'us' }, { ...samples, baseline: [] })
  t.match(alone, { ours: 30, baseline: null, ratio: null })
  t.throws(() => rowOf({ bench: 'x', unit: 'µs', figure: 'ms' }, samples), /no figure "ms"/)
})

t.test('work is done as often as asked, one by one or side by side', async (t) => {
  let done = 0
  const work = async () => {
    done++
  }
  t.equal((await timesUs(5, work)).length, 5)
  t.ok((await perSecond(10, 3, work)) > 0)
  t.equal(done, 15)
})

t.test('figures have three significant digits', async (t) => {
  const shown = [0, 0.012345, 1.2345, 12.345, 123.45, 12_345, null].map(figure)
  t.strictSame(shown, ['0', '0.0123', '1.23', '12.3', '123', '12,345', '–'])
})

t.test('the table has a line a row, and notes below', async (t) => {
  const row = { unit: 'µs', ours: 2, baseline: 1, ratio: 2, spread: 0.25, note: '' }
  const lines = table([
    { bench: 'one', ...row },
    { bench: 'two', ...row, baseline: null, ratio: null, note: 'bare' },
  ]).split('\n')
  t.match(lines[2], /^one +µs +2 +1 +2\.00× +25 %$/)
  t.match(lines[3], /^two +µs +2 +– +– +25 %$/)
  t.equal(lines.at(-1), 'two: bare')
})

t.test('a row is held against its target', async (t) => {
  const row = { unit: '', ours: 0, baseline: 1, ratio: 1, spread: 0, note: '' }
  t.equal(judged({ ...row, bench: 'read, 1 account', ratio: 0.9 }), '≥ 0.90× ✓')
  t.equal(judged({ ...row, bench: 'read, 1 account', ratio: 0.89 }), '≥ 0.90× ✗')
  t.equal(judged({ ...row, bench: 'sse, 1000 clients, an event', ratio: 1.31 }), '≤ 1.30× ✗')
  t.equal(judged({ ...row, bench: 'backtest, a year of ticks', ours: 1_999 }), '≤ 2,000 ✓')
  t.equal(judged({ ...row, bench: 'replay, max, 99 % uncrossed', ours: 2e5 }), '≥ 250,000 ✗')
  t.equal(judged({ ...row, bench: 'read, 1 account', ratio: null }), '≥ 0.90× ✗', 'not measured')
  t.equal(judged({ ...row, bench: 'read, 1 account, p50' }), '', 'most rows explain another')
  const names = benchesWithTargets().flatMap(targetNames)
  t.equal(new Set(names).size, names.length, 'no row belongs to two benches')
})

t.test('a row that has a target and was not measured is missed', async (t) => {
  const rows = targetNames('read').map((bench) => ({ bench }))
  t.strictSame(unmeasured(['read'], rows), [])
  t.strictSame(unmeasured(['read', 'no-target'], rows), [], 'a bench may promise nothing')
  t.strictSame(unmeasured(['read'], rows.slice(1)), [
    'no row "read, 1 account", which has a target',
  ])
  t.equal(unmeasured(['read', 'read-304'], rows).length, 3)
})

t.test('a percentile over all rounds keeps the worst moments of each', async (t) => {
  const calm = Array.from({ length: 97 }, () => 1_000)
  const spec = { bench: 'x', unit: 'ms', part: 0.99 } as const
  const ours = [[...calm, 90_000], [...calm, 80_000, 70_000], calm]
  const row = pooledRow(spec, { ours, baseline: [[2_000], [4_000]] })
  t.match(row, { ours: 70, baseline: 4, ratio: 17.5 }, 'the third largest of 294')
  t.equal(row.spread, (90 - 1) / 80, 'of the rounds by themselves')
  const alone = pooledRow({ ...spec, unit: 'µs', part: 0.5 }, { ours, baseline: [] })
  t.match(alone, { ours: 1_000, baseline: null, ratio: null })
})

t.test('a window counts what came while it was open, of all its actors', async (t) => {
  const board = new LatencyBoard(createLatencyBoard(4))
  const [first, second, other] = [1, 2, 3].map((slot) => board.histogram(slot, 'commit'))
  const window = new LatencyWindow(board, [1, 2])
  t.throws(() => window.close(), /not open/)
  first?.observe(1)
  window.open()
  for (let at = 0; at < 98; at++) first?.observe(2)
  second?.observe(40)
  other?.observe(500)
  window.close()
  second?.observe(1_000)
  window.open()
  second?.observe(40)
  window.close()
  const { count, p50, p99, max } = window.histogram('commit').spread
  t.match({ count, max: Math.round(max) }, { count: 100 })
  t.ok(p50 > 1.8 && p50 < 2.3 && p99 > 35 && p99 < 46 && max < 46)
  t.equal(window.histogram('tickToStep').count, 0)
  t.throws(
    () => windowRow({ bench: 'x', measure: 'tickToStep', part: 0.5 }, window, [window]),
    /nothing was counted for "x"/,
  )
  t.throws(
    () => windowRow({ bench: 'x', measure: 'commit', part: 0.5 }, window, [window.another()]),
    /nothing was counted/,
  )
  const row = windowRow({ bench: 'x', measure: 'commit', part: 0.5 }, window, [window, window])
  t.match(row, { unit: 'ms', ours: p50, baseline: null, spread: 0 })
})
