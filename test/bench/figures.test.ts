import fc from 'fast-check'
import t from 'tap'
import {
  type Figures,
  measure,
  median,
  perSecond,
  quantile,
  rowOf,
  slopeOf,
  spreadOf,
  timesUs,
} from '../../bench/kit/figures.ts'
import { figure, judged, table, targetNames } from '../../bench/kit/report.ts'

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
  t.equal(judged({ ...row, bench: 'replay, max, 99 % uncrossed', ours: 2e5 }), '≥ 200,000 ✓')
  t.equal(judged({ ...row, bench: 'read, 1 account', ratio: null }), '≥ 0.90× ✗', 'not measured')
  t.equal(judged({ ...row, bench: 'read, 1 account, p50' }), '', 'most rows explain another')
  t.equal(new Set(targetNames()).size, targetNames().length)
})
