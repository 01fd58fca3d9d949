import { setImmediate } from 'node:timers/promises'
import t from 'tap'
import { ServiceError } from '../../../src/domain/errors.ts'
import { call, raw } from '../fixtures/client.ts'
import { FakeLink } from '../fixtures/fake-service.ts'
import { directFront, gatewayFront } from '../fixtures/fronts.ts'

const PAGE = 'http://localhost:3000'
const TOKEN = 'a-token-of-sixteen-or-more'
const FROM = { Origin: PAGE, 'Sec-Fetch-Site': 'same-site', 'Sec-Fetch-Mode': 'cors' }
const listed = { allowedOrigins: [PAGE] }

/** The browser shows its page nothing of an answer without these. */
const SHOWN = {
  'access-control-allow-origin': PAGE,
  'access-control-expose-headers': /X-Request-Id, ETag, Retry-After, Allow, Idempotency-Replayed/,
  vary: /\bOrigin\b/,
}

t.test('a listed page is shown every refusal, whoever says it', async (t) => {
  const link = new FakeLink('A')
  const { front } = await directFront(t, link, {
    ...listed,
    token: TOKEN,
    limits: { sseClientsMax: 0, guessesMax: 1, bodyBytesMax: 1_000 },
  })
  const known = { ...FROM, 'X-API-Token': TOKEN }
  const save = { method: 'POST', body: { singleBuyAmount: 'much' } }
  const rows: [path: string, spec: Parameters<typeof call>[2], status: number][] = [
    ['/api/status', { headers: known }, 200],
    ['/api/status', { headers: FROM }, 401],
    ['/api/status', { headers: { ...known, Host: 'elsewhere.test' } }, 403],
    ['/api/nothing', { headers: known }, 404],
    ['/nothing', { headers: known }, 404],
    ['/api/status', { method: 'POST', headers: known }, 405],
    ['/api/config/save', { method: 'POST', body: '{', headers: known }, 415],
    ['/api/config/save', { ...save, headers: known }, 400],
    ['/api/config/save', { method: 'POST', body: { a: 'x'.repeat(2_000) }, headers: known }, 413],
    ['/api/sse', { headers: known }, 503],
    ['/api/status', { headers: { ...FROM, 'X-API-Token': 'wrong one' } }, 401],
    ['/api/status', { headers: { ...FROM, 'X-API-Token': 'wrong too' } }, 401],
    ['/api/status', { headers: { ...FROM, 'X-API-Token': 'wrong again' } }, 429],
  ]
  for (const [path, spec, status] of rows) {
    const { headers, status: got } = await call(front.port, path, spec)
    t.equal(got, status, `${path} ${status}`)
    t.match(headers, SHOWN, `${path} ${status}`)
  }
  link.before = () => {
    throw new ServiceError('ACTOR_RESTARTING', 'restarting')
  }
  const { status, headers } = await call(front.port, '/api/orders', { headers: known })
  t.equal(status, 503)
  t.match(headers, { ...SHOWN, 'retry-after': /\d/ })
})

t.test('F973 a listed page may read where to ask about an order in doubt', async (t) => {
  const link = new FakeLink('A')
  const { front } = await directFront(t, link, { ...listed, token: TOKEN })
  link.before = async () => {
    await setImmediate()
    throw new ServiceError('DEADLINE_EXCEEDED', 'no answer')
  }
  const { status, headers } = await call(front.port, '/api/actions/execute_sell', {
    method: 'POST',
    body: { stock_code: '600036', quantity: 100 },
    headers: { ...FROM, 'X-API-Token': TOKEN },
  })
  t.equal(status, 202)
  t.match(headers, { location: /^\/api\/orders\//, 'retry-after': /\d/ })
  t.match(headers['access-control-expose-headers'], /\bLocation\b/)
})

t.test('a refusal that does not wait for the body is shown as well', async (t) => {
  const { front } = await directFront(t, new FakeLink('A'), { ...listed, token: TOKEN })
  const head = [
    'POST /api/config/save HTTP/1.1',
    'Host: localhost',
    `Origin: ${PAGE}`,
    'Content-Length: 60000',
    '',
    '{"half":',
  ].join('\r\n')
  const answer = await raw(front.port, head, /}/)
  t.match(answer, /^HTTP\/1\.1 401 /)
  t.match(answer, `\r\nAccess-Control-Allow-Origin: ${PAGE}\r\n`)
})

t.test('what an answer varies with is told whole, to whoever asks', async (t) => {
  const { front } = await directFront(t, new FakeLink('A'), {
    ...listed,
    limits: { compressBytesMin: 100 },
  })
  const words = async (path: string, headers: Record<string, string>) => {
    const { vary = '' } = (await call(front.port, path, { method: 'HEAD', headers })).headers
    return vary.split(', ').sort()
  }
  const packed = { 'Accept-Encoding': 'gzip' }
  t.strictSame(await words('/openapi.json', { ...FROM, ...packed }), ['Accept-Encoding', 'Origin'])
  t.strictSame(await words('/openapi.json', packed), ['Accept-Encoding', 'Origin'])
  t.strictSame(await words('/api/status', {}), ['Origin'], 'a cache must not keep it for the page')
  const closed = await directFront(t, new FakeLink('A'))
  t.equal((await call(closed.front.port, '/api/status')).headers.vary, undefined)
})

t.test('a browser may ask for what pages send, and for a network that is nearer', async (t) => {
  const { front } = await directFront(t, new FakeLink('A'), { ...listed, token: TOKEN })
  const ask = (headers: Record<string, string>, port = front.port) =>
    call(port, '/api/actions/execute_buy', {
      method: 'OPTIONS',
      headers: { 'Access-Control-Request-Method': 'POST', ...headers },
    })
  const { status, headers } = await ask({
    ...FROM,
    'Access-Control-Request-Headers': 'content-type,idempotency-key,last-event-id,x-api-token',
    'Access-Control-Request-Private-Network': 'true',
  })
  t.equal(status, 204, 'without a token: a browser sends none with this question')
  const allowed = String(headers['access-control-allow-headers']).toLowerCase().split(', ')
  for (const name of [
    'content-type',
    'x-api-token',
    'x-account-id',
    'idempotency-key',
    'if-none-match',
    'last-event-id',
    'cache-control',
    'x-requested-with',
  ]) {
    t.ok(allowed.includes(name), name)
  }
  t.match(headers, {
    'access-control-allow-origin': PAGE,
    'access-control-allow-methods': /GET.*POST.*DELETE/,
    'access-control-allow-private-network': 'true',
    vary: /Access-Control-Request-Private-Network/,
  })
  t.equal((await ask(FROM)).headers['access-control-allow-private-network'], undefined)
  const asking = { 'Access-Control-Request-Private-Network': 'true' }
  const stranger = await ask({ ...asking, Origin: 'https://elsewhere.test' })
  t.equal(stranger.status, 403)
  t.equal(stranger.headers['access-control-allow-private-network'], undefined)
  const gateway = await gatewayFront(t, [], { token: TOKEN })
  const open = await ask({ ...asking, Origin: 'https://elsewhere.test' }, gateway.front.port)
  t.equal(open.status, 204)
  t.equal(open.headers['access-control-allow-private-network'], undefined, 'not to everybody')
})

t.test('F778 a page of any origin may send the gateway any header', async (t) => {
  const { front } = await gatewayFront(t, [], { token: TOKEN })
  const { headers } = await call(front.port, '/api/status', {
    method: 'OPTIONS',
    headers: {
      Origin: 'https://monitor.test',
      'Access-Control-Request-Method': 'GET',
      'Access-Control-Request-Headers': 'authorization, pragma, x-client-version',
    },
  })
  const allowed = String(headers['access-control-allow-headers']).toLowerCase().split(', ')
  t.ok(allowed.includes('*'), 'all but one')
  t.ok(allowed.includes('authorization'), 'the one that a browser does not count to all')
  t.equal(headers['access-control-allow-credentials'], undefined)
  const { port } = (
    await directFront(t, new FakeLink('A'), { allowedOrigins: ['https://mine.test'] })
  ).front
  const listed = await call(port, '/api/status', {
    method: 'OPTIONS',
    headers: { Origin: 'https://mine.test', 'Access-Control-Request-Method': 'GET' },
  })
  t.notMatch(listed.headers['access-control-allow-headers'], /\*/, 'to direct mode what pages need')
})
