import t, { type Test } from 'tap'
import { get, type Json, post, serve, until } from './fixture.ts'
import type { Expected, Kind } from './fixtures/client-reads.ts'
import { CONSOLE, MONITOR, PYTHON } from './fixtures/clients.ts'
import { END_OF_GRID, MONITOR_OF_GRID } from './fixtures/clients-grid.ts'

const TOKEN = 'a-token-of-at-least-thirty-two-characters'
const TIME = /^\d{4}-\d{2}-\d{2} \d{2}:\d{2}:\d{2}$/

const CHECKS: Readonly<Record<Kind, (value: unknown) => boolean>> = {
  number: Number.isFinite,
  string: (value) => typeof value === 'string' && value !== '',
  boolean: (value) => typeof value === 'boolean',
  array: (value) => Array.isArray(value) && value.length > 0,
  object: (value) => typeof value === 'object' && value !== null,
  time: (value) => TIME.test(String(value)),
  'date and time': (value) => String(value).split(' ').length === 2,
  '?number': (value) => value === null || Number.isFinite(value),
  '?boolean': (value) => value === null || typeof value === 'boolean',
  '?string': (value) => value === null || typeof value === 'string',
  true: (value) => value === true,
  false: (value) => value === false,
  success: (value) => value === 'success',
  positive: (value) => Number.isFinite(value) && Number(value) > 0,
  null: (value) => value === null,
}

/** The values at `data[].price`; a dot inside a name is written `~`. */
function valuesAt(body: unknown, path: string): unknown[] {
  return path.split('.').reduce<unknown[]>(
    (values, step) => {
      const name = step.replace('[]', '').replace('~', '.')
      const found = values.map((value) => (value as Json | undefined)?.[name])
      return step.endsWith('[]')
        ? found.flatMap((list) => (Array.isArray(list) ? list : []))
        : found
    },
    [body],
  )
}

const missing = (body: unknown, reads: Expected['reads']): string[] =>
  Object.entries(reads).flatMap(([path, kind]) => {
    const values = valuesAt(body, path)
    if (values.length === 0) return [`${path}: no rows`]
    const wrong = values.find((value) => !CHECKS[kind](value))
    return values.every(CHECKS[kind]) ? [] : [`${path}: ${JSON.stringify(wrong)} is no ${kind}`]
  })

interface Caller {
  readonly base: string
  readonly headers?: Record<string, string>
}

async function play(t: Test, client: readonly Expected[], { base, headers = {} }: Caller) {
  for (const { method, path, body, reads } of client) {
    const response = await fetch(`${base}${path}`, {
      method,
      headers: { ...headers, ...(body && { 'Content-Type': 'application/json' }) },
      ...(body && { body: JSON.stringify(body) }),
    })
    const text = await response.text()
    t.ok(response.ok, `${method} ${path}: ${response.status} ${text.slice(0, 200)}`)
    t.match(response.headers.get('content-type'), /application\/json/)
    t.strictSame(missing(JSON.parse(text), reads), [], `${method} ${path}`)
  }
}

/** Something to read: a holding, an order that filled, and one that rests. */
async function traded({ gateway, direct }: Awaited<ReturnType<typeof serve>>) {
  const headers = { 'X-API-Token': TOKEN }
  await until(
    () => get(`${gateway}/api/v1/accounts/10000001/status`, headers),
    ({ body }) => body['data']?.['ready'] === (true as never),
  )
  const sell = (fields: object) =>
    post(`${direct[0]}/api/actions/execute_sell`, {
      stock_code: '600036',
      quantity: 100,
      ...fields,
    })
  await sell({})
  await sell({ price_type: 11, price: 38.5 })
  await until(
    () => get(`${direct[0]}/api/trade-records`),
    ({ body }) => Number(body['data']?.['length']) > 0,
  )
}

const served = await serve(t, {
  overrides: { gateway: { host: '127.0.0.1', port: 0, api_token: TOKEN } },
})
await traded(served)
const withToken = { 'X-API-Token': TOKEN }

t.test('the monitor finds every field that it reads, from another origin', async (t) => {
  const headers = { ...withToken, 'X-Account-Id': '10000001', Origin: 'http://monitor.test' }
  await play(t, MONITOR, { base: served.gateway, headers })
  const again = await get(`${served.gateway}/api/positions?version=1000000`, headers)
  t.match(again.body, { no_change: true, data_version: Number, data: { positions_all: [] } })
})

t.test('the monitor sees null for what nobody knows, and the key is there', async (t) => {
  const registration = { account_id: '20000002', qmt_path: 'C:/qmt/other' }
  const registered = await post(`${served.gateway}/api/v1/accounts`, registration, withToken)
  t.equal(registered.status, 201)
  const headers = { ...withToken, 'X-Account-Id': '20000002' }
  const { body } = await get(`${served.gateway}/api/status`, headers)
  t.match(body['settings'], { isMonitoring: null, simulationMode: null, allowBuy: Boolean })
  t.equal(body['isMonitoring'], null)
})

t.test(
  'the monitor may ask from a page of another origin without a preflight refused',
  async (t) => {
    const response = await fetch(`${served.gateway}/api/positions`, {
      method: 'OPTIONS',
      headers: {
        Origin: 'http://monitor.test',
        'Access-Control-Request-Method': 'GET',
        'Access-Control-Request-Headers': 'x-account-id,x-api-token',
      },
    })
    t.equal(response.status, 204)
    t.equal(response.headers.get('access-control-allow-origin'), '*')
    t.match(response.headers.get('access-control-allow-headers'), /X-API-Token, X-Account-Id/)
  },
)

t.test('the Python client finds every field that it reads', async (t) => {
  await play(t, PYTHON, { base: served.gateway, headers: withToken })
  const { body } = await post(
    `${served.gateway}/api/v1/accounts/10000001/orders`,
    { stock_code: '600036.SH', order_type: 24, order_volume: 100, price_type: 11, price: 38 },
    withToken,
  )
  const id = Number(body['data']?.['order_id'])
  const response = await fetch(`${served.gateway}/api/v1/accounts/10000001/orders/${id}`, {
    method: 'DELETE',
    headers: withToken,
  })
  t.strictSame(missing(await response.json(), { success: 'true', 'data.result': 'number' }), [])
})

t.test('the console finds every field that it reads, and may send its whole form', async (t) => {
  const direct = { base: String(served.direct[0]) }
  await play(t, CONSOLE, direct)
  await play(t, MONITOR_OF_GRID, { base: served.gateway, headers: withToken })
  await play(t, END_OF_GRID, direct)
})

t.test('the console hears the stream at once, with the fields that it reads', async (t) => {
  const ended = new AbortController()
  const response = await fetch(`${served.direct[0]}/api/sse`, { signal: ended.signal })
  const reader = response.body?.getReader()
  const chunk = await reader?.read()
  const [line = ''] = Buffer.from(chunk?.value ?? [])
    .toString('utf8')
    .split('\n')
  ended.abort()
  t.match(line, /^data: \{/)
  t.strictSame(
    missing(JSON.parse(line.slice('data: '.length)), {
      timestamp: 'time',
      'account_info.available': 'number',
      'account_info.market_value': 'number',
      'account_info.total_asset': 'number',
      'monitoring.isMonitoring': 'boolean',
      'monitoring.autoTradingEnabled': 'boolean',
      'monitoring.gridTradingEnabled': 'boolean',
      'monitoring.allowBuy': 'boolean',
      'monitoring.allowSell': 'boolean',
      'monitoring.simulationMode': 'boolean',
      'positions_update.version': 'positive',
      'positions_update.changed': 'boolean',
    }),
    [],
  )
})

t.test('with named tokens the gateway still learns the switches from direct mode', async (t) => {
  const hash = `sha256:${'0'.repeat(64)}`
  const { gateway, direct } = await serve(t, {
    overrides: {
      gateway: { host: '127.0.0.1', port: 0, api_token: TOKEN },
      tokens: [{ name: 'nobody', hash, scope: 'view' }],
    },
  })
  t.equal((await get(`${direct[0]}/api/status`)).status, 401)
  const status = await until(
    () => get(`${gateway}/api/status`, withToken),
    ({ body }) => body['account']?.['id'] === ('10000001' as never),
  )
  t.match(status.body['settings'], { isMonitoring: false, simulationMode: false })
})
