import t from 'tap'
import { closedDaysWarnings } from '../../../src/service/calendar/closed-days-look.ts'

const NOW_MS = Date.parse('2026-11-30T10:00:00+08:00')
const LIVE = { source: 'xt' } as never
const NOTICE = '01-01 02-04 02-05 02-08 02-09 02-10 02-11 02-12 04-05 05-03'
const ALL = NOTICE.split(' ').map((day) => `2027-${day}`)

t.test('F904 a slip in the days that are given as closed is told', async (t) => {
  const told = (closedDays: string[], market = LIVE) =>
    closedDaysWarnings({ closed_days: closedDays, market }, NOW_MS)
  t.match(told(['2026-12-08']), [/: 2026-12-08 .*trading days by the calendar/])
  t.strictSame(told(['2026-12-05', '2026-10-01', '2026-11-27']), [], 'closed as it is, or over')
  t.match(told(['2027-01-01', '2027-01-02']), [/few days of 2027/])
  t.match(told(['2027-01-02']), [/few days of 2027/], 'nor is a weekend the notice')
  t.strictSame(told([]), [])
  t.strictSame(told(ALL), [])
  t.strictSame(told(['2026-12-08'], { source: 'simulated' } as never), [], 'always open')
})
