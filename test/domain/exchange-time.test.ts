import fc from 'fast-check'
import t from 'tap'
import { exchangeDay, exchangeTime, exchangeTimeOfDayMs } from '../../src/domain/exchange-time.ts'

const OFFSET_MS = 8 * 3_600_000
const DAY_MS = 86_400_000

/** The plain way: whatever was asked for before does not matter. */
const plain = (epochMs: number): string =>
  new Date(epochMs + OFFSET_MS).toISOString().slice(0, 19).replace('T', ' ')

t.test(
  'days and times are those of the calendar, in whatever order they are asked for',
  async () => {
    const moment = fc.oneof(
      fc.integer({ min: -1e12, max: 4e12 }),
      fc.integer({ min: -3, max: 3 }).map((days) => days * DAY_MS - OFFSET_MS),
      fc.integer({ min: -2_000, max: 2_000 }).map((ms) => Date.parse('2026-08-11T16:00:00Z') + ms),
    )
    const isCalendar = fc.property(moment, (ms) => {
      const ofDay = exchangeTimeOfDayMs(ms)
      const isRight = exchangeTime(ms) === plain(ms) && exchangeDay(ms) === plain(ms).slice(0, 10)
      return isRight && ofDay >= 0 && ofDay < DAY_MS
    })
    fc.assert(isCalendar, { numRuns: 20_000, seed: 20_261_122 })
  },
)

t.test('what is no moment is no day', async (t) => {
  exchangeDay(0)
  t.throws(() => exchangeDay(Number.NaN), RangeError)
  t.throws(() => exchangeTime(Number.NaN), RangeError)
})
