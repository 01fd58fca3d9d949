import t from 'tap'
import { calendarFrom, isSameCalendar } from '../../src/cluster/protocol/calendar.ts'
import { parseNodeRecord } from '../../src/cluster/protocol/records.ts'
import { calendarDigest } from '../../src/market/closed-days.ts'
import { nodeOf } from '../cluster/protocol/fixtures/values.ts'

const FROM = 2030
/** Whether two nodes that were started in one year, with these days in their files, live by one calendar. */
const isSame = (one: readonly string[], other: readonly string[], fromYear = FROM) =>
  isSameCalendar(calendarDigest(one, FROM), calendarDigest(other, FROM), fromYear)

t.test('F962 closed days of years long past make no node another', async (t) => {
  const days = ['2031-02-03', '2031-02-04']
  t.ok(isSame(['2016-02-08', ...days], days), 'of years before, as of a recording')
  t.ok(isSame(['2030-02-04', ...days], days, 2031), 'which have passed since the start')
  t.notOk(isSame(['2030-02-04', ...days], days), 'of the year before, by which days are counted')
  t.notOk(isSame(days.slice(1), days))
  t.notOk(isSame([], days), 'a year of which one knows nothing')
  t.ok(isSame([...days, '2031-02-08', '2031-02-03'].reverse(), days), 'told otherwise')
  t.notOk(isSame(['2099-02-03'], []), 'mistyped')
})

t.test(
  'F962 nodes that were started in different years compare the years that both tell',
  async (t) => {
    const days = ['2030-02-04', '2031-02-03', '2032-02-10']
    const [early, late] = [calendarDigest(days, 2030), calendarDigest(days, 2031)]
    t.not(early, late)
    t.ok(isSameCalendar(early, late, calendarFrom(Date.UTC(2032, 0, 5))))
  },
)

t.test('F983 a node that knows no closed day of these years is heard all the same', async (t) => {
  const years = calendarDigest([], 2_400)
  t.equal(years, '', 'as two years after the last year of its table')
  t.ok(parseNodeRecord(nodeOf({ years })).ok)
  t.notOk(isSameCalendar(years, calendarDigest(['2400-02-03'], 2_400), 2_400))
})

t.test('what a node tells of its calendar stays short', async (t) => {
  const days = Array.from({ length: 60 }, (_, i) => `${2030 + i}-06-14`)
  const told = calendarDigest(days, FROM)
  t.ok(told.length < 256, told)
  t.not(told, calendarDigest(days.slice(0, -1), FROM))
})
