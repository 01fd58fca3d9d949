import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { request as httpsRequest } from 'node:https'
import { fileURLToPath } from 'node:url'
import t from 'tap'
import { GuessLimit } from '../../../http/access/guess-limit.ts'
import { TokenBook } from '../../../http/access/tokens.ts'
import type { NamedToken } from '../../../src/config/tokens.ts'
import { covers, SCOPES } from '../../../src/domain/scope.ts'
import { type Answer, call } from '../fixtures/client.ts'
import { FakeLink } from '../fixtures/fake-service.ts'
import { directFront, gatewayFront } from '../fixtures/fronts.ts'

const MASTER = 'the-single-token-of-the-specification'
const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex')
const entry = (name: string, fields: Partial<NamedToken> = {}): NamedToken => ({
  name,
  hash: `sha256:${sha256(`secret of ${name}`)}`,
  scope: 'view',
  accounts: [],
  expires: '',
  ...fields,
})
const as = (name: string) => ({ headers: { 'X-API-Token': `secret of ${name}` } })
const TOKENS = [
  entry('viewer'),
  entry('trader', { scope: 'trade' }),
  entry('chief', { scope: 'admin' }),
  entry('ofB', { scope: 'admin', accounts: ['B'] }),
  entry('ofNone', { accounts: ['Z'] }),
  entry('old', { expires: '2020-01-01' }),
]

t.test('each scope may do what the one before it may, and nothing of the next', (t) => {
  const table = SCOPES.map((held) => SCOPES.map((needed) => covers(held, needed)))
  t.strictSame(table, [
    [true, false, false],
    [true, true, false],
    [true, true, true],
  ])
  t.end()
})

const ORDER = { stock_code: '600036', order_type: 23, order_volume: 100, price_type: 5, price: 0 }
const CALLS = [
  ['view', 'GET', '/api/v1/accounts/A/positions', undefined],
  ['trade', 'POST', '/api/v1/accounts/A/orders', ORDER],
  ['admin', 'POST', '/api/v1/accounts/A/kill-switch', { level: 'all' }],
] as const

t.test(
  'a named token does what its scope allows; the rest is 403 and reaches nobody',
  async (t) => {
    const link = new FakeLink('A')
    const { front } = await gatewayFront(t, [link], { token: MASTER, tokens: TOKENS })
    link.answers.setKillSwitch = { fields: {} }
    for (const [held, name] of [
      ['view', 'viewer'],
      ['trade', 'trader'],
      ['admin', 'chief'],
    ] as const) {
      for (const [needed, method, path, body] of CALLS) {
        link.asked.length = 0
        const answer = await call(front.port, path, { method, ...as(name), ...(body && { body }) })
        const isAllowed = covers(held, needed)
        t.equal(answer.status < 300, isAllowed, `${name} ${method} ${path}`)
        if (isAllowed) continue
        t.match(answer, { status: 403, body: { code: 'SCOPE_REFUSED', success: false } })
        t.strictSame(link.asked, [])
      }
    }
    const single = { headers: { 'X-API-Token': MASTER } }
    for (const [, method, path, body] of CALLS) {
      const answer = await call(front.port, path, { method, ...single, ...(body && { body }) })
      t.ok(answer.status < 300, 'the single token may do everything')
    }
  },
)

t.test('the name of the token stands in the journal, never the token', async (t) => {
  const link = new FakeLink('A')
  const { front } = await gatewayFront(t, [link], { tokens: TOKENS })
  await call(front.port, '/api/v1/accounts/A/orders', {
    method: 'POST',
    ...as('trader'),
    body: ORDER,
  })
  t.match(link.lastAsked, { source: 'http/gateway/127.0.0.1/trader' })
})

t.test('with named tokens alone nobody passes without one, also on this computer', async (t) => {
  const gateway = await gatewayFront(t, [new FakeLink('A')], { tokens: TOKENS })
  const direct = await directFront(t, new FakeLink('A'), { tokens: TOKENS })
  for (const { front } of [gateway, direct]) {
    t.equal((await call(front.port, '/api/status')).status, 401)
    t.equal((await call(front.port, '/api/status', as('viewer'))).status, 200)
    t.equal((await call(front.port, '/api/status', as('nobody'))).status, 401)
  }
})

t.test('an expired token is refused after its last day in Shanghai, and says why', async (t) => {
  const { front } = await gatewayFront(t, [new FakeLink('A')], { tokens: TOKENS })
  const answer = await call(front.port, '/api/status', as('old'))
  t.match(answer, { status: 401, body: { code: 'UNAUTHORIZED', message: /expired/ } })
  const request = {
    headers: new Map([['x-api-token', 'secret of x']]),
    repeated: new Set<string>(),
  }
  const lastSecond = Date.UTC(2026, 7, 11, 15, 59, 59)
  for (const [wallMs, kind] of [
    [lastSecond, 'good'],
    [lastSecond + 1_000, 'expired'],
  ] as const) {
    const book = new TokenBook('', [entry('x', { expires: '2026-08-11' })], () => wallMs)
    t.equal(book.verdict({ ...NO_REQUEST, ...request }).kind, kind)
  }
})

const NO_REQUEST = {
  id: '',
  method: 'GET',
  path: '/',
  query: '',
  peer: '',
  caller: undefined,
  isGone: false,
  onGone: () => {},
}

const REFUSED_TO_B = [
  ['GET', '/api/v1/accounts/A/positions', undefined, {}],
  ['GET', '/api/v1/accounts/A/status', undefined, {}],
  ['GET', '/api/v1/health/A', undefined, {}],
  ['POST', '/api/v1/accounts/A/orders', ORDER, {}],
  ['DELETE', '/api/v1/accounts/A', undefined, {}],
  ['POST', '/api/v1/accounts/A/restart', undefined, {}],
  ['POST', '/api/v1/accounts', { account_id: 'C', qmt_path: 'C:/qmt' }, {}],
  ['GET', '/api/v1/market/tick?stock_codes=600036&account_id=A', undefined, {}],
  ['GET', '/api/positions', undefined, { 'X-Account-Id': 'A' }],
  ['GET', '/api/status', undefined, { 'X-Account-Id': 'A' }],
  ['GET', '/api/config', undefined, { 'X-Account-Id': 'A' }],
] as const

t.test('for a token of one account the others do not exist', async (t) => {
  const [a, b] = [new FakeLink('A'), new FakeLink('B')]
  const { front, service } = await gatewayFront(t, [a, b], { token: MASTER, tokens: TOKENS })
  for (const [method, path, body, extra] of REFUSED_TO_B) {
    const headers = { ...as('ofB').headers, ...extra }
    const answer = await call(front.port, path, { method, headers, ...(body && { body }) })
    t.match(answer, { status: 404, body: { code: 'UNKNOWN_ACCOUNT' } }, `${method} ${path}`)
  }
  t.strictSame([a.asked, a.marketAsked, a.restarts, service.registered], [[], [], 0, []])
  t.equal(service.links.length, 2)
  const lists: Answer[] = []
  for (const path of ['/api/accounts', '/api/v1/accounts']) {
    lists.push(await call(front.port, path, as('ofB')))
  }
  for (const { body } of lists) t.strictSame(body.data.accounts, ['B'])
  const health = await call(front.port, '/api/v1/health', as('ofB'))
  t.match(health.body.data, { total: 1, healthy: 1, accounts: { B: {} } })
  t.notOk(health.body.data.accounts.A)
})

t.test('a token of some accounts that names none means its first one', async (t) => {
  const [a, b] = [new FakeLink('A'), new FakeLink('B')]
  b.texts.orders = '{"status":"success","data":["of B"]'
  const { front } = await gatewayFront(t, [a, b], { tokens: TOKENS })
  const orders = await call(front.port, '/api/orders', as('ofB'))
  t.strictSame(orders.body.data, ['of B'])
  await call(front.port, '/api/v1/market/tick?stock_codes=600036', as('ofB'))
  t.strictSame([a.marketAsked.length, b.marketAsked.length], [0, 1])
  t.match(await call(front.port, '/api/orders', as('ofNone')), {
    status: 404,
    body: { code: 'UNKNOWN_ACCOUNT' },
  })
})

t.test('a registration names its account, whoever asks for it', async (t) => {
  const { front, service } = await gatewayFront(t, [new FakeLink('B')], { tokens: TOKENS })
  const headers = { ...as('ofB').headers }
  const body = { qmt_path: 'C:/qmt' }
  const answer = await call(front.port, '/api/v1/accounts', { method: 'POST', headers, body })
  t.match(answer, { status: 400, body: { code: 'VALIDATION', details: { account_id: [String] } } })
  t.strictSame(service.registered, [])
})

t.test('in direct mode a token of other accounts may nothing', async (t) => {
  const { front } = await directFront(t, new FakeLink('A'), { tokens: TOKENS })
  t.match(await call(front.port, '/api/status', as('ofB')), {
    status: 403,
    body: { code: 'SCOPE_REFUSED' },
  })
  const other = await directFront(t, new FakeLink('B'), { tokens: TOKENS })
  t.equal((await call(other.front.port, '/api/status', as('ofB'))).status, 200)
})

const GUESS = { guessesMax: 3, waitSecondsMax: 8, forgetMs: 60_000, addressesMax: 2 }

t.test('who tries out tokens waits, twice as long each time', (t) => {
  const limit = new GuessLimit(GUESS)
  for (const digest of ['a', 'b', 'c', 'a', 'b', 'c', 'a']) {
    limit.failed('10.0.0.1', digest, 0)
    t.equal(limit.waitSeconds('10.0.0.1', 'x', 0), 0, 'three different ones, as often as you like')
  }
  let nowMs = 0
  for (const [digest, seconds] of [
    ['d', 1],
    ['e', 2],
    ['f', 4],
    ['g', 8],
    ['h', 8],
  ] as const) {
    limit.failed('10.0.0.1', digest, nowMs)
    t.equal(limit.waitSeconds('10.0.0.1', 'x', nowMs), seconds)
    t.equal(limit.waitSeconds('10.0.0.1', 'x', nowMs + seconds * 1_000), 0)
    t.equal(limit.waitSeconds('10.0.0.2', 'x', nowMs), 0, 'others do not')
    nowMs += seconds * 1_000
  }
  t.end()
})

t.test('a program that knows its token does not wait for a neighbor who guesses', (t) => {
  const limit = new GuessLimit(GUESS)
  limit.succeeded('10.0.0.1', 'right', 0)
  for (const digest of ['a', 'b', 'c', 'd']) limit.failed('10.0.0.1', digest, 0)
  t.equal(limit.waitSeconds('10.0.0.1', 'other', 0), 1)
  t.equal(limit.waitSeconds('10.0.0.1', 'right', 0), 0)
  limit.failed('10.0.0.1', 'e', 60_000)
  t.equal(limit.waitSeconds('10.0.0.1', 'other', 60_000), 0, 'after a quiet time it starts afresh')
  for (const address of ['1', '2', '3', '4']) limit.failed(address, 'a', 0)
  t.equal(limit.size, 2, 'and the memory is bounded')
  t.end()
})

t.test(
  'guessing over HTTP: 401, then 429 with Retry-After; right tokens in use go on',
  async (t) => {
    const limits = { guessesMax: 3 }
    const gateway = await gatewayFront(t, [new FakeLink('A')], { token: MASTER, limits })
    const direct = await directFront(t, new FakeLink('A'), { token: MASTER, limits })
    const right = { headers: { 'X-API-Token': MASTER } }
    for (const { front } of [gateway, direct]) {
      t.equal((await call(front.port, '/api/status', right)).status, 200)
      const statuses: number[] = []
      for (let guess = 0; guess < 5; guess++) {
        statuses.push((await call(front.port, '/api/status', as(String(guess)))).status)
      }
      t.strictSame(statuses, [401, 401, 401, 401, 429])
      const refused = await call(front.port, '/api/status', as('again'))
      t.match(refused, { status: 429, body: { code: 'RATE_LIMITED' } })
      t.match(refused.headers['retry-after'], /^[1-9]\d*$/)
      t.equal((await call(front.port, '/api/status')).status, 401, 'no token is no guess')
      t.equal((await call(front.port, '/api/status', right)).status, 200)
    }
    const health = await call(gateway.front.port, '/api/v1/health', as('guess'))
    t.strictSame(health.body.data, { total: 1, healthy: 1 }, 'the open page is no way to try more')
  },
)

t.test('the gateway speaks HTTPS when it has a certificate', async (t) => {
  const file = (name: string): string =>
    fileURLToPath(new URL(`../fixtures/${name}.pem`, import.meta.url))
  const tls = { certFile: file('localhost.cert'), keyFile: file('localhost.key') }
  const { front } = await gatewayFront(t, [new FakeLink('A')], { tls })
  t.equal(front.scheme, 'https')
  const ca = readFileSync(tls.certFile)
  const status = await new Promise<number | undefined>((resolve, reject) => {
    httpsRequest(
      { host: 'localhost', port: front.port, path: '/api/v1/health', ca },
      (response) => {
        response.resume()
        resolve(response.statusCode)
      },
    )
      .on('error', reject)
      .end()
  })
  t.equal(status, 200)
  await t.rejects(call(front.port, '/api/v1/health'), 'plain HTTP is not answered')
})
