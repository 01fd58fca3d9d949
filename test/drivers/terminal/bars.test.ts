import t from 'tap'
import { exchangeTime } from '../../../src/domain/exchange-time.ts'
import { barsOf, type HistoryBar } from '../../../src/drivers/terminal/bars.ts'

const row = (time: string, volume: number): HistoryBar =>
  [Date.parse(`${time}+08:00`), 10, 10.5, 9.9, 10.2, volume, volume * 10] as unknown as HistoryBar

t.test('rows of the terminal carry the totals of their day at both ends', async (t) => {
  const rows = [
    row('2026-08-10T14:59:00', 5),
    row('2026-08-11T09:31:00', 7),
    row('2026-08-11T09:32:00', 8),
  ]
  const bars = barsOf(rows, '1m', '2026-08-11')
  t.strictSame(
    bars.map(({ volumeFrom, volumeTo, amountTo }) => [volumeFrom, volumeTo, amountTo]),
    [
      [0, 5, 50],
      [0, 7, 70],
      [7, 15, 150],
    ],
  )
  t.match(bars[0], { open: 100_000, high: 105_000, low: 99_000, close: 102_000 })
})

t.test('the day that is not over yet is left to the ticks', async (t) => {
  const rows = [row('2026-08-10T00:00:00', 5), row('2026-08-11T00:00:00', 7)]
  t.equal(barsOf(rows, '1d', '2026-08-11').length, 1)
  t.equal(barsOf(rows, '1d', '2026-08-12').length, 2)
  t.strictSame(barsOf([], '1d', '2026-08-12'), [])
})

t.test('F273 a time of a bar in seconds or digits is the moment that it means', async (t) => {
  const [, ...prices] = row('2026-08-10T09:31:00', 5)
  const ms = Date.parse('2026-08-10T09:31:00+08:00')
  for (const time of [ms, ms / 1_000, 20260810093100]) {
    t.match(barsOf([[time, ...prices] as HistoryBar], '1m', '2026-08-11'), [{ timeMs: ms }])
  }
  t.strictSame(barsOf([[0, ...prices] as HistoryBar], '1m', '2026-08-11'), [])
})

t.test(
  'F280 a row that comes twice, late or without a price counts once, in its place, or not',
  async (t) => {
    const [first, second, third] = [
      row('2026-08-10T09:31:00', 5),
      row('2026-08-10T09:32:00', 7),
      row('2026-08-10T09:33:00', 8),
    ]
    const halted = [Date.parse('2026-08-10T09:34:00+08:00'), 0, 0, 0, 0, 0, 0] as never
    const broken = [...row('2026-08-10T09:35:00', Number.NaN).slice(0, 5), Number.NaN, -1] as never
    const half = row('2026-08-10T09:32:00', 3)
    const bars = barsOf([first, third, half, second, third, halted, broken], '1m', '2026-08-11')
    t.strictSame(
      bars.map(({ volumeFrom, volumeTo, amountTo }) => [volumeFrom, volumeTo, amountTo]),
      [
        [0, 5, 50],
        [5, 12, 120],
        [12, 20, 200],
        [20, 20, 200],
      ],
    )
    t.strictSame(
      bars.map(({ timeMs }) => timeMs),
      [0, 1, 2, 4].map((minute) => first[0] + minute * 60_000),
    )
  },
)

t.test('F282 the opening auction, a row of its own at 09:30, is of the first minute', async (t) => {
  const rows = [
    row('2026-08-10T09:30:00', 5),
    row('2026-08-10T09:31:00', 7),
    row('2026-08-10T09:32:00', 8),
  ]
  const bars = barsOf(rows, '1m', '2026-08-11')
  t.strictSame(
    bars.map(({ timeMs, volumeFrom, volumeTo }) => [exchangeTime(timeMs), volumeFrom, volumeTo]),
    [
      ['2026-08-10 09:31:00', 0, 12],
      ['2026-08-10 09:32:00', 12, 20],
    ],
  )
})
