import t, { type Test } from 'tap'
import { call } from '../fixtures/client.ts'
import { FakeLink } from '../fixtures/fake-service.ts'
import { directFront, gatewayFront } from '../fixtures/fronts.ts'

const SALE = {
  time: '2026-08-11 10:00:00',
  stock_code: '000001',
  stock_name: '=HYPERLINK("x")',
  volume: 100,
  price: 10,
  amount: 1_000,
  fee: 5,
  cost: null,
  realized: null,
  cost_from: null,
  strategy_label: '网格',
  order_id: '1001',
  trade_id: 'd,1',
}
const STATEMENT = {
  is_simulated: false,
  sales: [SALE],
  total: { amount: 1_000, fees: 5, realized: null },
}

async function both(t: Test, fields: object = { since: null }) {
  const link = new FakeLink('10000001', 0)
  link.answers.earningsAsk = { fields, looked: 1 }
  const direct = await directFront(t, link)
  const gateway = await gatewayFront(t, [link])
  const ports = [
    [direct.front.port, '/api'],
    [gateway.front.port, '/api/v1/accounts/10000001'],
  ] as const
  return { link, ports }
}

t.test('the account is asked for what the address says', async (t) => {
  const { link, ports } = await both(t)
  const month = { from: '2026-08-01', to: '2026-08-11' }
  const long = { from: '2016-08-04', to: '2026-08-11' }
  const page = { limit: 100, before: '' }
  const table: [string, object][] = [
    ['/earnings', { about: 'summary', span: month }],
    [
      '/earnings?from=2026-07-01&to=2026-07-31',
      { about: 'summary', span: { from: '2026-07-01', to: '2026-07-31' } },
    ],
    [
      '/earnings?to=2026-07-31',
      { about: 'summary', span: { from: '2026-07-01', to: '2026-07-31' } },
    ],
    ['/earnings/sales', { about: 'sales', span: long, page }],
    [
      '/earnings/sales?limit=7&before=2026-08-11/000000012',
      { about: 'sales', span: long, page: { limit: 7, before: '2026-08-11/000000012' } },
    ],
    ['/earnings/closed?from=2026-08-01', { about: 'closed', span: month, page }],
    ['/equity?resolution=minute', { about: 'equity', span: null }],
    ['/equity?resolution=day&from=2026-08-01', { about: 'equity', span: month }],
    ['/equity', { about: 'equity', span: long }],
    ['/statements/2026-08', { about: 'statement', month: '2026-08' }],
  ]
  for (const [path, question] of table) {
    for (const [port, prefix] of ports) {
      t.equal((await call(port, prefix + path)).status, 200, path)
      t.strictSame(link.lastAsked, { kind: 'earningsAsk', question }, path)
    }
  }
})

t.test('a wrong parameter is 400, named, with what helps', async (t) => {
  const { link, ports } = await both(t)
  const table: [string, string, RegExp][] = [
    ['/earnings?from=yesterday', 'from', /2026-08-11/],
    ['/earnings?from=2026-02-30', 'from', /2026-08-11/],
    ['/earnings?from=2026-08-12', 'from', /after to/],
    ['/earnings?from=2000-01-01', 'from', /3660 days/],
    ['/earnings/sales?limit=0', 'limit', /1 to 500/],
    ['/earnings/sales?limit=501', 'limit', /1 to 500/],
    ['/earnings/closed?before=12', 'before', /next_before/],
    ['/equity?resolution=hour', 'resolution', /./],
    ['/equity?resolution=minute&to=2026-08-10', 'to', /leave it out/],
    ['/statements/2026-13', 'month', /2026-08/],
    ['/statements/2026-08?format=pdf', 'format', /./],
  ]
  for (const [path, field, text] of table) {
    for (const [port, prefix] of ports) {
      const refused = await call(port, prefix + path)
      t.match(refused, { status: 400, body: { code: 'VALIDATION' } }, path)
      const { details } = refused.body as { details: Record<string, string[]> }
      t.match(details[field]?.join(), text, path)
    }
  }
  t.equal(link.lastAsked, undefined, 'the account has heard of none')
})

t.test(
  'the statement as CSV is for a spreadsheet: a mark, text stays text, unknown is --',
  async (t) => {
    const { ports } = await both(t, STATEMENT)
    for (const [port, prefix] of ports) {
      const answer = await call(port, `${prefix}/statements/2026-08?format=csv`)
      t.match(answer.headers, {
        'content-type': /^text\/csv; charset=utf-8/,
        'content-disposition': /statement-2026-08\.csv/,
      })
      const lines = String(answer.text).split('\r\n')
      t.equal(lines[0]?.codePointAt(0), 0xfeff)
      t.match(lines[0], /时间,代码,名称/)
      t.equal(
        lines[1],
        `2026-08-11 10:00:00,"=""000001""","'=HYPERLINK(""x"")",100,10,1000,5,--,--,--,网格,"=""1001""","d,1"`,
      )
      t.equal(lines[2], '合计,,,,,1000,5,,--,,,,')
    }
  },
)
