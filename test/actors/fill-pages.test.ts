import fc from 'fast-check'
import t from 'tap'
import type { z } from 'zod'
import { FillPages, type FillPagesLimits } from '../../actors/account/fill-pages.ts'
import { fillsFields } from '../../http/answers/fills.ts'
import { DAY_MS, exchangeDayStartMs } from '../../src/domain/exchange-time.ts'
import type { StockCode } from '../../src/domain/instrument.ts'
import type { Money, Price, Quantity } from '../../src/domain/money.ts'
import type { TradeRecord } from '../../src/domain/trade-record.ts'
import { encode } from '../../src/protocol/codec.ts'
import type { FillsQuestion } from '../../src/protocol/fills.ts'
import { type RangeQuery, TABLE } from '../../src/protocol/store.ts'
import { PlainStore } from '../simulation/fixtures/plain-store.ts'

type Page = z.output<typeof fillsFields>

const LIMITS: FillPagesLimits = {
  fillsPage: 3,
  fillsScanMax: 1_000,
  fillsReadsMax: 2,
  readsWaitingMax: 0,
  fillsKept: 2,
}
const MONDAY = exchangeDayStartMs('2026-08-10')
const ALL: FillsQuestion = {
  from: null,
  to: null,
  side: null,
  strategy: null,
  word: '',
  limit: 4,
  before: null,
}
const dayMs = (day: number): number => MONDAY + day * DAY_MS + 36_000_000

const record = (id: number, more: Partial<TradeRecord> = {}): TradeRecord => ({
  id,
  code: '600036.SH' as StockCode,
  name: '招商银行',
  timeMs: dayMs(0),
  side: 'buy',
  price: 100_000 as Price,
  quantity: 100 as Quantity,
  amount: 10_000_000 as Money,
  fee: 50_000 as Money,
  dealId: `d${id}`,
  orderId: `${1_000 + id}`,
  strategy: 'grid',
  ...more,
})

function pagesOf(records: readonly TradeRecord[], limits = LIMITS) {
  const notes = new Map<number, string>()
  const disk = new PlainStore()
  const looks: RangeQuery[] = []
  const put = (one: TradeRecord) =>
    disk.commit({
      entries: [],
      changes: [{ table: TABLE.records, key: one.id, value: encode(one) }],
    })
  for (const one of records) put(one)
  const store = {
    range: async (query: RangeQuery) => {
      looks.push(query)
      return disk.range(query)
    },
  }
  const pages = new FillPages(store, limits)
  const ask = async (question: Partial<FillsQuestion> = {}, version = 1) => {
    const { fields, looked } = await pages.read({ version, notes }, { ...ALL, ...question })
    return { page: fillsFields.parse(fields), looked }
  }
  return { pages, ask, looks, put, notes }
}
const idsOf = ({ fills }: Page): readonly number[] => fills.map(({ id }) => id)

t.test('pages come newest first, and each says where the next one begins', async (t) => {
  const { ask } = pagesOf(Array.from({ length: 9 }, (_, index) => record(index + 1)))
  const first = (await ask()).page
  t.strictSame(idsOf(first), [9, 8, 7, 6])
  t.strictSame(first.pagination, { limit: 4, next_before: 6, has_more: true })
  const second = (await ask({ before: 6 })).page
  t.strictSame(idsOf(second), [5, 4, 3, 2])
  const last = (await ask({ before: 2 })).page
  t.strictSame(idsOf(last), [1])
  t.strictSame(last.pagination, { limit: 4, next_before: null, has_more: false })
  t.match([second, last], [{ sums: null, sums_reason: 'later_page' }, { sums: null }])
})

t.test('the sums are of everything that matches, not of the page', async (t) => {
  const { ask } = pagesOf([
    record(1, { amount: 33 as Money, fee: 0 as Money }),
    record(2, { side: 'sell', amount: 20_000_001 as Money }),
    record(3),
    record(4, { orderId: 'SIM202608100930010001' }),
    record(5, { side: 'sell', orderId: 'GRID_SIM_SELL_1' }),
  ])
  const { page } = await ask({ limit: 1 })
  t.strictSame(idsOf(page), [5])
  t.strictSame(page.sums?.real, {
    count: 3,
    buy: 1_000.0033,
    sell: 2_000.0001,
    net: 999.9968,
    fees: 10,
    without_fee: 1,
  })
  t.match(page.sums?.simulated, { count: 2, buy: 1_000, sell: 1_000, net: 0 })
  t.equal(page.fills[0]?.is_simulated, true)
})

t.test('F487 a fill lacks no fee where another one of its order has paid it', async (t) => {
  const none = { fee: 0 as Money }
  const { ask } = pagesOf([
    record(1, { orderId: '7' }),
    record(2, { orderId: '7', ...none }),
    record(3, { orderId: '8', ...none }),
    record(4, { orderId: '7', timeMs: dayMs(1), ...none }),
  ])
  t.match((await ask()).page.sums?.real, { count: 4, fees: 5, without_fee: 2 })
})

t.test('filters: days, both included; side, strategy, a word in code or name', async (t) => {
  const { ask } = pagesOf([
    record(1, { timeMs: MONDAY }),
    record(2, { timeMs: MONDAY + DAY_MS - 1, side: 'sell' }),
    record(3, { timeMs: MONDAY + DAY_MS, strategy: 'manual' }),
    record(4, { timeMs: dayMs(2), code: '000001.SZ' as StockCode, name: 'ABC银行' }),
  ])
  const table: [Partial<FillsQuestion>, readonly number[]][] = [
    [{}, [4, 3, 2, 1]],
    [{ from: '2026-08-10', to: '2026-08-10' }, [2, 1]],
    [{ from: '2026-08-11' }, [4, 3]],
    [{ to: '2026-08-11' }, [3, 2, 1]],
    [{ side: 'sell' }, [2]],
    [{ strategy: 'manual' }, [3]],
    [{ word: 'abc' }, [4]],
    [{ word: '0001' }, [4]],
    [{ word: '600036.sh', side: 'buy' }, [3, 1]],
    [{ word: '平安' }, []],
  ]
  for (const [question, ids] of table) {
    const { page } = await ask(question)
    t.strictSame(idsOf(page), ids, JSON.stringify(question))
    const { real } = page.sums ?? {}
    t.equal(real?.count, ids.length)
  }
  const strategies = (await ask({ strategy: 'grid', from: '2026-08-11' })).page.strategies
  t.strictSame(
    strategies.map(({ strategy }) => strategy),
    ['grid', 'manual'],
    'those of the days, so that another one can be chosen',
  )
})

t.test('a deal that was told late is in the page and the sums of its day', async (t) => {
  const { ask } = pagesOf([
    record(1),
    record(2, { timeMs: dayMs(1) }),
    record(3, { timeMs: dayMs(1) }),
    record(4, { timeMs: dayMs(1) }),
    record(5, { timeMs: dayMs(0) }),
    record(6, { timeMs: dayMs(1) }),
  ])
  const { page } = await ask({ from: '2026-08-11', to: '2026-08-11' })
  t.strictSame(idsOf(page), [6, 4, 3, 2])
  t.equal(page.sums?.real.count, 4)
})

t.test('what is long before the days is not looked at', async (t) => {
  const old = Array.from({ length: 50 }, (_, index) => record(index + 1))
  const { ask } = pagesOf([...old, record(51, { timeMs: dayMs(3) })])
  const { page, looked } = await ask({ from: '2026-08-13' })
  t.strictSame(idsOf(page), [51])
  t.equal(page.sums?.real.count, 1)
  t.ok(looked <= 2 * LIMITS.fillsPage, `${looked}`)
})

t.test(
  'where too many would have to be looked at, sums are not known and the page goes on',
  async (t) => {
    const records = Array.from({ length: 30 }, (_, index) =>
      record(index + 1, index === 0 ? { side: 'sell' } : {}),
    )
    const { ask } = pagesOf(records, { ...LIMITS, fillsScanMax: 20 })
    const { page, looked } = await ask({ side: 'sell' })
    t.equal(looked, 20)
    t.match(page, {
      fills: [],
      sums: null,
      sums_reason: 'too_many',
      pagination: { next_before: 11, has_more: true },
    })
    const next = (await ask({ side: 'sell', before: 11 })).page
    t.strictSame(idsOf(next), [1])
    t.equal(next.pagination.has_more, false)
  },
)

t.test('the same question costs nothing until there is a new record', async (t) => {
  const { ask, looks, put } = pagesOf([record(1)])
  t.equal((await ask()).looked, 1)
  t.equal((await ask()).looked, 0)
  t.equal(looks.length, 1)
  put(record(2))
  const { page, looked } = await ask({}, 2)
  t.equal(looked, 2)
  t.strictSame(idsOf(page), [2, 1])
  await ask({ side: 'buy' }, 2)
  await ask({ side: 'sell' }, 2)
  t.equal((await ask({}, 2)).looked, 2, 'only so many answers are kept')
})

t.test('F774 a record is found however its name, or the word, is spaced and wide', async (t) => {
  const { ask, notes } = pagesOf([
    record(1, { code: '000858.SZ' as StockCode, name: '五 粮 液' }),
    record(2, { code: '000002.SZ' as StockCode, name: '万  科Ａ' }),
    record(3, { code: '600242.SH' as StockCode, name: '*ST中昌' }),
    record(4, { name: 'ST招行' }),
  ])
  notes.set(4, 'Ｂ 计划')
  const table: [word: string, ids: number[]][] = [
    ['五粮液', [1]],
    ['五 粮', [1]],
    ['万科a', [2]],
    ['科Ａ', [2]],
    ['０００８５８', [1]],
    ['000858.SZ', [1]],
    ['sz000858', [1]],
    ['*st', [3]],
    ['st', [4, 3]],
    ['Ｂ 计', [4]],
    ['858.SZ五粮', []],
  ]
  for (const [word, ids] of table) t.strictSame(idsOf((await ask({ word })).page), ids, word)
})

t.test('a note stands beside its record and is found by a word of it', async (t) => {
  const { ask, notes } = pagesOf([1, 2, 3].map((id) => record(id)))
  const notesIn = ({ fills }: Page) => fills.map(({ note }) => note)
  t.strictSame(notesIn((await ask()).page), [null, null, null])
  notes.set(2, '按计划减仓\nAs PLANNED')
  t.strictSame(notesIn((await ask({}, 1)).page), [null, null, null], 'kept until told')
  t.strictSame(notesIn((await ask({}, 2)).page), [null, '按计划减仓\nAs PLANNED', null])
  const found = (await ask({ word: 'as planned' }, 2)).page
  t.match([idsOf(found), found.sums], [[2], { real: { count: 1 } }])
  t.strictSame(idsOf((await ask({ word: '加仓' }, 2)).page), [])
  t.strictSame(idsOf((await ask({ word: '银行 按' }, 2)).page), [], 'no word of two texts')
})

t.test('so many are read at once, one more is refused', async (t) => {
  const { pages } = pagesOf([record(1)])
  const reads = [1, 2, 3].map((limit) =>
    pages.read({ version: 1, notes: new Map() }, { ...ALL, limit }),
  )
  const [first, second, third] = await Promise.allSettled(reads)
  t.match([first, second], [{ status: 'fulfilled' }, { status: 'fulfilled' }])
  t.match(third, { status: 'rejected', reason: { code: 'OVERLOADED' } })
})

t.test('going on page by page finds all that match once, and the sums are theirs', async (t) => {
  const side = fc.constantFrom('buy' as const, 'sell' as const)
  const day = fc.integer({ min: 0, max: 3 })
  const row = fc.record({ side, day, amount: fc.integer({ min: 1, max: 1e9 }) })
  await fc.assert(
    fc.asyncProperty(
      fc.array(row, { maxLength: 25 }),
      fc.integer({ min: 1, max: 7 }),
      fc.integer({ min: 1, max: 9 }),
      async (rows, limit, fillsPage) => {
        const days = rows.map(({ day }) => day).sort()
        const records = rows.map(({ side, amount }, index) =>
          record(index + 1, { side, amount: amount as Money, timeMs: dayMs(days[index] ?? 0) }),
        )
        const { ask } = pagesOf(records, { ...LIMITS, fillsPage })
        const question = { side: 'buy', from: '2026-08-11', to: '2026-08-12', limit } as const
        const wanted = records.filter(
          ({ side, timeMs }) => side === 'buy' && timeMs >= dayMs(1) && timeMs <= dayMs(2),
        )
        const first = (await ask(question)).page
        const found = [...idsOf(first)]
        for (let next = first.pagination.next_before; next !== null; ) {
          const { page } = await ask({ ...question, before: next })
          found.push(...idsOf(page))
          next = page.pagination.next_before
        }
        const ids = wanted.map(({ id }) => id).reverse()
        const bought = wanted.reduce((sum, { amount }) => sum + amount, 0)
        t.strictSame(found, ids)
        t.equal(Math.round((first.sums?.real.buy ?? -1) * 10_000), bought)
      },
    ),
  )
})
