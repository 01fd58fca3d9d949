import t from 'tap'
import {
  allFills,
  EXPORT_MAX,
  type Fill,
  fillsCsv,
  fillsFileName,
  goesOn,
  joined,
  NO_FILTER,
  ofStock,
  pathOf,
} from '../../web/shared/fills.ts'

const fill = (id: number, more: Partial<Fill> = {}): Fill => ({
  id,
  stock_code: '000001',
  stock_name: '平安银行',
  trade_time: '2026-11-20 10:00:00',
  trade_type: 'BUY',
  price: 10,
  volume: 100,
  amount: 1_000,
  trade_id: `d${id}`,
  order_id: String(id),
  commission: 5,
  strategy: 'grid',
  strategy_label: '网格',
  is_simulated: false,
  note: null,
  ...more,
})
const fills = (...ids: number[]) => ids.map((id) => fill(id))
const newest = (ids: readonly number[], next: number | null) => ({
  fills: fills(...ids),
  pagination: { limit: 3, next_before: next, has_more: next !== null },
})
const idsOf = (rows: readonly Fill[]) => rows.map(({ id }) => id)

t.test('the newest page is right wherever older ones say otherwise', async (t) => {
  const table: [ids: number[], next: number | null, older: number[], found: number[]][] = [
    [[9, 8, 7], 7, [6, 5], [9, 8, 7, 6, 5]],
    [[10, 9, 8], 8, [9, 8, 7, 6, 5], [10, 9, 8, 7, 6, 5]], // what a new fill has pushed out is still there
    [[9, 7, 6], 6, [8, 7, 6, 5], [9, 7, 6, 5]], // 8 was removed
    [[9], null, [8, 7], [9]], // all others were removed
    [[], null, [8, 7], []],
  ]
  for (const [ids, next, older, found] of table) {
    t.strictSame(idsOf(joined(newest(ids, next), fills(...older))), found)
  }
})

t.test(
  'older pages are forgotten when there may be fills between them and the newest',
  async (t) => {
    t.ok(goesOn(newest([10, 9, 8], 8), fills(9, 8, 7)))
    t.notOk(goesOn(newest([14, 13, 12], 12), fills(9, 8, 7)))
    t.ok(goesOn(newest([14], null), fills(9, 8, 7)), 'there are no others')
  },
)

t.test('only what is asked for is in the address', async (t) => {
  t.equal(pathOf(NO_FILTER, { limit: 200 }), '/fills?limit=200')
  const filter = { ...NO_FILTER, from: '2026-11-01', side: 'SELL', word: ' 银行 ' } as const
  t.equal(
    pathOf(filter, { limit: 1, before: 7 }),
    '/fills?limit=1&from=2026-11-01&side=SELL&word=%E9%93%B6%E8%A1%8C&before=7',
  )
})

/** Answers as the service does, over so many fills. */
const service = (count: number) => {
  const asked: string[] = []
  const get = async <T>(path: string): Promise<T> => {
    asked.push(path)
    const query = new URL(path, 'http://host').searchParams
    const limit = Number(query.get('limit'))
    const from = Number(query.get('before') ?? count + 1) - 1
    const rows = Array.from({ length: Math.min(limit, from) }, (_, index) => fill(from - index))
    const next = from > limit ? from - limit + 1 : null
    return { data: { fills: rows, pagination: { next_before: next } } } as T
  }
  return { asked, get }
}

t.test('all that match are exported, page by page, each once', async (t) => {
  const { asked, get } = service(2_500)
  const { fills, isWhole } = await allFills({ ...NO_FILTER, side: 'BUY' }, get)
  t.equal(new Set(idsOf(fills)).size, 2_500)
  t.equal(isWhole, true)
  t.equal(asked.length, 3)
  t.ok(asked.every((path) => path.includes('side=BUY')))
})

t.test('an export has a limit, and it is known when it was reached', async (t) => {
  const { fills, isWhole } = await allFills(NO_FILTER, service(EXPORT_MAX + 1).get)
  t.equal(fills.length, EXPORT_MAX)
  t.equal(isWhole, false)
  t.equal((await allFills(NO_FILTER, service(EXPORT_MAX).get)).isWhole, true)
})

t.test('the name of a file says of whom and of which days it is', async (t) => {
  const rows = [fill(2), fill(1, { trade_time: '2026-11-03 10:00:00' })]
  const table: [from: string, to: string, name: string][] = [
    ['2026-11-01', '2026-11-23', 'trades-10000001-2026-11-01_2026-11-23.csv'],
    ['', '', 'trades-10000001-2026-11-03_2026-11-20.csv'],
    ['2026-11-01', '', 'trades-10000001-2026-11-01_2026-11-20.csv'],
    ['', '2026-11-23', 'trades-10000001-2026-11-03_2026-11-23.csv'],
  ]
  for (const [from, to, name] of table) t.equal(fillsFileName('10000001', { from, to }, rows), name)
})

t.test('codes stay text in the file, and nothing in it is a formula', async (t) => {
  const words = { head: ['time'], sideOf: () => '买入', labelOf: () => '网格' }
  const [, line] = fillsCsv([fill(1, { stock_name: '=1+1' })], words).split('\r\n')
  t.equal(line, `2026-11-20 10:00:00,"=""000001""",'=1+1,买入,10,100,1000,5,网格,d1,`)
  const table: [note: string, cell: string][] = [
    ['按计划减仓', '按计划减仓'],
    ['=HYPERLINK("http://x")', `"'=HYPERLINK(""http://x"")"`],
    [' =1+1', "' =1+1"],
    ['＝1+1', "'＝1+1"],
    ['@a, b', `"'@a, b"`],
    ['a\n=1+1', '"a\n=1+1"'],
    ['000001', `"=""000001"""`],
    ['1234567890123456789', `"=""1234567890123456789"""`],
  ]
  for (const [note, cell] of table) {
    t.ok(fillsCsv([fill(1, { note })], words).endsWith(`,d1,${cell}\r\n`), note)
  }
  const [, numbered] = fillsCsv([fill(1, { trade_id: '2026081100000012' })], words).split('\r\n')
  t.match(numbered, /,"=""2026081100000012""",$/, 'a spreadsheet would make 2.02608E+15 of it')
})

t.test('F506 the fills of a bond are not shown as those of another with its digits', async (t) => {
  const codes = ['111010', '111010.SH', '111010.SZ', '600036']
  const rows = codes.map((stock_code, id) => fill(id, { stock_code }))
  t.strictSame(idsOf(ofStock(rows, '111010')), [0, 2])
  t.strictSame(idsOf(ofStock(rows, '111010.SH')), [1])
  t.strictSame(idsOf(ofStock(rows, '600036.SH')), [3])
})
