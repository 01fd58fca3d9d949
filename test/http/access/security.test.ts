import t from 'tap'
import type { DirectFrontOptions, GatewayFrontOptions } from '../../../http/front.ts'
import { call, raw } from '../fixtures/client.ts'
import { FakeLink } from '../fixtures/fake-service.ts'
import { directFront, gatewayFront } from '../fixtures/fronts.ts'

const TOKEN = 'correct-horse-battery-staple-0123456789'
type Headers = Record<string, string | string[]>

const WRONG: readonly Headers[] = [
  {},
  { 'X-API-Token': '' },
  { 'X-API-Token': 'wrong' },
  { 'X-API-Token': TOKEN.toUpperCase() },
  { 'X-API-Token': `${TOKEN}x` },
  { 'X-API-Token': TOKEN.slice(1) },
  { 'X-API-Token': 'x'.repeat(3_000) },
  { 'X-API-Token': [TOKEN, TOKEN] },
  { 'X-API-Token': ['wrong', TOKEN] },
  { Authorization: `Bearer ${TOKEN}` },
]

const DIRECT_PATHS = [
  ['GET', '/api/status'],
  ['GET', '/api/sse'],
  ['GET', '/api/positions-all?version=1'],
  ['HEAD', '/api/status'],
  ['POST', '/api/monitor/start'],
  ['POST', '/api/config/save'],
  ['POST', '/api/actions/execute_buy'],
  ['GET', '/api/nothing'],
  ['PUT', '/api/status'],
  ['GET', '/API/status'],
  ['GET', '//api/status'],
] as const

t.test('direct mode with a token: nothing under /api without exactly that token', async (t) => {
  const link = new FakeLink('A')
  const { front } = await directFront(t, link, { token: TOKEN })
  for (const [method, path] of DIRECT_PATHS) {
    for (const headers of WRONG) {
      const { status, body } = await call(front.port, path, { method, headers })
      t.equal(status, 401, `${method} ${path} ${JSON.stringify(headers).slice(0, 40)}`)
      if (method !== 'HEAD') {
        t.match(body, { success: false, status: 'error', error: String, code: 'UNAUTHORIZED' })
      }
    }
  }
  t.equal((await call(front.port, `/api/status?token=${TOKEN}&X-API-Token=${TOKEN}`)).status, 401)
  t.strictSame(link.asked, [])
  const headers = { 'X-API-Token': TOKEN }
  t.equal((await call(front.port, '/api/status', { headers })).status, 200)
  t.equal((await call(front.port, '/api/nothing', { headers })).status, 404)
})

t.test('direct mode: token and public mode, all cases', async (t) => {
  const rows: [Partial<DirectFrontOptions>, Headers, number, string | undefined][] = [
    [{}, {}, 200, undefined],
    [{}, { 'X-API-Token': 'any' }, 200, undefined],
    [{ token: TOKEN }, {}, 401, 'UNAUTHORIZED'],
    [{ token: TOKEN }, { 'X-API-Token': TOKEN }, 200, undefined],
    [{ publicMode: true }, {}, 401, 'PUBLIC_MODE'],
    [{ publicMode: true, token: TOKEN }, {}, 401, 'PUBLIC_MODE'],
    [{ publicMode: true, token: TOKEN }, { 'X-API-Token': TOKEN }, 401, 'PUBLIC_MODE'],
  ]
  for (const [options, headers, status, code] of rows) {
    const { front } = await directFront(t, new FakeLink('A'), options)
    const answer = await call(front.port, '/api/status', { headers })
    t.equal(answer.status, status, JSON.stringify(options))
    t.equal(answer.body.code, code)
    t.equal((await call(front.port, '/', { headers })).status, 200, 'the page is never protected')
  }
})

t.test('direct mode answers loopback hosts and its own pages only', async (t) => {
  const { front } = await directFront(t, new FakeLink('A'))
  const { port } = front
  const rows: [Headers, number][] = [
    [{ Host: `localhost:${port}` }, 200],
    [{ Host: 'LOCALHOST' }, 200],
    [{ Host: `127.0.0.1:${port}` }, 200],
    [{ Host: '127.8.8.8' }, 200],
    [{ Host: `[::1]:${port}` }, 200],
    [{ Host: `evil.test:${port}` }, 403],
    [{ Host: '127.0.0.1.evil.test' }, 403],
    [{ Host: 'localhost.evil.test' }, 403],
    [{ Host: '192.168.1.5' }, 403],
    [{ Host: '0.0.0.0' }, 403],
    [{ Host: 'localhost@evil.test' }, 403],
    [{ Origin: `http://localhost:${port}` }, 200],
    [{ Origin: `http://127.0.0.1:${port}` }, 200],
    [{ Host: 'localhost:9000', Origin: 'http://localhost:9000' }, 200],
    [{ Origin: 'http://localhost:3000' }, 403],
    [{ Origin: 'https://evil.test' }, 403],
    [{ Origin: `http://evil.test:${port}` }, 403],
    [{ Origin: 'null' }, 403],
    [{ Origin: '' }, 403],
    [{ 'Sec-Fetch-Site': 'cross-site', 'Sec-Fetch-Mode': 'no-cors' }, 403],
    [{ 'Sec-Fetch-Site': 'same-origin' }, 200],
  ]
  for (const [headers, status] of rows) {
    const answer = await call(port, '/api/status', { headers })
    t.equal(answer.status, status, JSON.stringify(headers))
    t.equal((await call(port, '/', { headers })).status, status, 'the page as well')
    t.equal(answer.headers['access-control-allow-origin'], undefined)
  }
})

t.test('direct mode answers the pages of listed origins, and says so to the browser', async (t) => {
  const link = new FakeLink('A')
  const desk = 'https://desk.test'
  const { front } = await directFront(t, link, {
    allowedOrigins: ['http://localhost:3000', desk],
  })
  const ask = (headers: Headers, method = 'GET') =>
    call(front.port, '/api/status', { method, headers })
  for (const origin of ['http://localhost:3000', desk]) {
    const crossSite = { 'Sec-Fetch-Site': 'cross-site', 'Sec-Fetch-Mode': 'cors' }
    const answer = await ask({ Origin: origin, ...crossSite })
    t.equal(answer.status, 200, origin)
    t.equal(answer.headers['access-control-allow-origin'], origin)
    t.equal(answer.headers['vary'], 'Origin')
    const preflight = await ask(
      { Origin: origin, 'Access-Control-Request-Method': 'POST' },
      'OPTIONS',
    )
    t.match(preflight, { status: 204, headers: { 'access-control-allow-origin': origin } })
    t.match(preflight.headers['access-control-allow-methods'], /POST/)
    t.equal((await ask({ Origin: origin, Host: 'evil.test' })).status, 403, 'of this computer only')
    t.equal((await ask({ Origin: origin, Via: '1.1 tunnel' })).body.code, 'FORWARDED_REFUSED')
  }
  for (const origin of [
    'http://localhost:3001',
    'http://desk.test',
    `${desk}:443`,
    `${desk}.evil`,
  ]) {
    const answer = await ask({ Origin: origin })
    t.equal(answer.status, 403, origin)
    t.equal(answer.headers['access-control-allow-origin'], undefined)
  }
  const own = await ask({})
  t.equal(own.headers['access-control-allow-origin'], undefined, 'nothing for who is no page')
})

t.test(
  'direct mode: OPTIONS tells the methods of its own pages and nothing to others',
  async (t) => {
    const { front } = await directFront(t, new FakeLink('A'), { token: TOKEN })
    const options = (path: string, headers: Headers = {}) =>
      call(front.port, path, { method: 'OPTIONS', headers })
    const own = await options('/api/status')
    t.equal(own.status, 204)
    t.equal(own.headers.allow, 'GET, HEAD, OPTIONS')
    t.equal(own.headers['access-control-allow-origin'], undefined)
    t.equal((await options('/api/status', { Origin: 'http://evil.test' })).status, 403)
  },
)

const GATEWAY_PATHS = [
  ['GET', '/api/v1/accounts'],
  ['POST', '/api/v1/accounts'],
  ['GET', '/api/v1/health/A'],
  ['POST', '/api/v1/accounts/A/orders'],
  ['DELETE', '/api/v1/accounts/A/orders/7'],
  ['GET', '/api/accounts'],
  ['GET', '/api/status'],
  ['GET', '/api/config'],
  ['GET', '/api/nothing'],
  ['PATCH', '/api/v1/accounts'],
] as const

t.test('gateway with a token: loopback has no bypass, health and the page are open', async (t) => {
  const link = new FakeLink('A')
  const { front } = await gatewayFront(t, [link], { token: TOKEN })
  for (const [method, path] of GATEWAY_PATHS) {
    for (const headers of WRONG) {
      const { status, body } = await call(front.port, path, { method, headers })
      t.equal(status, 401, `${method} ${path} ${JSON.stringify(headers).slice(0, 40)}`)
      t.match(body, { success: false, data: null, code: 'UNAUTHORIZED', detail: String })
    }
  }
  t.strictSame(link.asked, [])
  for (const path of ['/', '/api/v1/health']) t.equal((await call(front.port, path)).status, 200)
  const headers = { 'X-API-Token': TOKEN }
  t.equal((await call(front.port, '/api/status', { headers })).status, 200)
  const foreign = { ...headers, Origin: 'https://monitor.test', Host: 'gateway.test' }
  t.equal((await call(front.port, '/api/status', { headers: foreign })).status, 200)
})

/** What proxies and tunnels add, each alone. */
const FORWARDING: readonly Headers[] = [
  { 'X-Forwarded-For': '8.8.8.8' },
  { 'X-Forwarded-For': '127.0.0.1' },
  { 'X-Forwarded-Proto': 'https' },
  { 'X-Forwarded-Host': 'tunnel.test' },
  { Forwarded: 'for=8.8.8.8' },
  { Via: '1.1 proxy' },
  { 'X-Real-IP': '8.8.8.8' },
  { 'CF-Connecting-IP': '8.8.8.8' },
]

t.test('direct mode without a token: nobody comes through a tunnel', async (t) => {
  const link = new FakeLink('A')
  const { front } = await directFront(t, link)
  for (const headers of FORWARDING) {
    const answer = await call(front.port, '/api/status', { headers })
    t.equal(answer.status, 403, JSON.stringify(headers))
    t.match(answer.body, { code: 'FORWARDED_REFUSED', error: /set SVC_API_TOKEN/ })
  }
  t.strictSame(link.asked, [])
  const guarded = await directFront(t, new FakeLink('A'), { token: TOKEN })
  for (const headers of FORWARDING) {
    const known = { ...headers, 'X-API-Token': TOKEN }
    t.equal((await call(guarded.front.port, '/api/status', { headers: known })).status, 200)
  }
})

t.test('gateway without a token: only the operator on this computer', async (t) => {
  const { front } = await gatewayFront(t, [new FakeLink('A')])
  const rows: [Headers, number, string | undefined][] = [
    [{}, 200, undefined],
    [{ 'X-API-Token': 'any' }, 200, undefined],
    [{ Origin: `http://localhost:${front.port}` }, 200, undefined],
    ...FORWARDING.map((headers): [Headers, number, string] => [headers, 403, 'FORWARDED_REFUSED']),
    [{ Host: 'gateway.test:8888' }, 403, 'HOST_REFUSED'],
    [{ Origin: 'https://evil.test' }, 403, 'ORIGIN_REFUSED'],
    [{ Origin: 'null' }, 403, 'ORIGIN_REFUSED'],
    [{ 'Sec-Fetch-Site': 'cross-site' }, 403, 'ORIGIN_REFUSED'],
  ]
  for (const [headers, status, code] of rows) {
    const answer = await call(front.port, '/api/status', { headers })
    t.equal(answer.status, status, JSON.stringify(headers))
    t.equal(answer.body.code, code)
    t.equal((await call(front.port, '/api/v1/health', { headers })).status, 200)
  }
})

t.test('F746 without a token a page that this computer serves may ask the gateway', async (t) => {
  const { front } = await gatewayFront(t, [new FakeLink('A')])
  for (const origin of ['http://localhost:5173', 'https://127.0.0.1', 'http://[::1]:3000']) {
    for (const site of ['same-site', 'cross-site']) {
      const headers = { Origin: origin, 'Sec-Fetch-Site': site }
      const answer = await call(front.port, '/api/status', { headers })
      t.equal(answer.status, 200, `${origin}, ${site}`)
      t.equal(answer.headers['access-control-allow-origin'], '*')
    }
  }
  const foreign = { Origin: 'http://localhost.evil.test:5173', 'Sec-Fetch-Site': 'same-site' }
  t.equal((await call(front.port, '/api/status', { headers: foreign })).status, 403)
})

t.test('a trusted proxy speaks for its nearest caller, and for nobody else', async (t) => {
  const options = { trustProxy: true, proxies: ['127.0.0.1'] }
  const { front } = await gatewayFront(t, [new FakeLink('A')], options)
  const rows: [Headers, number][] = [
    [{}, 200],
    [{ 'X-Forwarded-For': '127.0.0.2' }, 200],
    [{ 'X-Forwarded-For': '8.8.8.8, 127.0.0.2' }, 200],
    [{ 'X-Forwarded-For': '::ffff:127.0.0.2' }, 200],
    [{ 'X-Forwarded-For': '127.0.0.2', 'X-Forwarded-Proto': 'https', Via: '1.1 own' }, 200],
    [{ 'X-Forwarded-For': '127.0.0.1, 8.8.8.8' }, 401],
    [{ 'X-Forwarded-For': '2001:db8::1' }, 401],
    [{ 'X-Forwarded-For': 'localhost' }, 401],
    [{ 'X-Forwarded-For': '127.0.0.1,' }, 401],
    [{ 'X-Forwarded-For': `${'8.8.8.8,'.repeat(200)}1` }, 401],
  ]
  for (const [headers, status] of rows) {
    const answer = await call(front.port, '/api/status', { headers })
    t.equal(answer.status, status, JSON.stringify(headers).slice(0, 60))
  }
})

t.test('behind listed proxies the right-most hop that is none of them counts', async (t) => {
  const rows: [proxies: string[], forwarded: string, status: number][] = [
    [['127.0.0.1', '10.0.0.0/8'], '127.0.0.5, 10.0.0.3', 200],
    [['127.0.0.1', '10.0.0.0/8'], '127.0.0.5, 8.8.8.8, 10.0.0.3, 10.0.0.4', 401],
    [['127.0.0.1', '10.0.0.0/8'], '10.0.0.3', 401],
    [['127.0.0.1'], '127.0.0.1', 200],
    [['127.0.0.1'], 'garbage', 401],
    // Who connects is no proxy of ours: what it claims is worth nothing, but it speaks for somebody.
    [['10.0.0.0/8'], '8.8.8.8', 403],
    [['10.0.0.0/8'], '127.0.0.1', 403],
  ]
  for (const [proxies, forwarded, status] of rows) {
    const { front } = await gatewayFront(t, [new FakeLink('A')], { trustProxy: true, proxies })
    const headers = { 'X-Forwarded-For': forwarded }
    const answer = await call(front.port, '/api/status', { headers })
    t.equal(answer.status, status, `${proxies} ${forwarded}`)
  }
})

const PROXIED = { trustProxy: true, proxies: ['127.0.0.1'] }

t.test('allowed addresses: networks, mapped addresses, and always this computer', async (t) => {
  const rows: [Partial<GatewayFrontOptions>, Headers, number][] = [
    [{ allowedIps: ['10.0.0.0/8'] }, {}, 200],
    [{ allowedIps: ['10.0.0.0/8'], ...PROXIED }, { 'X-Forwarded-For': '10.1.2.3' }, 200],
    [{ allowedIps: ['10.0.0.0/8'], ...PROXIED }, { 'X-Forwarded-For': '11.1.2.3' }, 403],
    [{ allowedIps: ['10.0.0.7'], ...PROXIED }, { 'X-Forwarded-For': '::ffff:10.0.0.7' }, 200],
    [{ allowedIps: ['fd00::/8'], ...PROXIED }, { 'X-Forwarded-For': 'fd12::1' }, 200],
    [{ allowedIps: ['fd00::/8'], ...PROXIED }, { 'X-Forwarded-For': 'garbage' }, 403],
    [{ allowedIps: ['10.0.0.0/8'] }, {}, 200],
    [{ allowedIps: ['10.0.0.0/8'] }, { 'X-Forwarded-For': '8.8.8.8' }, 403],
    // A stranger who names an allowed address, where proxies are trusted: it is none of them.
    [
      { allowedIps: ['10.0.0.0/8'], trustProxy: true, proxies: ['10.0.0.1'] },
      { 'X-Forwarded-For': '10.1.2.3' },
      403,
    ],
  ]
  for (const [options, headers, status] of rows) {
    const { front } = await gatewayFront(t, [], { ...options, token: TOKEN })
    const answer = await call(front.port, '/api/v1/health', { headers })
    t.equal(answer.status, status, `${options.allowedIps} ${JSON.stringify(headers)}`)
    if (status === 403) t.equal(answer.body.code, 'ADDRESS_REFUSED')
  }
  await t.rejects(gatewayFront(t, [], { allowedIps: ['10.0.0.0/33'] }), RangeError)
})

t.test('the rate limit answers 429 with the time to wait; preflights do not count', async (t) => {
  const { front } = await gatewayFront(t, [new FakeLink('A')], { rateLimit: 3 })
  for (let i = 0; i < 6; i++) {
    t.equal((await call(front.port, '/api/status', { method: 'OPTIONS' })).status, 204)
  }
  const paths = ['/', '/api/v1/health', '/api/nothing', '/api/status', '/']
  const statuses: number[] = []
  for (const path of paths) statuses.push((await call(front.port, path)).status)
  t.strictSame(statuses, [200, 200, 404, 429, 429])
  const { headers, body } = await call(front.port, '/api/status')
  t.match(headers['retry-after'], /^(1\d|20)$/)
  t.equal(headers['access-control-allow-origin'], '*')
  t.match(body, { code: 'RATE_LIMITED', success: false, data: null })
})

t.test(
  'gateway preflights pass without a token, from any origin, with every header in use',
  async (t) => {
    const { front } = await gatewayFront(t, [], { token: TOKEN, allowedIps: ['10.0.0.1'] })
    const { status, headers, text } = await call(front.port, '/api/v1/accounts/A/orders', {
      method: 'OPTIONS',
      headers: {
        Origin: 'https://monitor.test',
        'Access-Control-Request-Method': 'POST',
        'Access-Control-Request-Headers': 'x-api-token, x-account-id',
      },
    })
    t.equal(status, 204)
    t.equal(text, '')
    t.equal(headers['access-control-allow-origin'], '*')
    t.equal(headers['access-control-allow-credentials'], undefined)
    t.match(headers['access-control-allow-methods'], /POST.*DELETE/)
    for (const name of ['Content-Type', 'X-API-Token', 'X-Account-Id', 'Idempotency-Key']) {
      t.ok(headers['access-control-allow-headers']?.includes(name), name)
    }
  },
)

t.test('every answer of the gateway may be read by any origin, refusals too', async (t) => {
  const { front } = await gatewayFront(t, [], { token: TOKEN })
  for (const path of ['/', '/api/v1/health', '/api/status', '/api/nothing', '/nothing']) {
    t.equal((await call(front.port, path)).headers['access-control-allow-origin'], '*', path)
  }
})

t.test('a header that came twice names no account', async (t) => {
  const { front } = await gatewayFront(t, [new FakeLink('A'), new FakeLink('B')])
  const head =
    'GET /api/orders HTTP/1.1\r\nHost: localhost\r\nX-Account-Id: A\r\nX-Account-Id: B\r\n\r\n'
  const answer = await raw(front.port, head, /}$/)
  t.match(answer, /^HTTP\/1\.1 400 /)
  t.match(answer, /"code":"BAD_REQUEST"/)
})

t.test('what a caller sends never comes back in a header', async (t) => {
  const { front } = await gatewayFront(t, [new FakeLink('A')])
  const { headers } = await call(front.port, '/api/x%0d%0aSet-Cookie:%20a=b?q=%0d%0aX-Y:1', {
    headers: { 'X-Request-Id': 'mine', 'Idempotency-Key': 'mine' },
  })
  t.equal(headers['set-cookie'], undefined)
  t.not(headers['x-request-id'], 'mine')
  t.equal(headers['idempotency-key'], undefined)
})
