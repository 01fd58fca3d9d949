import t, { type Test } from 'tap'
import { call } from '../fixtures/client.ts'
import { FakeLink } from '../fixtures/fake-service.ts'
import { directFront, gatewayFront } from '../fixtures/fronts.ts'

const FIELDS = { from: null, to: null, fills: [], sums: null, sums_reason: 'too_many' }

async function both(t: Test) {
  const link = new FakeLink('10000001', 0)
  link.answers.fillsAsk = { fields: FIELDS, looked: 1 }
  const direct = await directFront(t, link)
  const gateway = await gatewayFront(t, [link])
  const ports = [
    [direct.front.port, '/api/fills'],
    [gateway.front.port, '/api/v1/accounts/10000001/fills'],
  ] as const
  return { link, ports }
}

t.test('the account is asked for what the address says', async (t) => {
  const { link, ports } = await both(t)
  const all = {
    from: null,
    to: null,
    side: null,
    strategy: null,
    word: '',
    limit: 100,
    before: null,
  }
  const table: [string, object][] = [
    ['', all],
    ['?from=2026-08-10&to=2026-08-11', { ...all, from: '2026-08-10', to: '2026-08-11' }],
    ['?side=SELL&strategy=grid', { ...all, side: 'sell', strategy: 'grid' }],
    ['?side=BUY&word=%20zsyh%20', { ...all, side: 'buy', word: 'zsyh' }],
    [
      '?word=%E9%93%B6%E8%A1%8C&limit=1000&before=7',
      { ...all, word: '银行', limit: 1_000, before: 7 },
    ],
  ]
  for (const [query, question] of table) {
    for (const [port, path] of ports) {
      const answer = await call(port, path + query)
      t.match(answer, { status: 200, body: { data: FIELDS } }, path + query)
      t.strictSame(link.lastAsked, { kind: 'fillsAsk', question }, query)
    }
  }
})

t.test('a wrong parameter is 400, named, with what helps', async (t) => {
  const { link, ports } = await both(t)
  const table: [string, string, RegExp][] = [
    ['?from=today', 'from', /2026-08-11/],
    ['?to=2026-02-30', 'to', /2026-08-11/],
    ['?from=2026-08-12&to=2026-08-11', 'from', /after to/],
    ['?side=buy', 'side', /./],
    ['?strategy=', 'strategy', /./],
    [`?word=${'x'.repeat(41)}`, 'word', /./],
    ['?limit=0', 'limit', /1 to 1000/],
    ['?limit=1001', 'limit', /1 to 1000/],
    ['?limit=1.5', 'limit', /whole number/],
    ['?before=0', 'before', /from 1/],
    ['?before=-1', 'before', /whole number/],
  ]
  for (const [query, field, text] of table) {
    for (const [port, path] of ports) {
      const refused = await call(port, path + query)
      t.match(refused, { status: 400, body: { code: 'VALIDATION' } }, query)
      const { details } = refused.body as { details: Record<string, string[]> }
      t.match(details[field]?.join(), text, query)
    }
  }
  t.equal(link.lastAsked, undefined, 'the account has heard of none')
})

t.test('who has the answer already is told so without it', async (t) => {
  const { link, ports } = await both(t)
  for (const [port, path] of ports) {
    const first = await call(port, path)
    const tag = String(first.headers['etag'])
    const again = await call(port, path, { headers: { 'If-None-Match': tag } })
    t.match(again, { status: 304, text: '', headers: { etag: tag } })
    link.answers.fillsAsk = { fields: { ...FIELDS, fills: [1] }, looked: 1 }
    const changed = await call(port, path, { headers: { 'If-None-Match': tag } })
    t.match(changed, { status: 200, body: { data: { fills: [1] } } })
    link.answers.fillsAsk = { fields: FIELDS, looked: 1 }
  }
})
