import t from 'tap'
import { type DayPrices, type MacdAdvice, macdAdvice } from '../../src/strategy/macd.ts'

const days = (closes: readonly number[]): DayPrices[] =>
  closes.map((close, index) => ({
    day: new Date(Date.UTC(2026, 0, 1 + index)).toISOString().slice(0, 10),
    open: close,
    high: close + 0.5,
    low: close - 0.5,
    close,
  }))
const rising = (count: number, from = 10, step = 0.1) =>
  Array.from({ length: count }, (_, index) => from + index * step)
const advice = (closes: readonly number[]): MacdAdvice => {
  const result = macdAdvice(days(closes))
  if (!result.ok) throw new Error(result.error)
  return result.value
}

t.test('fewer than 36 days say nothing', async (t) => {
  t.match(macdAdvice(days(rising(35))), { ok: false, error: /36/ })
  t.match(macdAdvice([]), { ok: false })
  t.ok(macdAdvice(days(rising(36))).ok)
})

t.test('each of the four cases has its words', async (t) => {
  const up = rising(60)
  const down = rising(60, 20, -0.1)
  const table = [
    [up, 0, '上升趋势(强)', '重仓', '启动'],
    [[...down, ...rising(6, 14.5, 0.1)], 1, '上升趋势(弱/修复)', '半仓以下', '启动'],
    [[...up, ...rising(6, 15.8, -0.1)], 2, '下降趋势(弱)/顶部反转', '半仓以下', '启动'],
    [down.map((close, n) => close - n * n * 0.001), 3, '下降趋势(强)', '清仓', '停用'],
  ] as const
  for (const [closes, cat, trend, base, grid] of table) {
    const found = advice(closes)
    t.match(found, { trend, base_position: base, grid })
    t.equal(found.series.at(-1)?.cat, cat)
  }
})

t.test('the lines are those of a hand calculation', async (t) => {
  // One step up after 39 equal days: EMA12 and EMA26 move by 2/13 and 2/27 of it, DEA by a fifth of DIF.
  const found = advice([...Array<number>(39).fill(10), 11])
  const dif = 2 / 13 - 2 / 27
  t.match(found, { dif: 0.08, dea: 0.016, dea_prev: 0, cross: 'DIF在DEA上方(多头)' })
  t.equal(Math.round(dif * 1_000) / 1_000, 0.08)
  const last = found.series.at(-1)
  t.match(last, { c: 11, o: 11, h: 11.5, l: 10.5, hist: 0.128, ma8: 10.125, ma34: 10.029 })
  t.equal(found.updated, last?.d)
})

t.test('a DIF of exactly 0 is not above, and the first bar is compared with itself', async (t) => {
  const flat = advice(Array<number>(50).fill(10))
  t.match(flat, { dif: 0, dea: 0, trend: '上升趋势(弱/修复)', cross: 'DIF在DEA上方(多头)' })
  const falling = advice(rising(100, 50, -0.3))
  t.equal(falling.series.length, 60)
  t.equal(falling.series[0]?.cat, 1, 'equal to itself is not falling')
})

t.test('means look at the whole history and are null while it is short', async (t) => {
  const short = advice(rising(40)).series
  t.equal(short.length, 40)
  t.strictSame([short[6]?.ma8, short[7]?.ma8 === null, short[32]?.ma34], [null, false, null])
  t.equal(advice(rising(100)).series[0]?.ma34 === null, false)
})
