import t, { type Test } from 'tap'
import { BarDesk, type BarDeskOptions } from '../../actors/market/bar-desk.ts'
import { type Bar, mergeBars, unpackBars } from '../../src/domain/bar.ts'
import { exchangeDay } from '../../src/domain/exchange-time.ts'
import { reportedPrice } from '../../src/domain/money.ts'
import { CodeTable } from '../../src/market/codes.ts'
import { NO_BARS } from '../../src/ports/bars.port.ts'
import { barPages } from '../../src/protocol/history.ts'
import type { Tick } from '../../src/protocol/market.ts'
import { BarsDatabase } from '../../src/storage/bars-database.ts'
import { LIMITS } from './fixtures/market.ts'

const CODE = '600036.SH'
const NOW_MS = Date.parse('2026-08-11T10:00:30+08:00')
const tick = (time: string, lastPrice: number, volume: number): Tick => ({
  time: Date.parse(`2026-08-11T${time}+08:00`),
  stock_code: CODE,
  lastPrice,
  volume,
  amount: volume * 10,
  open: 0,
  high: 0,
  low: 0,
  lastClose: 9.5,
  bidPrice: [],
  askPrice: [],
  bidVol: [],
  askVol: [],
})

function open(options: Partial<BarDeskOptions> = {}) {
  const codes = new CodeTable(4)
  const errors: string[] = []
  const desk = new BarDesk({
    source: { kind: 'simulated', seed: 1 },
    store: NO_BARS,
    codes,
    codesMax: 4,
    limits: LIMITS,
    nowMs: () => NOW_MS,
    log: { info: () => {}, warn: () => {}, error: (_fields, message) => errors.push(message) },
    ...options,
  })
  const feed = (...ticks: readonly Tick[]) => {
    for (const each of ticks)
      desk.tick(codes.assign(CODE) ?? 0, each, reportedPrice(each.lastPrice))
  }
  return { desk, feed, codes, errors }
}

function database(t: Test, folder = t.testdir()): BarsDatabase {
  const bars = new BarsDatabase(folder, 'x')
  t.teardown(() => bars.close())
  return bars
}

async function barsOf(
  desk: BarDesk,
  period: '1m' | '1d',
  from = '2020-01-01',
): Promise<readonly Bar[]> {
  let bars: readonly Bar[] = []
  const query = { code: CODE, period, from, to: '2026-08-11' } as const
  for await (const page of barPages((request) => desk.read(request), query)) {
    for (const packed of page.bars) bars = mergeBars(bars, unpackBars(packed))
  }
  return bars
}
const closes = (bars: readonly Bar[]) => bars.map(({ close }) => close)

t.test('what is stored, what waits and what is still open are one history', async (t) => {
  const { desk, feed } = open({ store: database(t), source: { kind: 'replay' } })
  feed(tick('10:00:10', 10, 100), tick('10:01:10', 11, 200))
  await desk.flush()
  feed(tick('10:02:10', 12, 300), tick('10:03:10', 13, 400))
  t.strictSame(closes(await barsOf(desk, '1m')), [100_000, 110_000, 120_000, 130_000])
  t.strictSame(closes(await barsOf(desk, '1d')), [130_000])
})

t.test('a stop writes the open bars too, and the next process goes on with them', async (t) => {
  const folder = t.testdir()
  const first = open({ store: new BarsDatabase(folder, 'x'), source: { kind: 'replay' } })
  first.feed(tick('10:00:10', 10, 100), tick('10:00:20', 12, 150))
  await first.desk.stop()
  const second = open({ store: database(t, folder), source: { kind: 'replay' } })
  second.desk.seed(second.codes.assign(CODE) ?? 0, tick('10:00:20', 12, 150))
  second.feed(tick('10:00:40', 9, 220))
  t.match(await barsOf(second.desk, '1m'), [
    { open: 100_000, high: 120_000, low: 90_000, close: 90_000, volumeFrom: 100, volumeTo: 220 },
  ])
  t.match(await barsOf(second.desk, '1d'), [{ open: 100_000, high: 120_000, low: 90_000 }])
})

t.test(
  'a simulated code has a past that was never traded; a replay has only what was played',
  async (t) => {
    const simulated = open({ store: database(t) })
    simulated.feed(tick('10:00:10', 10, 100))
    const days = await barsOf(simulated.desk, '1d', '2024-01-01')
    t.ok(days.length > 400, `${days.length} days`)
    t.strictSame(closes(days.slice(-2)), [95_000, 100_000], 'it ends at the previous close')
    const minutes = await barsOf(simulated.desk, '1m')
    t.equal(
      new Set(minutes.map(({ timeMs }) => exchangeDay(timeMs))).size,
      LIMITS.pastMinuteDays + 1,
    )
    const replay = open({ store: database(t, t.testdir()), source: { kind: 'replay' } })
    replay.feed(tick('10:00:10', 10, 100))
    t.equal((await barsOf(replay.desk, '1d')).length, 1)
  },
)

t.test(
  'minutes that are kept long enough are forgotten, also of a code that nobody holds',
  async (t) => {
    const store = database(t)
    const bar = {
      open: 1,
      high: 1,
      low: 1,
      close: 1,
      volumeFrom: 0,
      volumeTo: 1,
      amountFrom: 0,
      amountTo: 1,
    }
    const at = (day: string) => ({ ...bar, timeMs: Date.parse(`${day}T10:00:00+08:00`) })
    const days = ['2026-08-05', '2026-08-08', '2026-08-09', '2026-08-10'].map(at)
    const gone = ['000001.SZ', '300750.SZ', CODE]
    for (const code of gone) {
      await store.save(
        [
          { code, period: '1m', bars: days },
          { code, period: '1d', bars: days },
        ],
        [],
      )
    }
    const { desk } = open({ store, limits: { ...LIMITS, minuteBarsKeepDays: 2 } })
    await desk.forgetOld()
    for (const code of gone) {
      const left = (period: '1m' | '1d') =>
        store
          .rows({ code, period, from: '2026', to: '2026-12-31', limit: 10 })
          .flatMap(({ bars }) => unpackBars(bars))
      t.equal(left('1m').length, 2, `${code}: those of the last two days`)
      t.equal(left('1d').length, 4, `${code}: days stay`)
    }
  },
)

t.test('a download gets the minutes of the days that were asked for, once', async (t) => {
  const store = database(t)
  const { desk, feed } = open({ store })
  const days = { code: CODE, period: '1m', from: '2026-06-01', to: '2026-06-05' } as const
  await t.rejects(desk.download({ kind: 'download', ...days }), { code: 'NO_PRICE' })
  feed(tick('10:00:10', 10, 100))
  const june = () => store.rows({ ...days, limit: 100 }).flatMap(({ bars }) => unpackBars(bars))
  t.strictSame(june(), [])
  t.strictSame(await desk.download({ kind: 'download', ...days }), { isWhole: false })
  const got = june()
  t.equal(got.length, 5 * 240)
  await desk.download({ kind: 'download', ...days })
  t.strictSame(june(), got)
  await desk.download({ kind: 'download', ...days, from: '2026-08-10', to: '2026-09-30' })
  t.equal(
    (await barsOf(desk, '1m', '2026-08-11')).filter(
      ({ timeMs }) => timeMs > Date.parse('2026-08-11T00:00:00+08:00'),
    ).length,
    1,
    'what was seen is not invented over',
  )
})

t.test('a long history comes in pages that fit together', async (t) => {
  const store = database(t)
  const whole = open({ store })
  whole.feed(tick('10:00:10', 10, 100))
  const paged = open({ store, limits: { ...LIMITS, barsReadMax: 250 } })
  paged.feed(tick('10:00:10', 10, 100))
  t.strictSame(await barsOf(paged.desk, '1d'), await barsOf(whole.desk, '1d'))
  t.strictSame(await barsOf(paged.desk, '1m'), await barsOf(whole.desk, '1m'))
})

t.test('bars are counted page by page as they would be read', async (t) => {
  const store = database(t)
  const { desk, feed } = open({ store, limits: { ...LIMITS, barsReadMax: 250 } })
  feed(tick('10:00:10', 10, 100))
  await desk.flush()
  const days = { code: CODE, from: '2020-01-01', to: '2026-08-10' } // the day after has a bar that is open
  for (const period of ['1m', '1d'] as const) {
    const all = await barsOf(desk, period)
    let count = 0
    let after: string | null = ''
    while (after !== null) {
      const page = await desk.count({
        kind: 'barCount',
        ...days,
        period,
        ...(after !== '' && { after }),
      })
      count += page.count
      after = page.next
    }
    t.equal(count, all.filter(({ timeMs }) => exchangeDay(timeMs) < '2026-08-11').length)
  }
})

t.test('a disk that refuses costs history and nothing else', async (t) => {
  const refuse = () => Promise.reject(new Error('no space'))
  const { desk, feed, errors } = open({
    store: { ...NO_BARS, save: refuse },
    source: { kind: 'replay' },
  })
  feed(tick('10:00:10', 10, 100), tick('10:01:10', 11, 200))
  await desk.flush()
  t.strictSame(errors, ['bars could not be saved'])
  feed(tick('10:02:10', 12, 300))
  t.strictSame(closes(await barsOf(desk, '1m')), [120_000])
})

t.test('so many finished bars may wait, then the feed does', async (t) => {
  const { desk, feed } = open({
    limits: { ...LIMITS, barsPendingMax: 2 },
    source: { kind: 'replay' },
  })
  feed(tick('10:00:10', 10, 100), tick('10:01:10', 11, 200))
  t.notOk(desk.isFull)
  feed(tick('10:02:10', 12, 300))
  t.ok(desk.isFull)
  await desk.flush()
  t.notOk(desk.isFull)
})
