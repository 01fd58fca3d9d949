import t from 'tap'
import { type Bar, type BasePeriod, mergeBars } from '../../../src/domain/bar.ts'
import { exchangeTime } from '../../../src/domain/exchange-time.ts'
import { reportedPrice } from '../../../src/domain/money.ts'
import { BarAggregator } from '../../../src/market/bars/aggregator.ts'
import type { Tick } from '../../../src/protocol/market.ts'

const CODE = '600036.SH'
const tick = (time: string, lastPrice: number, volume: number, more: Partial<Tick> = {}): Tick => ({
  time: Date.parse(`${time}+08:00`),
  stock_code: CODE,
  lastPrice,
  volume,
  amount: volume * 10,
  open: 0,
  high: 0,
  low: 0,
  lastClose: 0,
  bidPrice: [],
  askPrice: [],
  bidVol: [],
  askVol: [],
  ...more,
})

/** Feeds ticks; what is still open counts as finished at the end. */
function collect(
  ticks: readonly Tick[],
  { isAlwaysOpen = false, seed }: { isAlwaysOpen?: boolean; seed?: Tick } = {},
) {
  const bars: Record<BasePeriod, Bar[]> = { '1m': [], '1d': [] }
  const aggregator = new BarAggregator({
    codesMax: 4,
    isAlwaysOpen,
    onBar: (_slot, period, bar) => bars[period].push(bar),
  })
  if (seed !== undefined) aggregator.seed(1, seed)
  for (const each of ticks) aggregator.tick(1, each, reportedPrice(each.lastPrice))
  const { minute, day } = aggregator.open(1)
  if (minute !== undefined) bars['1m'].push(minute)
  if (day !== undefined) bars['1d'].push(day)
  return bars
}
const shown = ({ timeMs, open, high, low, close, volumeFrom, volumeTo }: Bar) =>
  `${exchangeTime(timeMs)} ${[open, high, low, close].map((price) => price / 10_000).join(' ')} ${volumeTo - volumeFrom}`

t.test(
  'F279 a day without trading has no bars, also where its quote was the last one',
  async (t) => {
    const [saturday, later] = [
      tick('2026-08-15T10:00:00', 13, 50),
      tick('2026-08-15T15:30:00', 13, 90),
    ]
    const monday = [tick('2026-08-17T09:25:00', 11, 20), tick('2026-08-17T09:32:00', 11.1, 30)]
    const friday = tick('2026-08-14T15:00:00', 10, 800)
    const days = ['2026-08-14 00:00:00 10 10 10 10 800', '2026-08-17 00:00:00 11 11.1 11 11.1 30']
    t.strictSame(collect([friday, saturday, later, ...monday])['1d'].map(shown), days)
    t.strictSame(collect(monday, { seed: later })['1d'].map(shown), days.slice(1))
    t.strictSame(collect([saturday], { isAlwaysOpen: true })['1d'].length, 1)
  },
)

t.test('F279 a quote from before the auction begins no day in a restarted process', async (t) => {
  const repeated = tick('2026-08-12T09:00:00', 10, 500, { open: 9.9, high: 10.3, low: 9.8 })
  const morning = [tick('2026-08-12T09:25:00', 11, 20), tick('2026-08-12T09:32:00', 11.1, 30)]
  const { '1d': days, '1m': minutes } = collect(morning, { seed: repeated })
  t.strictSame(days.map(shown), ['2026-08-12 00:00:00 11 11.1 11 11.1 30'])
  t.strictSame(minutes.map(shown), [
    '2026-08-12 09:31:00 11 11 11 11 20',
    '2026-08-12 09:33:00 11.1 11.1 11.1 11.1 10',
  ])
})

t.test('ticks become minutes with what was traded in each', async (t) => {
  const bars = collect([
    tick('2026-08-11T09:25:00', 10, 500),
    tick('2026-08-11T09:30:30', 10.2, 700),
    tick('2026-08-11T09:31:00', 10.1, 800),
    tick('2026-08-11T11:30:01', 9.9, 1_000),
    tick('2026-08-11T13:00:05', 10, 1_100),
    tick('2026-08-11T15:00:00', 10.3, 2_000),
  ])
  t.strictSame(bars['1m'].map(shown), [
    '2026-08-11 09:31:00 10 10.2 10 10.2 700',
    '2026-08-11 09:32:00 10.1 10.1 10.1 10.1 100',
    '2026-08-11 11:30:00 9.9 9.9 9.9 9.9 200',
    '2026-08-11 13:01:00 10 10 10 10 100',
    '2026-08-11 15:00:00 10.3 10.3 10.3 10.3 900',
  ])
  t.strictSame(bars['1d'].map(shown), ['2026-08-11 00:00:00 10 10.3 9.9 10.3 2000'])
})

t.test('the day is what the exchange reports of it, where it does', async (t) => {
  const reported = { open: 10.5, high: 11, low: 9 }
  const bars = collect([tick('2026-08-11T10:00:00', 10, 500, reported)])
  t.strictSame(bars['1d'].map(shown), ['2026-08-11 00:00:00 10.5 11 9 10 500'])
  t.strictSame(
    bars['1m'].map(shown),
    ['2026-08-11 10:01:00 10 10 10 10 0'],
    'seen from 10:00 on only',
  )
})

t.test('a new day ends the old one, and its totals begin at nothing', async (t) => {
  const bars = collect([
    tick('2026-08-11T14:59:00', 10, 500),
    tick('2026-08-12T09:00:00', 10, 500),
    tick('2026-08-12T09:30:00', 11, 40),
  ])
  t.strictSame(bars['1d'].map(shown), [
    '2026-08-11 00:00:00 10 10 10 10 500',
    '2026-08-12 00:00:00 11 11 11 11 40',
  ])
  t.equal(shown(bars['1m'][1] as Bar), '2026-08-12 09:31:00 11 11 11 11 40')
})

t.test('after a restart the minute begins where the last quote stood', async (t) => {
  const seed = tick('2026-08-11T10:00:10', 10, 500, { open: 9, high: 12, low: 8 })
  const bars = collect([tick('2026-08-11T10:00:40', 10.1, 650)], { seed })
  t.strictSame(bars['1m'].map(shown), ['2026-08-11 10:01:00 10.1 10.1 10.1 10.1 150'])
  t.strictSame(bars['1d'].map(shown), ['2026-08-11 00:00:00 9 12 8 10.1 650'])
  const next = collect([tick('2026-08-12T09:30:00', 10.1, 5)], { seed })
  t.equal(
    shown(next['1d'][0] as Bar),
    '2026-08-11 00:00:00 9 12 8 10 500',
    'the old day is not lost',
  )
})

t.test('F372 a process that comes late puts no morning into its first minute', async (t) => {
  const seed = tick('2026-08-11T15:00:00', 10, 9_000)
  const late = [tick('2026-08-12T10:20:10', 10.2, 4_000), tick('2026-08-12T10:21:10', 10.3, 4_100)]
  const { '1m': minutes, '1d': days } = collect(late, { seed })
  const seen = [
    '2026-08-12 10:21:00 10.2 10.2 10.2 10.2 0',
    '2026-08-12 10:22:00 10.3 10.3 10.3 10.3 100',
  ]
  t.strictSame(minutes.map(shown), seen)
  const day = '2026-08-12 00:00:00 10.2 10.3 10.2 10.3 4100'
  t.equal(days.map(shown).at(-1), day, 'the day is whole')
  const away = collect([tick('2026-08-11T14:59:00', 10, 8_000), ...late])
  t.strictSame(away['1m'].slice(1).map(shown), seen, 'nor does a feed that was away')
})

t.test('a stock that is traded late on a day whose opening was seen has all of it', async (t) => {
  const bars: Bar[] = []
  const aggregator = new BarAggregator({
    codesMax: 4,
    isAlwaysOpen: false,
    onBar: (slot, period, bar) => {
      if (slot === 1 && period === '1m') bars.push(bar)
    },
  })
  const take = (slot: number, each: Tick) =>
    aggregator.tick(slot, each, reportedPrice(each.lastPrice))
  take(1, tick('2026-08-11T15:00:00', 10, 9_000))
  take(2, tick('2026-08-12T09:25:00', 5, 10))
  take(1, tick('2026-08-12T10:20:10', 10.2, 200))
  take(1, tick('2026-08-12T10:21:10', 10.2, 300))
  t.strictSame(bars.slice(1).map(shown), ['2026-08-12 10:21:00 10.2 10.2 10.2 10.2 200'])
})

t.test('a market that never closes has minutes of the clock, whole from the first', async (t) => {
  const bars = collect(
    [tick('2026-08-09T12:15:10', 10, 300), tick('2026-08-09T12:16:10', 11, 500)],
    { isAlwaysOpen: true },
  )
  t.strictSame(bars['1m'].map(shown), [
    '2026-08-09 12:16:00 10 10 10 10 300',
    '2026-08-09 12:17:00 11 11 11 11 200',
  ])
})

t.test('a day that is played again gives the same bars', async (t) => {
  const day = [
    tick('2026-08-11T09:30:10', 10, 100),
    tick('2026-08-11T09:30:50', 10.4, 300),
    tick('2026-08-11T09:31:10', 10.2, 400),
    tick('2026-08-11T14:00:00', 10.1, 900),
  ]
  const once = collect(day)
  const twice = collect([...day, ...day])
  t.strictSame(mergeBars([], twice['1m']).length, once['1m'].length)
  t.strictSame(mergeBars(once['1m'], twice['1m']), once['1m'])
})
