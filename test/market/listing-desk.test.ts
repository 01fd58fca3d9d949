import t from 'tap'
import { ListingDesk } from '../../actors/market/listing-desk.ts'
import { DAY_MS } from '../../src/domain/exchange-time.ts'
import type { Price } from '../../src/domain/money.ts'
import type { SavedListing } from '../../src/market/saved.ts'
import type { Instrument } from '../../src/ports/market-source.port.ts'

const MORNING_MS = Date.parse('2026-08-11T09:30:00+08:00')
const LIMITS = {
  listingCodesMax: 5,
  instrumentsRowsMax: 2,
  instrumentsRetryMs: 1_000,
  instrumentsTriesMax: 3,
}
const NAMES: Readonly<Record<string, string>> = {
  '600036.SH': '招商银行',
  '000001.SZ': '平安银行',
  '510300.SH': '沪深300ETF',
}
const NONE = 0 as Price
const told = (code: string): Instrument => ({
  code,
  name: NAMES[code] ?? '',
  lastClose: NONE,
  lowerLimit: NONE,
  upperLimit: NONE,
  tickSize: NONE,
  lotMin: 0,
})

/** A desk with its clocks, its disk, and a terminal that says what it is given. */
function bench(codes: () => readonly string[], before?: SavedListing) {
  const at = { dayMs: MORNING_MS, monotonicMs: 0 }
  const asked: (readonly string[])[] = []
  const said: string[] = []
  const disk = { saved: before }
  const note = (_fields: object, text: string) => void said.push(text)
  let fault: Error | undefined
  const desk = new ListingDesk({
    source: 'xt',
    listed: async () => {
      asked.push(['listed'])
      if (fault !== undefined) throw fault
      return codes()
    },
    details: async (wanted) => {
      asked.push(wanted)
      if (fault !== undefined) throw fault
      return wanted.map(told)
    },
    saved: {
      load: async () => disk.saved,
      save: async (value) => void Object.assign(disk, { saved: value }),
    },
    dayMs: () => at.dayMs,
    monotonicMs: () => at.monotonicMs,
    limits: LIMITS,
    log: { info: note, warn: note, error: note },
  })
  const look = async (times: number) => {
    for (let n = 0; n < times; n++) await desk.look()
  }
  const failing = (error: Error | undefined) => {
    fault = error
  }
  return { desk, at, asked, said, disk, look, failing }
}

t.test('the list is asked for once a day, a few codes at a time, and kept', async (t) => {
  const b = bench(() => Object.keys(NAMES))
  t.same(b.desk.answer(''), { version: '', day: null }, 'nothing is known yet')
  await b.look(2)
  t.same(b.desk.answer(''), { version: '', day: null }, 'half a list is none')
  await b.look(5)
  t.same(b.asked, [['listed'], ['600036.SH', '000001.SZ'], ['510300.SH']])
  const version = 'xt 2026-08-11 3'
  const stocks = Object.entries(NAMES)
  t.same(b.desk.answer(''), { version, day: '2026-08-11', stocks })
  t.same(b.desk.answer(version), { version, day: '2026-08-11' }, 'not told twice')
  t.same(b.disk.saved, { source: 'xt', day: '2026-08-11', stocks })

  b.at.dayMs += DAY_MS
  await b.look(2)
  t.equal(
    b.desk.answer('').day,
    '2026-08-11',
    'that of yesterday stands until the new one is whole',
  )
  await b.look(1)
  t.equal(b.desk.answer('').day, '2026-08-12')
})

t.test('a list of an earlier process is taken up, that of another market is not', async (t) => {
  const stocks = [['600000.SH', '浦发银行']] as const
  const same = bench(() => [], { source: 'xt', day: '2026-08-11', stocks })
  await same.look(3)
  t.same(same.asked, [], 'it is of today')
  t.same(same.desk.answer('').stocks, stocks)
  const other = bench(() => [], { source: 'bigqmt', day: '2026-08-11', stocks })
  await other.look(1)
  t.equal(other.desk.answer('').version, '')
  t.same(other.asked, [['listed']])
})

t.test('what fails is asked again later, a few times a day, and the old list stays', async (t) => {
  const before = { source: 'xt', day: '2026-08-10', stocks: [['600000.SH', '浦发银行']] } as const
  const b = bench(() => Object.keys(NAMES), before)
  await b.look(2)
  b.failing(new Error('planted'))
  await b.look(3)
  t.equal(b.asked.length, 3, 'not at once')
  b.at.monotonicMs += 1_000
  await b.look(3)
  b.at.monotonicMs += 1_000
  await b.look(1)
  b.at.monotonicMs += 1_000
  await b.look(3)
  t.equal(b.asked.length, 5, 'three failures are enough for one day')
  t.equal(b.said.filter((text) => /for now/.test(text)).length, 1, 'said once')
  t.equal(b.desk.answer('').day, '2026-08-10')
  b.failing(undefined)
  b.at.dayMs += DAY_MS
  await b.look(3)
  t.match(b.desk.answer(''), { day: '2026-08-12', stocks: Object.entries(NAMES) })
})

t.test(
  'F357 a terminal that was away when the day began tells its list when it is back',
  async (t) => {
    const before = { source: 'xt', day: '2026-08-10', stocks: [['600000.SH', '浦发银行']] } as const
    const b = bench(() => Object.keys(NAMES), before)
    b.failing(new Error('away'))
    for (let night = 0; night < 10; night++) {
      await b.look(1)
      b.at.monotonicMs += 1_000
    }
    t.equal(b.asked.length, 3, 'its tries are used up')
    b.failing(undefined)
    b.desk.again()
    await b.look(3)
    t.match(b.desk.answer(''), { day: '2026-08-11', stocks: Object.entries(NAMES) })
    b.desk.again()
    await b.look(3)
    t.equal(b.asked.length, 6, 'and is not asked for one that is known')
  },
)

t.test(
  'F1021 a list that a terminal does not have yet in the morning is asked for until late in the day',
  async (t) => {
    const b = bench(() => Object.keys(NAMES))
    b.failing(new Error('planted'))
    await b.look(1)
    b.at.monotonicMs += 1_000
    await b.look(1)
    b.at.monotonicMs += 1_999
    await b.look(1)
    t.equal(b.asked.length, 2, 'the pause is twice as long each time')
    b.at.monotonicMs += 1
    await b.look(1)
    b.failing(undefined)
    b.desk.again()
    b.at.monotonicMs += 1_000
    await b.look(3)
    t.match(b.desk.answer(''), { day: '2026-08-11' }, 'not so where the source is there again')
  },
)

t.test('a list without codes or without names is no list, and a long one has an end', async (t) => {
  const empty = bench(() => [])
  await empty.look(1)
  t.equal(empty.desk.answer('').version, '')
  const nameless = bench(() => ['600999.SH'])
  await nameless.look(2)
  t.equal(nameless.desk.answer('').version, '')
  t.equal(nameless.disk.saved, undefined)
  const long = bench(() => ['1', '2', '3', '4', '600036.SH', '000001.SZ'])
  await long.look(4)
  t.same(long.desk.answer('').stocks, [['600036.SH', '招商银行']])
})

t.test('a market that knows nothing but ticks is not asked', async (t) => {
  const wrong = (_fields: object, text: string) => void t.fail(text)
  const desk = new ListingDesk({
    source: 'simulated',
    listed: undefined,
    details: undefined,
    saved: { load: () => Promise.reject(new Error('asked')), save: async () => undefined },
    dayMs: () => MORNING_MS,
    monotonicMs: () => 0,
    limits: LIMITS,
    log: { info: wrong, warn: wrong, error: wrong },
  })
  await desk.look()
  t.same(desk.answer('any'), { version: '', day: null })
})
