import t from 'tap'
import type { Logger } from '../../../src/observability/logger.ts'
import { CalendarWatch } from '../../../src/service/calendar/calendar-watch.ts'

t.test('F277 once a day it is said that the holidays of the next year are not known', async (t) => {
  const clock = { nowMs: Date.parse('2026-11-16T23:00:00+08:00') }
  const said: object[] = []
  const log = { warn: (fields: object) => void said.push(fields) } as unknown as Logger
  const watch = new CalendarWatch({ log, nowMs: () => clock.nowMs })
  const days: number[] = []
  for (let hour = 0; hour < 72; hour++) {
    watch.look()
    if (said.length > days.length) days.push(hour)
    clock.nowMs += 3_600_000
  }
  t.strictSame(days, [1, 25, 49], 'from 45 days before on')
  t.match(said[0], { year: 2027, days: 45 })
})
