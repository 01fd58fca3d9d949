import { connect, type Socket } from 'node:net'
import t, { type Test } from 'tap'
import { Load } from '../../../http/sockets/load.ts'
import { heard } from '../../in-time.ts'
import { call, post, raw } from '../fixtures/client.ts'
import { FakeLink } from '../fixtures/fake-service.ts'
import { directFront, gatewayFront } from '../fixtures/fronts.ts'

const TOKEN = 'correct-horse-battery-staple-0123456789'
const KNOWN = { 'X-API-Token': TOKEN }
const JSON_TYPE = 'Content-Type: application/json\r\n'
const head = (line: string, extra = ''): string =>
  `${line} HTTP/1.1\r\nHost: localhost\r\n${JSON_TYPE}${extra}\r\n`
const half = (path: string, extra = ''): string =>
  head(`POST ${path}`, `${extra}Content-Length: 100\r\n`)

/** An account whose kill switch can be set. */
function account(): FakeLink {
  const link = new FakeLink('A')
  link.answers.setKillSwitch = { fields: { level: 'all' } }
  return link
}

/** Connections that have sent this much and wait; closed at the end of the test. */
async function hold(t: Test, port: number, text: string, count: number): Promise<Socket[]> {
  const sockets = Array.from({ length: count }, () => {
    const socket = connect(port, '127.0.0.1', () => socket.write(text))
    socket.on('error', () => {})
    socket.resume()
    return socket
  })
  t.teardown(() => {
    for (const socket of sockets) socket.destroy()
  })
  await Promise.all(sockets.map((socket) => heard(socket, 'connect')))
  return sockets
}

t.test('a refusal does not wait for the body, and ends the connection', async (t) => {
  const { front } = await gatewayFront(t, [account()], { token: TOKEN })
  const rows: [request: string, status: number, code: string][] = [
    [half('/api/v1/accounts'), 401, 'UNAUTHORIZED'],
    [half('/api/nothing', `X-API-Token: ${TOKEN}\r\n`), 404, 'NOT_FOUND'],
    [half('/api/status', `X-API-Token: ${TOKEN}\r\n`), 405, 'METHOD_NOT_ALLOWED'],
    [head('GET /api/v1/health', 'Content-Length: 100\r\n'), 400, 'BAD_REQUEST'],
    [
      head('POST /api/v1/accounts', `X-API-Token: ${TOKEN}\r\nContent-Length: 70000\r\n`),
      413,
      'BODY_TOO_LARGE',
    ],
    [head('POST /api/v1/accounts', 'Transfer-Encoding: chunked\r\n'), 401, 'UNAUTHORIZED'],
  ]
  for (const [request, status, code] of rows) {
    const answer = await raw(front.port, request)
    t.match(answer, new RegExp(`^HTTP/1\\.1 ${status} `), code)
    t.match(answer, /\r\nConnection: close\r\n/, code)
    const [top = '', body = ''] = answer.split('\r\n\r\n')
    t.equal(Number(/Content-Length: (\d+)/.exec(top)?.[1]), body.length, `${code} whole`)
    t.match(JSON.parse(body), { success: false, code })
  }
})

t.test('half a body holds nothing that others need', async (t) => {
  const limits = { openRequestsMax: 4, openBodiesMax: 8, openBodiesPerAddressMax: 8 }
  const { front } = await gatewayFront(t, [account()], { token: TOKEN, limits })
  await hold(t, front.port, half('/api/v1/accounts'), 20)
  await hold(t, front.port, half('/api/v1/accounts', `X-API-Token: ${TOKEN}\r\n`), 8)
  t.equal((await call(front.port, '/api/status', { headers: KNOWN })).status, 200)
  const kill = { method: 'POST', headers: KNOWN, body: { level: 'all' } }
  t.equal((await call(front.port, '/api/v1/accounts/A/kill-switch', kill)).status, 200)
})

t.test('unfinished bodies of one address are so many, and have a deadline', async (t) => {
  const limits = { openBodiesPerAddressMax: 2, bodyTimeoutMs: 60_000 }
  const { port } = (await directFront(t, account(), { limits })).front
  await hold(t, port, half('/api/config/save'), 2)
  await call(port, '/api/status')
  const third = await raw(port, half('/api/config/save'))
  t.match(third, /^HTTP\/1\.1 503 .*\r\nConnection: close\r\n.*"OVERLOADED"/s)
  t.equal((await post(port, '/api/config/save', {})).status, 200, 'a whole one is no burden')
  const quick = await directFront(t, account(), { limits: { bodyTimeoutMs: 20 } })
  const late = await raw(quick.front.port, half('/api/config/save'))
  t.match(late, /^HTTP\/1\.1 504 .*\r\nConnection: close\r\n.*"DEADLINE_EXCEEDED"/s)
})

t.test('kill switch, cancel and health are served when there is no room for others', async (t) => {
  const stuck = account()
  const limits = { openRequestsMax: 1, accountRequestsMax: 1, reservedRequestsMax: 4 }
  const gateway = (await gatewayFront(t, [stuck], { token: TOKEN, limits })).front.port
  const direct = (await directFront(t, stuck, { limits })).front.port
  const { promise: reached, resolve: reach } = Promise.withResolvers<void>()
  let count = 0
  stuck.before = (kind) => {
    if (!/positions|Positions/.test(kind)) return undefined
    count += 1
    if (count === 2) reach()
    return new Promise(() => {})
  }
  void call(gateway, '/api/v1/accounts/A/positions', { headers: KNOWN }).catch(() => {})
  void call(direct, '/api/positions').catch(() => {})
  await reached
  const shed = await call(gateway, '/api/v1/accounts/A/orders', { headers: KNOWN })
  t.match(shed, { status: 503, body: { code: 'OVERLOADED' } })
  t.equal((await call(direct, '/api/orders')).status, 503)
  const level = { level: 'all' }
  const rows = [
    [gateway, 'POST', '/api/v1/accounts/A/kill-switch', level],
    [gateway, 'GET', '/api/v1/accounts/A/kill-switch', undefined],
    [gateway, 'DELETE', '/api/v1/accounts/A/orders/7', undefined],
    [gateway, 'GET', '/api/v1/health', undefined],
    [gateway, 'GET', '/api/v1/health/A', undefined],
    [direct, 'POST', '/api/kill-switch', level],
    [direct, 'GET', '/api/kill-switch', undefined],
    [direct, 'POST', '/api/orders/7/cancel', undefined],
  ] as const
  for (const [port, method, path, body] of rows) {
    const answer = await call(port, path, { method, headers: KNOWN, ...(body && { body }) })
    t.equal(answer.status, 200, `${method} ${path}`)
  }
})

t.test(
  'the kept places are used when the others are taken, and reads get half of them',
  async (t) => {
    const load = new Load({ openRequestsMax: 3, accountRequestsMax: 2, reservedRequestsMax: 4 })
    const [stop, look, other] = [
      { isReserved: true, scope: 'admin' },
      { isReserved: true, scope: 'view' },
      { isReserved: false, scope: 'admin' },
    ] as const
    const { promise, resolve } = Promise.withResolvers<void>()
    const takes = (route: typeof stop | typeof look | typeof other, accountId: string) => {
      const place = load.placeFor(route, accountId)
      return { place, ended: load.during(place, accountId, promise) }
    }
    const held = [takes(stop, 'A'), takes(stop, 'A'), takes(stop, 'A'), takes(stop, 'B')]
    t.strictSame(
      held.map(({ place }) => place),
      ['ordinary', 'ordinary', 'reserved', 'ordinary'],
    )
    t.throws(() => load.placeFor(other, 'B'), { code: 'OVERLOADED' }, 'all are taken')
    t.throws(() => load.placeFor(other, 'A'), { code: 'OVERLOADED' })
    held.push(takes(look, 'B'))
    t.throws(() => load.placeFor(look, 'B'), { code: 'OVERLOADED' }, 'reads have half of them')
    held.push(takes(stop, 'B'), takes(stop, 'C'))
    t.throws(() => load.placeFor(stop, 'C'), { code: 'OVERLOADED' }, 'and then there is an end')
    resolve()
    await Promise.all(held.map(({ ended }) => ended))
    t.equal(load.placeFor(other, 'A'), 'ordinary')
  },
)

t.test('who has no token cannot spend the rate of one who has', async (t) => {
  const { front } = await gatewayFront(t, [account()], { token: TOKEN, rateLimit: 3 })
  const ask = async (path: string, headers = {}) =>
    (await call(front.port, path, { headers })).status
  const strange: number[] = []
  for (let i = 0; i < 5; i++) strange.push(await ask('/api/status'))
  t.strictSame(strange, [401, 401, 401, 429, 429])
  t.equal(await ask('/api/status', { 'X-API-Token': 'wrong' }), 429)
  const known: number[] = []
  for (let i = 0; i < 4; i++) known.push(await ask('/api/status', KNOWN))
  t.strictSame(known, [200, 200, 200, 429])
  const kill = { method: 'POST', headers: KNOWN, body: { level: 'all' } }
  const path = '/api/v1/accounts/A/kill-switch'
  t.equal((await call(front.port, path, kill)).status, 200, 'it has a budget of its own')
})

t.test('the budget of what must get through has an end too', async (t) => {
  const limits = { reservedRatePerMinute: 2 }
  const options = { token: TOKEN, rateLimit: 1, limits }
  const { front } = await gatewayFront(t, [account()], options)
  const ask = async () =>
    (await call(front.port, '/api/v1/accounts/A/kill-switch', { headers: KNOWN })).status
  t.strictSame([await ask(), await ask(), await ask(), await ask()], [200, 200, 200, 429])
})

t.test('a body of many keys, many values or great depth is refused unread', async (t) => {
  const link = account()
  const { front } = await directFront(t, link, {
    limits: { bodyKeysMax: 20, bodyValuesMax: 50, bodyDepthMax: 8 },
  })
  const keys = (count: number) =>
    `{${Array.from({ length: count }, (_, i) => `"k${i}":1`).join(',')}}`
  const rows: [body: string, says: RegExp][] = [
    [keys(21), /more than 20 keys/],
    [keys(6_000), /more than 20 keys/],
    [`{"a":[${'1,'.repeat(50)}1]}`, /more than 50 values/],
    [`{"a":[${'[],'.repeat(50)}[]]}`, /more than 50 values/],
    ['{"a":'.repeat(9) + 1 + '}'.repeat(9), /nested deeper than 8/],
    ['['.repeat(30_000), /nested deeper than 8/],
  ]
  for (const [body, says] of rows) {
    const headers = { 'Content-Type': 'application/json' }
    const answer = await call(front.port, '/api/config/save', { method: 'POST', headers, body })
    t.match(answer, { status: 400, body: { code: 'BAD_JSON', message: says } })
  }
  t.strictSame(link.asked, [])
  const text = JSON.stringify({ singleBuyAmount: 35_000, 'a:b,{["': 'x:y,z"\\' })
  const fine = { method: 'POST', headers: { 'Content-Type': 'application/json' }, body: text }
  t.equal((await call(front.port, '/api/config/save', fine)).status, 200, 'not counted in texts')
})

t.test('1 MB of body is not taken by anybody, and not kept', async (t) => {
  const { front } = await gatewayFront(t, [account()], { token: TOKEN })
  const big = 'x'.repeat(1_000_000)
  const answers = await Promise.all(
    Array.from({ length: 20 }, () =>
      raw(front.port, head('GET /api/v1/health', 'Content-Length: 1000000\r\n') + big, /\}\s*$/),
    ),
  )
  for (const answer of answers) t.match(answer, /^HTTP\/1\.1 400 .*GET takes no body/s)
})
