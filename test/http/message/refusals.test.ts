import { createHash } from 'node:crypto'
import t, { type Test } from 'tap'
import { type ErrorCode, POLICY, ServiceError } from '../../../src/domain/errors.ts'
import { type Row, SPECIFICATION } from '../../service/fixtures/specification.ts'
import { type Answer, call } from '../fixtures/client.ts'
import { FakeLink, NOW_TEXT } from '../fixtures/fake-service.ts'
import { directFront, gatewayFront } from '../fixtures/fronts.ts'

const TOKEN = 'the-token'
const AUTHORIZED = { 'X-API-Token': TOKEN }
const VIEWER = { 'X-API-Token': 'a-token-to-look' }
const TOKENS = [
  {
    name: 'viewer',
    hash: 'sha256:f199be1a182490131f88da10fa7df70dd23ec95d0c08dcedcb3bdcca7fd11047',
    scope: 'view' as const,
    accounts: [],
    expires: '',
  },
]
const BODY_BYTES_MAX = 4_096

type Backend = 'direct' | 'gateway'
interface Setting {
  readonly backend: Backend
  readonly port: number
  readonly link: FakeLink
  readonly rows: readonly Row[]
}

/** A listener with a token, and the rows that it serves under one. */
async function settingOf(t: Test, backend: Backend): Promise<Setting> {
  const link = new FakeLink('10000001')
  const options = { token: TOKEN, tokens: TOKENS, limits: { bodyBytesMax: BODY_BYTES_MAX } }
  const { front } =
    backend === 'direct'
      ? await directFront(t, link, options)
      : await gatewayFront(t, [link], options)
  const isHere = ({ gateway, isGatewayOnly, path }: Row) => {
    if (path === '/api/v1/health') return false
    return backend === 'direct' ? !isGatewayOnly : gateway === 'full' || gateway === 'read-only'
  }
  return { backend, port: front.port, link, rows: SPECIFICATION.filter(isHere) }
}

interface Sent {
  readonly headers?: Record<string, string>
  readonly body?: string | object
  readonly method?: string
}

const send = ({ port }: Setting, row: Row, { headers = {}, body, method }: Sent): Promise<Answer> =>
  call(port, row.ask ?? row.path, {
    method: method ?? row.method,
    headers,
    ...(body !== undefined && { body }),
  })

/** The one error body, and what the status promises beside it. */
function refused(t: Test, answer: Answer, code: ErrorCode, name: string): void {
  const { status } = POLICY[code]
  t.equal(answer.status, status, `${name} ${code}: ${answer.text.slice(0, 120)}`)
  t.match(
    answer.body,
    { success: false, status: 'error', error: String, message: String, detail: String, code },
    name,
  )
  t.equal(answer.body?.timestamp, NOW_TEXT)
  if (status === 429 || status === 503) t.match(answer.headers['retry-after'], /^[1-9]\d*$/, name)
}

const JSON_TYPE = { 'Content-Type': 'application/json' }
const TEXT_TYPE = { 'Content-Type': 'text/plain' }

/** What any request may be refused for before its account hears of it. */
async function refusedAtTheDoor(t: Test, setting: Setting, row: Row): Promise<void> {
  const name = `${setting.backend} ${row.method} ${row.path}`
  refused(t, await send(setting, row, {}), 'UNAUTHORIZED', name)
  const wrong = { headers: { 'X-API-Token': 'wrong' } }
  refused(t, await send(setting, row, wrong), 'UNAUTHORIZED', name)
  const other = await send(setting, row, { headers: AUTHORIZED, method: 'PATCH' })
  refused(t, other, 'METHOD_NOT_ALLOWED', name)
  t.match(other.headers.allow, row.method, name)
  const foreign = { ...AUTHORIZED, Host: 'evil.test' }
  const visit = await send(setting, row, { headers: foreign, method: 'PATCH' })
  if (setting.backend === 'direct') refused(t, visit, 'HOST_REFUSED', name)
  const isRead = row.method === 'GET' || row.path.endsWith('/preview')
  if (!isRead) refused(t, await send(setting, row, { headers: VIEWER }), 'SCOPE_REFUSED', name)
  if (row.body === undefined || Object.keys(row.body).length === 0) return
  const json = { ...AUTHORIZED, ...JSON_TYPE }
  for (const body of ['{', '[]', 'null', '{"a":1,"a":2}']) {
    refused(t, await send(setting, row, { headers: json, body }), 'BAD_JSON', name)
  }
  const text = { headers: { ...AUTHORIZED, ...TEXT_TYPE }, body: '{}' }
  refused(t, await send(setting, row, text), 'NOT_JSON', name)
  const large = { headers: json, body: `{"x":"${'y'.repeat(BODY_BYTES_MAX)}"}` }
  refused(t, await send(setting, row, large), 'BODY_TOO_LARGE', name)
}

/** About all accounts; to a token of some accounts, about these. */
const SHOWS_OWN = [
  '/api/v1/nodes',
  '/api/accounts',
  '/api/v1/accounts',
  '/api/v1/metrics',
  '/api/v1/stop-profit/status',
]

/** Rows that are answered without the account. */
const WITHOUT_ACCOUNT = [
  'GET /api/sse',
  'GET /api/accounts',
  'GET /api/config',
  'POST /api/v1/accounts',
  'POST /api/v1/market/download', // becomes a job
  'GET /api/v1/accounts',
  'GET /api/v1/metrics', // shows the others, and of this one that it did not answer
  'GET /api/v1/stop-profit/status',
  'POST /api/v1/stop-profit/config',
  'POST /api/v1/stop-profit/toggle',
  'DELETE /api/v1/accounts/{account_id}',
  'POST /api/v1/accounts/{account_id}/restart',
]

/** Tells of each account for itself, and of one that does not answer just that. */
const OF_EACH = [
  'GET /api/consoles',
  'POST /api/kill-switch/all',
  'GET /api/v1/overview',
  'POST /api/v1/kill-switch',
]
/** What the process says of itself. */
const OF_PROCESS = [
  '/api/settings',
  '/api/settings/described',
  '/api/first-start',
  '/api/nodes',
  '/api/v1/nodes',
  '/api/market/source',
  '/api/v1/market/source',
]

/** Whether an endpoint waits for the answer of one account. */
function asksOne(backend: 'direct' | 'gateway', { method, path }: Row): boolean {
  const name = `${method} ${path}`
  if (method === 'DELETE' && path.endsWith('{account_id}')) return false
  if (backend === 'gateway' && WITHOUT_ACCOUNT.includes(name)) return false
  return path !== '/api/sse' && !OF_EACH.includes(name) && !OF_PROCESS.includes(path)
}

for (const backend of ['direct', 'gateway'] as const) {
  t.test(`${backend}: every endpoint refuses what it must at the door`, async (t) => {
    const setting = await settingOf(t, backend)
    for (const row of setting.rows) await refusedAtTheDoor(t, setting, row)
    t.strictSame(setting.link.asked, [], 'and the account heard of none of it')
  })

  for (const code of ['ACTOR_RESTARTING', 'CALL_TIMEOUT'] as const) {
    t.test(`${backend}: every endpoint says so when its account answers ${code}`, async (t) => {
      const setting = await settingOf(t, backend)
      setting.link.before = () => {
        throw new ServiceError(code, 'the account says no')
      }
      for (const row of setting.rows) {
        const name = `${row.method} ${row.path}`
        if (!asksOne(backend, row)) continue
        const sent = { headers: AUTHORIZED, ...(row.body && { body: row.body }) }
        refused(t, await send(setting, row, sent), code, name)
      }
    })
  }

  t.test(`${backend}: every code has its status and the one error body`, async (t) => {
    const setting = await settingOf(t, backend)
    const row: Row = { method: 'GET', path: '/api/orders', gateway: 'full' }
    for (const code of Object.keys(POLICY) as ErrorCode[]) {
      setting.link.before = () => {
        throw new ServiceError(code, 'said')
      }
      const answer = await send(setting, row, { headers: AUTHORIZED })
      refused(t, answer, code, code)
      t.equal('data' in answer.body, backend === 'gateway')
    }
    const statuses = new Set(Object.values(POLICY).map(({ status }) => status))
    t.strictSame(
      [...statuses].sort((a, b) => a - b),
      [400, 401, 403, 404, 405, 409, 413, 415, 429, 500, 503, 504],
      'and there is no other status',
    )
  })
}

t.test(
  'for a token of another account there is nothing of this one, on any endpoint',
  async (t) => {
    const [mine, other] = [new FakeLink('20000002'), new FakeLink('10000001')]
    const token = 'a-token-of-one-account'
    const hash = `sha256:${createHash('sha256').update(token).digest('hex')}`
    const tokens = [
      { name: 'one', hash, scope: 'admin' as const, accounts: ['20000002'], expires: '' },
    ]
    const { front, service } = await gatewayFront(t, [other, mine], { tokens })
    const setting = { ...(await settingOf(t, 'gateway')), port: front.port }
    const headers = { 'X-API-Token': token, 'X-Account-Id': '10000001' }
    for (const row of setting.rows) {
      const answer = await send(setting, row, { headers, ...(row.body && { body: row.body }) })
      const name = `${row.method} ${row.path}`
      const isList = SHOWS_OWN.includes(row.path) && row.method === 'GET'
      if (!isList && !OF_EACH.includes(name)) {
        t.ok([403, 404].includes(answer.status), `${name}: ${answer.status}`)
      }
      t.notMatch(answer.text, /10000001/, row.path)
    }
    t.strictSame([other.asked, other.marketAsked, other.restarts], [[], [], 0])
    t.strictSame([service.registered, service.links.length], [[], 2])
  },
)

t.test('an account that is not there is 404 wherever it can be named', async (t) => {
  const setting = await settingOf(t, 'gateway')
  for (const row of setting.rows) {
    const path = (row.ask ?? row.path).replace('10000001', 'nobody').replace('10000002', 'nobody')
    const isNamed = path.includes('nobody')
    const isChosen = /^\/api\/(?!v1\/|accounts$)/.test(row.path)
    if (!isNamed && !isChosen) continue
    const headers = { ...AUTHORIZED, ...(isChosen && { 'X-Account-Id': 'nobody' }) }
    const sent = { headers, ...(row.body && { body: row.body }) }
    refused(t, await send(setting, { ...row, ask: path }, sent), 'UNKNOWN_ACCOUNT', row.path)
  }
  t.strictSame(setting.link.asked, [])
})
