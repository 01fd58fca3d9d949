import t from 'tap'
import { call } from '../fixtures/client.ts'
import { FakeLink } from '../fixtures/fake-service.ts'
import { directFront, gatewayFront } from '../fixtures/fronts.ts'

const ORDER = { stock_code: '600036', quantity: 100, price: 36.5, price_type: 11 }
const COMMANDS = [
  ['POST', '/api/actions/execute_sell', ORDER],
  ['POST', '/api/orders/1082131/cancel', {}],
  ['POST', '/api/config/save', { singleBuyAmount: 20_000 }],
  ['POST', '/api/monitor/start', {}],
  ['POST', '/api/kill-switch', { level: 'all', reason: 'test' }],
] as const
const READS = ['/api/status', '/api/positions-all', '/api/orders', '/api/sse'] as const
const OTHER = { status: 409, body: { success: false, code: 'OTHER_ACCOUNT' } }

t.test('the page of another account is told nothing, and nothing of it is done', async (t) => {
  const link = new FakeLink('B')
  const { front } = await directFront(t, link)
  const headers = { 'X-Page-Account': 'A' }
  for (const [method, path, body] of COMMANDS) {
    t.match(await call(front.port, path, { method, body, headers }), OTHER, path)
  }
  for (const path of READS) t.match(await call(front.port, path, { headers }), OTHER, path)
  t.strictSame([link.asked, link.options], [[], []], 'the account was not asked')
  const { body } = await call(front.port, '/api/status', { headers })
  t.notMatch(body.message, /B/, 'whose address it is now, is not said')
})

t.test('its own page, and whoever is no page, are served as ever', async (t) => {
  const link = new FakeLink('B')
  const { front } = await directFront(t, link)
  for (const headers of [{ 'X-Page-Account': 'B' }, { 'X-Page-Account': '' }, {}]) {
    const body = { singleBuyAmount: 20_000 }
    const saved = await call(front.port, '/api/config/save', { method: 'POST', body, headers })
    t.equal(saved.status, 200)
    t.equal((await call(front.port, '/api/status', { headers })).status, 200)
  }
  const headers = { 'X-Page-Account': ['B', 'A'] }
  t.match(await call(front.port, '/api/status', { headers }), {
    status: 400,
    body: { code: 'BAD_REQUEST' },
  })
})

t.test('at a gateway the first account does not stand in for that of a page', async (t) => {
  const [first, second] = [new FakeLink('B', 0), new FakeLink('A', 1)]
  const { front } = await gatewayFront(t, [first, second])
  const headers = { 'X-Page-Account': 'A' }
  t.match(await call(front.port, '/api/positions-all', { headers }), OTHER)
  t.strictSame(first.options, [])
  const named = { ...headers, 'X-Account-Id': 'A' }
  t.equal((await call(front.port, '/api/positions-all', { headers: named })).status, 200)
})
