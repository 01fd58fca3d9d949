import t from 'tap'
import {
  curveOf,
  curveOfDay,
  dayAt,
  FILL_SPANS,
  faultOf,
  monthsOf,
  onDay,
  SPANS,
  type SpanName,
  spanOf,
  weeksOf,
} from '../../web/shared/earnings.ts'

t.test('spans end with the exchange day, whatever the computer calls it', async (t) => {
  const night = Date.UTC(2026, 7, 10, 16, 30) // half past midnight in Shanghai
  t.equal(dayAt(night), '2026-08-11')
  for (const [name, today, from, to] of [
    ['today', '2026-08-11', '2026-08-11', '2026-08-11'],
    ['week', '2026-08-11', '2026-08-10', '2026-08-11'],
    ['week', '2026-08-10', '2026-08-10', '2026-08-10'],
    ['week', '2026-08-16', '2026-08-10', '2026-08-16'],
    ['week', '2026-08-01', '2026-07-27', '2026-08-01'],
    ['month', '2026-08-11', '2026-08-01', '2026-08-11'],
    ['lastMonth', '2026-03-31', '2026-02-01', '2026-02-28'],
    ['lastMonth', '2026-01-05', '2025-12-01', '2025-12-31'],
    ['year', '2026-08-11', '2026-01-01', '2026-08-11'],
  ] as const) {
    t.strictSame(spanOf(name, today), { from, to }, `${name} of ${today}`)
  }
})

t.test(
  'F514 what was chosen by its name goes on with the day, and as what was chosen',
  async (t) => {
    const goesOn = (
      name: SpanName,
      day: string,
      today: string,
      names: readonly SpanName[] = SPANS,
    ) => onDay({ span: spanOf(name, day), name, day }, names, today)
    const on = (from: string, to: string) => ({ from, to })
    t.strictSame(goesOn('today', '2026-08-11', '2026-08-12'), on('2026-08-12', '2026-08-12'))
    // On a Monday, and on the first of a month, several names are one day.
    t.strictSame(goesOn('week', '2026-08-10', '2026-08-11'), on('2026-08-10', '2026-08-11'))
    t.strictSame(goesOn('month', '2026-09-01', '2026-09-02'), on('2026-09-01', '2026-09-02'))
    t.strictSame(goesOn('today', '2026-09-01', '2026-09-02'), on('2026-09-02', '2026-09-02'))
    t.strictSame(
      goesOn('yesterday', '2026-08-11', '2026-08-14', FILL_SPANS),
      on('2026-08-13', '2026-08-13'),
    )
    const days = { from: '2026-08-03', to: '2026-08-05' }
    for (const span of [days, { from: '', to: '' }]) {
      t.strictSame(onDay({ span, name: 'month', day: '2026-08-11' }, SPANS, '2026-08-12'), span)
    }
    const month = spanOf('month', '2026-08-11')
    t.strictSame(
      onDay({ span: month, name: undefined, day: '2026-08-11' }, SPANS, '2026-08-12'),
      on('2026-08-01', '2026-08-12'),
      'typed day by day it is the same',
    )
  },
)

t.test('months of a span, the newest first and not too many', async (t) => {
  t.strictSame(monthsOf({ from: '2025-12-30', to: '2026-02-01' }, 9), [
    '2026-02',
    '2026-01',
    '2025-12',
  ])
  t.strictSame(monthsOf({ from: '2020-01-01', to: '2026-02-01' }, 2), ['2026-02', '2026-01'])
})

t.test('a calendar has each day of its month once, in weeks from Monday', async (t) => {
  for (const [month, days] of [
    ['2026-02', 28],
    ['2024-02', 29],
    ['2026-08', 31],
    ['2026-11', 30],
  ] as const) {
    const weeks = weeksOf(month, [])
    t.ok(weeks.every((week) => week.length === 7))
    const found = weeks.flat().flatMap((cell) => cell?.day ?? [])
    t.equal(found.length, days)
    t.strictSame([...new Set(found)].sort(), found)
    for (const week of weeks) {
      for (const [at, cell] of week.entries()) {
        if (cell) t.equal((new Date(`${cell.day}T00:00:00Z`).getUTCDay() + 6) % 7, at)
      }
    }
  }
  const row = { day: '2026-08-11', realized: 5 } as never
  const cells = weeksOf('2026-08', [row]).flat()
  t.strictSame(
    cells.filter((cell) => cell?.row !== undefined).map((cell) => cell?.day),
    ['2026-08-11'],
  )
})

t.test('points of a curve are at exchange time', async (t) => {
  const point = { time: '2026-08-11 09:31:00', equity: 12.5 } as never
  t.strictSame(curveOf([point]), [{ atMs: Date.UTC(2026, 7, 11, 1, 31), value: 12.5 }])
})

t.test(
  'the curve of today has nothing of the days before, however long a page has been open',
  async (t) => {
    const at = (time: string) => Date.parse(`${time.replace(' ', 'T')}+08:00`)
    const told = [
      { atMs: at('2026-11-26 14:59:30'), total: 1 },
      { atMs: at('2026-11-26 23:59:59'), total: 2 },
      { atMs: at('2026-11-27 00:00:00'), total: 3 },
      { atMs: at('2026-11-27 09:31:05'), total: 4 },
    ]
    const stored = [
      { time: '2026-11-26 15:00:00', equity: 10 },
      { time: '2026-11-27 09:31:00', equity: 20 },
    ] as unknown as Parameters<typeof curveOf>[0]
    const values = (day: string, points = stored) =>
      curveOfDay(day, points, told).map(({ value }) => value)
    t.strictSame(values('2026-11-27'), [20, 4])
    t.strictSame(values('2026-11-27', []), [3, 4], 'before its first minute is stored')
    t.strictSame(values('2026-11-28'), [], 'a day of which nothing is known')
  },
)

t.test('F805 days that are no span are not asked for', async (t) => {
  const cases: readonly (readonly [from: string, to: string, ReturnType<typeof faultOf>])[] = [
    ['2026-11-01', '2026-11-30', undefined],
    ['2026-11-30', '2026-11-30', undefined],
    ['2026-11-30', '2026-11-01', 'reversed'],
    ['', '2026-11-30', 'incomplete'],
    ['2026-11-30', '', 'incomplete'],
    ['0020-11-01', '2026-11-30', 'incomplete'],
    ['2026-11-30', '12026-11-30', 'incomplete'],
  ]
  for (const [from, to, fault] of cases) t.equal(faultOf({ from, to }), fault, `${from} ${to}`)
  t.equal(faultOf({ from: '', to: '2026-11-30' }, true), undefined, 'a bound that may be left out')
  t.equal(faultOf({ from: '2026-11-30', to: '2026-11-01' }, true), 'reversed')
})
