import fc from 'fast-check'
import t from 'tap'
import {
  type Bar,
  barsJson,
  barsOf,
  mergeBars,
  packBars,
  packedCount,
  timeDigits,
  unpackBars,
} from '../../src/domain/bar.ts'
import { isOpening, minuteOf, periodEndMs, sessionMinutes } from '../../src/domain/bar-time.ts'
import { exchangeTime } from '../../src/domain/exchange-time.ts'

const at = (time: string): number => Date.parse(`2026-08-11T${time}+08:00`)
const clock = (timeMs: number | undefined): string =>
  timeMs === undefined ? '' : exchangeTime(timeMs).slice(11)
const MIDNIGHT = at('00:00:00')

const bar = (time: string, price: number, from = 0, to = 100): Bar => ({
  timeMs: at(time),
  open: price,
  high: price + 10,
  low: price - 10,
  close: price + 1,
  volumeFrom: from,
  volumeTo: to,
  amountFrom: from,
  amountTo: to,
})

t.test('a tick belongs to the minute that it lies in, named by its end', async (t) => {
  const table = [
    ['09:14:59.999', '', 'before the auction a quote only repeats yesterday'],
    ['09:15:00', '09:31:00', 'the auction belongs to the first minute'],
    ['09:30:59.999', '09:31:00', ''],
    ['09:31:00', '09:32:00', 'a minute begins with its first millisecond'],
    ['11:29:59', '11:30:00', ''],
    ['11:30:03', '11:30:00', 'late ticks belong to the last minute of the morning'],
    ['12:59:59', '11:30:00', ''],
    ['13:00:00', '13:01:00', ''],
    ['14:59:59', '15:00:00', ''],
    ['15:00:00', '15:00:00', 'the closing tick belongs to the last minute'],
    ['15:30:00', '15:00:00', ''],
  ] as const
  for (const [time, end, why] of table) {
    t.equal(clock(minuteOf(at(time), false)?.endMs), end, `${time} ${why}`)
  }
  t.equal(clock(minuteOf(at('12:10:30'), true)?.endMs), '12:11:00', 'without sessions: the clock')
  t.equal(minuteOf(at('11:29:30'), false)?.untilMs, at('13:00:00'))
  t.ok(isOpening(at('09:30:59')))
  t.notOk(isOpening(at('09:31:00')) || isOpening(at('09:00:00')))
})

t.test('periods are counted from the start of each session', async (t) => {
  const ends = (period: '5m' | '15m' | '30m' | '60m') => [
    ...new Set(sessionMinutes(MIDNIGHT).map((minute) => clock(periodEndMs(minute, period)))),
  ]
  t.strictSame(ends('60m'), ['10:30:00', '11:30:00', '14:00:00', '15:00:00'])
  t.equal(ends('30m').length, 8)
  t.equal(ends('15m').length, 16)
  t.strictSame([ends('5m')[0], ends('5m').at(-1), ends('5m').length], ['09:35:00', '15:00:00', 48])
  t.equal(clock(periodEndMs(at('20:01:00'), '60m')), '21:00:00', 'outside of sessions: the clock')
  t.equal(periodEndMs(MIDNIGHT, '60m'), MIDNIGHT, 'midnight ends the day before')
})

t.test('bars travel packed, at any place of a buffer', async (t) => {
  const bars = [bar('09:31:00', 100), bar('09:32:00', 101, 100, 250)]
  const bytes = packBars(bars)
  t.equal(packedCount(bytes), 2)
  const moved = new Uint8Array(bytes.length + 3)
  moved.set(bytes, 3)
  t.strictSame(unpackBars(moved.subarray(3)), bars)
  t.strictSame(unpackBars(new Uint8Array()), [])
})

t.test('two halves of a bar are joined: the beginning of one, the end of the other', async (t) => {
  const [early, late] = [bar('09:31:00', 100, 0, 60), bar('09:31:00', 130, 40, 90)]
  t.strictSame(mergeBars([early], [late, bar('09:32:00', 50)]), [
    {
      timeMs: early.timeMs,
      open: 100,
      high: 140,
      low: 90,
      close: 131,
      volumeFrom: 0,
      volumeTo: 90,
      amountFrom: 0,
      amountTo: 90,
    },
    bar('09:32:00', 50),
  ])
  const row = [bar('09:31:00', 100), bar('09:33:00', 100)]
  t.strictSame(
    mergeBars(row, [bar('09:32:00', 1)]).map(({ timeMs }) => clock(timeMs)),
    ['09:31:00', '09:32:00', '09:33:00'],
  )
})

t.test('the same bars twice are the same bars', async (t) => {
  const minutes = sessionMinutes(MIDNIGHT)
  const history = fc
    .uniqueArray(fc.integer({ min: 0, max: minutes.length - 1 }), { maxLength: 20 })
    .map((at) => at.sort((a, b) => a - b).map((index) => minutes[index] as number))
    .map((times) => times.map((timeMs, n) => ({ ...bar('09:31:00', n), timeMs })))
  fc.assert(
    fc.property(history, fc.nat(20), (bars, cut) => {
      const twice = mergeBars(mergeBars([], bars.slice(0, cut + 3)), bars.slice(cut))
      t.strictSame(twice.length, bars.length)
      t.strictSame(mergeBars(bars, bars), bars)
    }),
    { numRuns: 50 },
  )
})

t.test(
  'a longer period opens with its first minute, closes with its last and sums what was traded',
  async (t) => {
    const minutes = sessionMinutes(MIDNIGHT).map((timeMs, n) => ({
      ...bar('09:31:00', 1_000 + n, n * 10, (n + 1) * 10),
      timeMs,
    }))
    for (const period of ['5m', '15m', '30m', '60m'] as const) {
      const rows = barsOf(minutes, period)
      t.equal(
        rows.reduce((sum, { volume }) => sum + volume, 0),
        2_400,
        period,
      )
      t.equal(rows[0]?.open, 1_000)
      t.equal(rows.at(-1)?.close, 1_240)
    }
    t.strictSame(barsOf(minutes, '60m')[1], {
      timeMs: at('11:30:00'),
      open: 1_060,
      high: 1_129,
      low: 1_050,
      close: 1_120,
      volume: 600,
      amount: 600,
    })
    t.strictSame(barsOf([], '5m'), [])
  },
)

t.test('times have 17 digits and prices are yuan', async (t) => {
  t.equal(timeDigits(at('09:31:00')), '20260811093100000')
  t.equal(timeDigits(MIDNIGHT), '20260811000000000')
  t.equal(timeDigits(at('09:31:07.045')), '20260811093107045')
  const text = barsJson(barsOf([bar('09:31:00', 123_400)], '1m'))
  t.equal(
    text,
    '{"time":20260811093100000,"open":12.34,"high":12.341,"low":12.339,"close":12.3401,"volume":100,"amount":100}',
  )
  t.equal(barsJson([]), '')
})
