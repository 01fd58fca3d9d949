import t from 'tap'
import { type Bar, barTime, marksOf } from '../../web/shared/parts/bars.ts'

const bar = (time: number): Bar => ({ time, open: 1, high: 1, low: 1, close: 1, volume: 1 })
const minute = (day: number, time: number) => bar(day * 1e9 + time * 1e5)
const fill = (time: string, side: 'buy' | 'sell' = 'buy') => ({ time, side })

t.test('a fill stands at the bar in which it was made', async (t) => {
  const bars = [931, 932, 1130, 1301, 1500].map((time) => minute(20260811, time))
  const table: [time: string, bar: number | undefined][] = [
    ['2026-08-11 09:25:00', 931],
    ['2026-08-11 09:30:59', 931],
    ['2026-08-11 09:31:00', 932],
    ['2026-08-11 10:05:00', 1130],
    ['2026-08-11 14:59:59', 1500],
    ['2026-08-11 15:00:03', 1500],
    ['2026-08-10 10:00:00', undefined],
    ['2026-08-12 10:00:00', undefined],
  ]
  for (const [time, end] of table) {
    const at = end === undefined ? [] : [barTime(minute(20260811, end).time)]
    t.strictSame(
      marksOf([fill(time)], bars).map((mark) => mark.time),
      at,
      time,
    )
  }
})

t.test('among daily bars it stands at its day', async (t) => {
  const days = [bar(20260810000000000), bar(20260811000000000)]
  t.strictSame(marksOf([fill('2026-08-10 14:00:00'), fill('2026-08-11 09:30:00', 'sell')], days), [
    { time: '2026-08-10', side: 'buy' },
    { time: '2026-08-11', side: 'sell' },
  ])
  t.strictSame(marksOf([fill('2026-08-09 14:00:00'), fill('')], days), [])
  t.strictSame(marksOf([fill('2026-08-10 14:00:00')], []), [])
})

t.test('the oldest stands first, however the fills come', async (t) => {
  const bars = [931, 932, 1000].map((time) => minute(20260811, time))
  const newestFirst = [fill('2026-08-11 09:45:00', 'sell'), fill('2026-08-11 09:30:10')]
  t.strictSame(marksOf(newestFirst, bars), [
    { time: barTime(minute(20260811, 931).time), side: 'buy' },
    { time: barTime(minute(20260811, 1000).time), side: 'sell' },
  ])
})

t.test('F772 many fills of one side in a bar are one mark, and no tower above it', async (t) => {
  const bars = [931, 932].map((time) => minute(20260811, time))
  const [first, second] = bars.map(({ time }) => barTime(time))
  const at = (clock: string, side?: 'sell') => fill(`2026-08-11 ${clock}`, side)
  const fills = ['09:30:01', '09:30:02', '09:30:03'].map((clock) => at(clock, 'sell'))
  t.strictSame(marksOf([...fills, at('09:30:02'), at('09:31:40', 'sell'), at('09:30:09')], bars), [
    { time: first, side: 'sell' },
    { time: first, side: 'buy' },
    { time: second, side: 'sell' },
  ])
})
