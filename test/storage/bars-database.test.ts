import t from 'tap'
import { type Bar, unpackBars } from '../../src/domain/bar.ts'
import { BarsDatabase } from '../../src/storage/bars-database.ts'

const CODE = '600036.SH'
const bar = (time: string, close: number): Bar => ({
  timeMs: Date.parse(`${time}+08:00`),
  open: close,
  high: close,
  low: close,
  close,
  volumeFrom: 0,
  volumeTo: 100,
  amountFrom: 0,
  amountTo: 1_000,
})
const MINUTES = [
  bar('2026-08-10T09:31:00', 1),
  bar('2026-08-10T15:00:00', 2),
  bar('2026-08-11T09:31:00', 3),
]

t.test(
  'bars are there after a restart, by day and by year, and joined with what follows',
  async (t) => {
    const folder = t.testdir()
    const first = new BarsDatabase(folder, 'simulated')
    const days = [bar('2025-12-31T00:00:00', 8), bar('2026-01-05T00:00:00', 9)]
    await first.save(
      [
        { code: CODE, period: '1m', bars: MINUTES },
        { code: CODE, period: '1d', bars: days },
        { code: '600037.SH', period: '1m', bars: MINUTES },
      ],
      [{ code: CODE, day: '2026-08-10', close: 5 }],
    )
    await first.close()
    const second = new BarsDatabase(folder, 'simulated')
    t.teardown(() => second.close())
    const more = [bar('2026-08-11T09:31:00', 4), bar('2026-08-11T09:32:00', 5)]
    await second.save(
      [{ code: CODE, period: '1m', bars: more }],
      [{ code: CODE, day: '2026-08-11', close: 6 }],
    )
    const query = {
      code: CODE,
      period: '1m',
      from: '2026-01-01',
      to: '2026-12-31',
      limit: 9,
    } as const
    t.strictSame(
      second
        .rows(query)
        .map(({ chunk, bars }) => [chunk, unpackBars(bars).map(({ close }) => close)]),
      [
        ['2026-08-10', [1, 2]],
        ['2026-08-11', [4, 5]],
      ],
    )
    t.equal(second.rows({ ...query, from: '2026-08-10~', limit: 1 })[0]?.chunk, '2026-08-11')
    t.equal(second.rows({ ...query, to: '2026-08-10' }).length, 1)
    const years = second.rows({ ...query, period: '1d', from: '2025', to: '2026' })
    t.strictSame(
      years.map(({ chunk }) => chunk),
      ['2025', '2026'],
    )
    t.strictSame(
      second.firstSeen(CODE),
      { code: CODE, day: '2026-08-10', close: 5 },
      'the first stays',
    )
    t.equal(second.firstSeen('600037.SH'), undefined)
  },
)

t.test('sources never mix, and old minutes can be forgotten', async (t) => {
  const folder = t.testdir()
  const simulated = new BarsDatabase(folder, 'simulated')
  const replay = new BarsDatabase(folder, '/a/very/long/path 1 2')
  t.teardown(() => Promise.all([simulated.close(), replay.close()]))
  await simulated.save([{ code: CODE, period: '1m', bars: MINUTES }], [])
  const query = {
    code: CODE,
    period: '1m',
    from: '2020-01-01',
    to: '2030-01-01',
    limit: 9,
  } as const
  t.strictSame(replay.rows(query), [])
  await simulated.forget(CODE, '2026-08-11')
  t.strictSame(
    simulated.rows(query).map(({ chunk }) => chunk),
    ['2026-08-11'],
  )
})
