import t from 'tap'
import { EXCHANGE_HOLIDAYS } from '../../src/domain/data/holidays.ts'
import { exchangeDay, exchangeDayStartMs, exchangeWeekday } from '../../src/domain/exchange-time.ts'
import {
  calendarNotice,
  closeAlso,
  isDayAfter,
  isTradingDay,
  lastCloseMs,
  nextOpenMs,
  openSinceMs,
  serviceDayMs,
  sessionAt,
  tradedMs,
  tradingDaysBeforeMs,
} from '../../src/domain/session.ts'

const at = (day: string, time: string) => Date.parse(`${day}T${time}+08:00`)

t.test(
  'orders trade from 09:30 to 11:30 and from 13:00 to 15:00, both ends included',
  async (t) => {
    const rows: readonly (readonly [string, 'open' | 'closed'])[] = [
      ['00:00:00.000', 'closed'],
      ['09:15:00.000', 'closed'],
      ['09:29:59.999', 'closed'],
      ['09:30:00.000', 'open'],
      ['10:00:00.000', 'open'],
      ['11:30:00.000', 'open'],
      ['11:30:00.001', 'closed'],
      ['12:59:59.999', 'closed'],
      ['13:00:00.000', 'open'],
      ['14:57:30.000', 'open'],
      ['15:00:00.000', 'open'],
      ['15:00:00.001', 'closed'],
      ['23:59:59.999', 'closed'],
    ]
    for (const [time, expected] of rows) t.equal(sessionAt(at('2026-08-11', time)), expected, time)
  },
)

t.test(
  'weekends and holidays are no trading days, make-up working Saturdays neither',
  async (t) => {
    const rows: readonly (readonly [string, boolean])[] = [
      ['2026-08-11', true],
      ['2026-08-15', false], // Saturday
      ['2026-08-16', false], // Sunday
      ['2026-10-01', false], // National Day
      ['2026-10-08', true],
      ['2026-10-10', false], // a Saturday on which offices work
      ['2026-02-23', false], // the last day of the Spring Festival
      ['2026-02-24', true],
      ['2024-02-09', false], // the eve, closed by the exchanges alone
      ['2020-01-31', false], // prolonged in the epidemic
      ['2020-02-03', true],
      ['2017-01-26', true],
      ['2017-01-27', false],
      ['not a day', false],
    ]
    for (const [day, expected] of rows) t.equal(isTradingDay(day), expected, day)
    t.equal(sessionAt(at('2026-10-01', '10:00:00')), 'closed')
    t.equal(sessionAt(at('2026-08-15', '10:00:00')), 'closed')
  },
)

t.test('an unknown year counts its weekdays as trading days', async (t) => {
  t.ok(isTradingDay('2027-10-01'))
  t.notOk(isTradingDay('2027-10-02'))
})

t.test('F902 days that are given of a year without a table are closed', async (t) => {
  t.teardown(() => closeAlso([]))
  closeAlso(['2027-01-01', '2027-02-08'])
  t.notOk(isTradingDay('2027-01-01'))
  t.ok(isTradingDay('2027-01-04'))
  t.equal(sessionAt(at('2027-02-08', '10:00:00')), 'closed')
  t.ok(isDayAfter(at('2027-01-04', '09:30:00'), at('2026-12-31', '15:00:00')), 'its close is known')
  t.equal(calendarNotice(at('2026-12-31', '10:00:00')), undefined)
  t.strictSame(calendarNotice(at('2027-12-31', '10:00:00')), { year: 2028, days: 1 })
  t.notOk(isTradingDay('2026-10-01'), 'beside the table')
  closeAlso([])
  t.equal(sessionAt(at('2027-02-08', '10:00:00')), 'open')
})

t.test('F277 the end of the known holidays is told weeks before', async (t) => {
  const rows: readonly (readonly [string, { year: number; days: number } | undefined])[] = [
    ['2016-12-31', { year: 2016, days: 0 }],
    ['2017-01-01', undefined],
    ['2026-11-16', undefined],
    ['2026-11-17', { year: 2027, days: 45 }],
    ['2026-12-31', { year: 2027, days: 1 }],
    ['2027-01-01', { year: 2027, days: 0 }],
    ['2027-06-01', { year: 2027, days: 0 }],
  ]
  for (const [day, expected] of rows) {
    t.strictSame(calendarNotice(at(day, '10:00:00')), expected, day)
  }
})

t.test('every holiday in the table is a date of its year and a weekday, in order', async (t) => {
  for (const [year, text] of Object.entries(EXCHANGE_HOLIDAYS)) {
    const days = text.split(' ').map((day) => `${year}-${day}`)
    t.same(days, [...new Set(days)].sort(), year)
    for (const day of days) {
      const startMs = exchangeDayStartMs(day)
      t.equal(new Date(startMs + 8 * 3_600_000).toISOString().slice(0, 10), day)
      t.match(exchangeWeekday(startMs), /^[1-5]$/, day)
    }
    t.ok(days.length >= 15 && days.length <= 22, `${year} has ${days.length}`)
  }
})

t.test('a running session knows when it began', async (t) => {
  const at = (time: string) => Date.parse(`2026-08-11T${time}+08:00`)
  const rows = [
    ['09:29:59', undefined],
    ['09:30:00', '09:30:00'],
    ['11:30:00', '09:30:00'],
    ['11:30:01', undefined],
    ['13:00:00', '13:00:00'],
    ['15:00:00', '13:00:00'],
    ['15:00:01', undefined],
  ] as const
  for (const [now, begin] of rows) {
    t.equal(openSinceMs(at(now)), begin === undefined ? undefined : at(begin), now)
  }
  t.equal(openSinceMs(Date.parse('2026-08-15T10:00:00+08:00')), undefined, 'a Saturday')
})

t.test(
  'the next open is that of the next session, over nights, weekends and holidays',
  async (t) => {
    const rows: readonly (readonly [string, string])[] = [
      ['2026-08-11T00:00:00', '2026-08-11T09:30:00'],
      ['2026-08-11T09:29:59', '2026-08-11T09:30:00'],
      ['2026-08-11T11:45:00', '2026-08-11T13:00:00'],
      ['2026-08-11T15:00:01', '2026-08-12T09:30:00'],
      ['2026-08-14T15:00:01', '2026-08-17T09:30:00'],
      ['2026-09-30T16:00:00', '2026-10-08T09:30:00'],
    ]
    const ms = (text: string) => Date.parse(`${text}+08:00`)
    for (const [now, open] of rows) t.equal(nextOpenMs(ms(now)), ms(open), now)
  },
)

t.test('what a terminal tells is of the day before until its service hours', async (t) => {
  const rows: readonly (readonly [string, string])[] = [
    ['2026-08-11T00:00:00', '2026-08-10'],
    ['2026-08-11T08:29:59', '2026-08-10'],
    ['2026-08-11T08:30:00', '2026-08-11'],
    ['2026-08-11T23:59:59', '2026-08-11'],
    ['2026-08-15T09:00:00', '2026-08-14'],
    ['2026-08-17T08:00:00', '2026-08-14'],
    ['2026-10-08T08:00:00', '2026-09-30'],
    ['2027-01-01T08:00:00', '2026-12-31'],
  ]
  for (const [now, day] of rows) {
    t.equal(exchangeDay(serviceDayMs(Date.parse(`${now}+08:00`))), day, now)
  }
})

t.test('days that are kept are trading days, counted from the begin of today', async (t) => {
  const rows: readonly (readonly [string, number, string])[] = [
    ['2026-08-11T16:00:00', 0, '2026-08-11'],
    ['2026-08-11T08:00:00', 1, '2026-08-10'],
    ['2026-08-10T08:00:00', 1, '2026-08-07'],
    ['2026-08-15T10:00:00', 1, '2026-08-14'],
    ['2026-10-08T10:00:00', 2, '2026-09-29'],
  ]
  for (const [now, days, from] of rows) {
    const ms = Date.parse(`${now}+08:00`)
    t.equal(tradingDaysBeforeMs(ms, days), exchangeDayStartMs(from), `${now} ${days}`)
  }
})

t.test('the last close is the newest one that is over', async (t) => {
  for (const [now, close] of [
    ['2026-09-14 15:00:00', '2026-09-14'],
    ['2026-09-14 14:59:59', '2026-09-11'],
    ['2026-09-13 20:00:00', '2026-09-11'],
    ['2026-09-15 08:50:00', '2026-09-14'],
  ] as const) {
    const ms = Date.parse(`${now.replace(' ', 'T')}+08:00`)
    t.equal(lastCloseMs(ms), Date.parse(`${close}T15:00:00+08:00`), now)
  }
})

t.test('what was traded between two moments is without nights, breaks and closed days', (t) => {
  const minutes = [
    ['2026-08-11 10:00', '2026-08-11 10:30', 30],
    ['2026-08-11 11:20', '2026-08-11 13:10', 20],
    ['2026-08-11 14:50', '2026-08-12 09:40', 20],
    ['2026-08-14 18:00', '2026-08-17 09:30', 0],
    ['2026-09-30 14:00', '2026-10-08 10:00', 90],
    ['2026-08-11 00:00', '2026-08-13 00:00', 480],
    ['2026-08-12 10:00', '2026-08-11 10:00', 0],
  ] as const
  for (const [from, to, expected] of minutes) {
    const [fromMs, toMs] = [from, to].map((text) =>
      Date.parse(`${text.replace(' ', 'T')}:00+08:00`),
    )
    t.equal(tradedMs(fromMs ?? 0, toMs ?? 0) / 60_000, expected, `${from} to ${to}`)
  }
  t.end()
})
