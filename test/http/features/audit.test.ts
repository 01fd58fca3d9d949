import t, { type Test } from 'tap'
import { ServiceError } from '../../../src/domain/errors.ts'
import { call } from '../fixtures/client.ts'
import { FakeLink, NOW_TEXT } from '../fixtures/fake-service.ts'
import { directFront, gatewayFront } from '../fixtures/fronts.ts'

const PAGE = {
  entries: [{ seq: 3, kind: 'connected', summary: '交易客户端已连接 (connected)' }],
  total: 3,
  pagination: { limit: 50, next_before: null, next_after: null, has_more: false },
}

async function both(t: Test) {
  const link = new FakeLink('10000001', 0)
  link.answers.audit = { bytes: Buffer.from(JSON.stringify(PAGE)), looked: 1 }
  const direct = await directFront(t, link)
  const gateway = await gatewayFront(t, [link])
  const ports = [
    [direct.front.port, '/api/audit'],
    [gateway.front.port, '/api/v1/accounts/10000001/audit'],
  ] as const
  return { link, ports }
}

t.test('a page comes in the envelope of each backend', async (t) => {
  const { ports } = await both(t)
  const [direct, gateway] = await Promise.all(ports.map(([port, path]) => call(port, path)))
  t.match(direct, { status: 200, headers: { 'content-type': /application\/json/ } })
  t.strictSame(direct?.body, { status: 'success', ...PAGE, data: PAGE, timestamp: NOW_TEXT })
  t.equal(gateway?.status, 200)
  t.strictSame(gateway?.body, { success: true, data: PAGE, error: null })
})

t.test('the account is asked for what the address says', async (t) => {
  const { link, ports } = await both(t)
  const table: [string, object][] = [
    ['', { limit: 50, kinds: [] }],
    ['?limit=500&before=7', { limit: 500, before: 7, kinds: [] }],
    ['?limit=1&after=0', { limit: 1, after: 0, kinds: [] }],
    ['?kind=dealBooked', { limit: 50, kinds: ['dealBooked'] }],
    [
      '?kind=dealBooked,%20orderMoved,dealBooked,',
      { limit: 50, kinds: ['dealBooked', 'orderMoved'] },
    ],
    ['?kind=', { limit: 50, kinds: [] }],
    ['?quiet=true', { limit: 50, kinds: [], quiet: true }],
    ['?quiet=false', { limit: 50, kinds: [] }],
    ['?unknown=1', { limit: 50, kinds: [] }],
  ]
  for (const [query, asked] of table) {
    for (const [port, path] of ports) {
      t.equal((await call(port, path + query)).status, 200)
      t.strictSame(link.lastAsked, { kind: 'audit', ...asked }, path + query)
    }
  }
})

t.test('a wrong parameter is 400 and named', async (t) => {
  const { link, ports } = await both(t)
  const table: [string, string][] = [
    ['?quiet=1', 'quiet'],
    ['?limit=0', 'limit'],
    ['?limit=501', 'limit'],
    ['?limit=ten', 'limit'],
    ['?limit=', 'limit'],
    ['?limit=1.5', 'limit'],
    ['?limit=-1', 'limit'],
    ['?before=0', 'before'],
    ['?before=1e3', 'before'],
    ['?before=9999999999999999', 'before'],
    ['?after=-1', 'after'],
    ['?after=99999999999999999999', 'after'],
    ['?after=1&before=9', 'after'],
  ]
  for (const [query, field] of table) {
    for (const [port, path] of ports) {
      const answer = await call(port, path + query)
      t.match(answer, { status: 400, body: { code: 'VALIDATION', success: false } }, query)
      t.strictSame(Object.keys(answer.body.details), [field], query)
    }
  }
  t.strictSame(link.asked, [], 'the account has not been asked')
  link.before = () => {
    throw new ServiceError('VALIDATION', 'kind: no such event', { kind: ['kind: no such event'] })
  }
  for (const [port, path] of ports) {
    const refused = { status: 400, body: { details: { kind: ['kind: no such event'] } } }
    t.match(await call(port, `${path}?kind=nothing`), refused)
  }
})

t.test('the journal is read and nothing else, of accounts that exist', async (t) => {
  const { ports } = await both(t)
  const [, [port = 0] = []] = ports
  t.equal((await call(port, '/api/v1/accounts/404/audit')).status, 404)
  for (const [at, path] of ports) {
    t.match(await call(at, path, { method: 'DELETE' }), { status: 405 })
  }
})

t.test('without the token nobody reads it', async (t) => {
  const link = new FakeLink('10000001', 0)
  const direct = await directFront(t, link, { token: 'secret' })
  const gateway = await gatewayFront(t, [link], { token: 'secret' })
  t.equal((await call(direct.front.port, '/api/audit')).status, 401)
  t.equal((await call(gateway.front.port, '/api/v1/accounts/10000001/audit')).status, 401)
  t.strictSame(link.asked, [])
})
