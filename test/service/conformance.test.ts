import t, { type Test } from 'tap'
import { get, type Json, post, type Served, serve, until } from './fixture.ts'
import { faults, type Node, object, resolved } from './fixtures/json-schema.ts'
import { type Row, SPECIFICATION } from './fixtures/specification.ts'

type Backend = 'direct' | 'gateway'
const STREAMS: ReadonlySet<string> = new Set(['/api/sse', '/api/v1/accounts/{account_id}/events'])
/** Under whose names clients of all ages look for the switches, at the top of the status. */
const SWITCHES =
  'isMonitoring positionMonitorRunning autoTradingEnabled enableAutoTrading gridTradingEnabled enableGridTrading'.split(
    ' ',
  )
const HOLDING =
  'stock_code stock_name change_percentage current_price cost_price profit_ratio market_value available volume profit_triggered highest_price stop_loss_price open_date base_cost_price stop_profit_enabled'.split(
    ' ',
  )
const TIME = /^\d{4}-\d{2}-\d{2} \d{2}:\d{2}:\d{2}$/

/** The description's operation for a row: parameters have other names there. */
function operationOf(document: Node, { method, path }: Row): Node | undefined {
  const shape = (text: string) => text.replace(/<\w+>|\{\w+\}/g, '*')
  const found = Object.entries(object(document['paths'])).find(
    ([known, item]) =>
      shape(known) === shape(path) && object(item)[method.toLowerCase()] !== undefined,
  )
  return found === undefined ? undefined : object(object(found[1])[method.toLowerCase()])
}

async function ask(base: string, { method, path, ask: where, body }: Row) {
  const response = await fetch(`${base}${where ?? path}`, {
    method,
    ...(body !== undefined && {
      body: JSON.stringify(body),
      headers: { 'Content-Type': 'application/json' },
    }),
  })
  const text = await response.text()
  return { status: response.status, type: response.headers.get('content-type') ?? '', text }
}

function answerFaults(operation: Node, status: number, body: unknown, document: Node): string[] {
  const response = resolved(object(operation['responses'])[status], document)
  const content = object(object(response['content'])['application/json'])
  return 'schema' in content
    ? faults(content['schema'], body, document)
    : [`status ${status} is not described`]
}

const CHINESE = /[\u3400-\u9fff]/

/** The envelope that the specification gives to each backend. */
function envelopeFaults(backend: Backend, { path }: Row, body: Json): string[] {
  if (backend === 'gateway' && path.startsWith('/api/v1/')) {
    return body['success'] === (true as never) && 'data' in body ? [] : ['no success with data']
  }
  const isStamped = TIME.test(String(body['timestamp']))
  if (path.startsWith('/api/grid/') && body['success'] !== (true as never)) return ['no success']
  return typeof body['status'] === 'string' && isStamped ? [] : ['no status with timestamp']
}

const documentOf = async (base: string): Promise<Node> =>
  (await (await fetch(`${base}/openapi.json`)).json()) as Node

async function settled({ gateway }: Served): Promise<void> {
  await until(
    () => get(`${gateway}/api/v1/accounts/10000001/status`),
    ({ body }) => body['data']?.['ready'] === (true as never),
  )
}

const isServed = ({ gateway, isGatewayOnly }: Row, backend: Backend): boolean =>
  backend === 'direct' ? !isGatewayOnly : gateway === 'full' || gateway === 'read-only'

const served = await serve(t)
await settled(served)
const BACKENDS = [
  ['direct', String(served.direct[0])],
  ['gateway', served.gateway],
] as const

for (const [backend, base] of BACKENDS) {
  const document = await documentOf(base)

  /** Asks, and compares with what is described. */
  const check = async (t: Test, row: Row, statuses: readonly number[]): Promise<void> => {
    const name = `${backend} ${row.method} ${row.path}`
    const operation = operationOf(document, row)
    if (!t.ok(operation, `${name} is described`)) return
    const { status, type, text } = await ask(base, row)
    t.ok(statuses.includes(status), `${name}: ${status} ${text.slice(0, 200)}`)
    if (!type.startsWith('application/json')) return
    const body = JSON.parse(text) as Json
    t.strictSame(answerFaults(object(operation), status, body, document), [], name)
    if (status < 300 && row.path.startsWith('/api/')) {
      t.strictSame(envelopeFaults(backend, row, body), [], name)
    }
    t.notMatch(body['message_en'] ?? '', CHINESE, `${name} says it in English, too`)
  }

  t.test(`${backend}: every row of the specification answers as it is described`, async (t) => {
    for (const row of SPECIFICATION.filter((each) => isServed(each, backend))) {
      if (!STREAMS.has(row.path)) await check(t, row, [row.status ?? 200])
    }
  })

  t.test(`${backend}: everything else that can be read answers as it is described`, async (t) => {
    for (const [path, item] of Object.entries(object(document['paths']))) {
      if (!('get' in object(item)) || STREAMS.has(path)) continue
      const asked = path.replace('{account_id}', '10000001').replace(/\{\w+\}/g, 'nothing')
      await check(t, { method: 'GET', path, gateway: 'full', ask: asked }, [200, 400, 404, 409])
    }
  })
}

t.test('the gateway tells of an account and its switches all that direct mode tells', async (t) => {
  const [direct, gateway] = await Promise.all(
    BACKENDS.map(async ([, base]) => (await get(`${base}/api/status`)).body),
  )
  const names = (node: unknown) => Object.keys(object(node)).toSorted()
  for (const part of ['data', 'settings', 'account']) {
    t.strictSame(names(gateway?.[part]), names(direct?.[part]), part)
  }
  t.strictSame(names(gateway), names(direct))
  for (const name of SWITCHES) {
    const value = object(direct?.['settings'])[name]
    t.type(value, 'boolean', name)
    t.strictSame([direct?.[name], gateway?.[name]], [value, value], name)
  }
})

t.test('a row of the positions says all of a holding but what is thought of it', async (t) => {
  for (const [backend, base] of BACKENDS) {
    const { body } = await get(`${base}/api/positions`)
    const data = object(body['data'])
    const [short, full] = [data['positions'], data['positions_all']].map((rows) =>
      Array.from(rows as readonly Json[], (row) => HOLDING.map((name) => row[name])),
    )
    t.not(short?.length, 0, backend)
    t.strictSame(short, full, backend)
    t.notOk(full?.flat().includes(undefined), 'and each has all of them')
  }
})

t.test('a code that is none is named under its field, wherever a body has one', async (t) => {
  const [direct, gateway] = BACKENDS.map(([, base]) => base)
  const order = { stock_code: '12', order_type: 23, order_volume: 100, price_type: 11, price: 10 }
  for (const [url, body] of [
    [`${direct}/api/grid/start`, { stock_code: '12', config: { max_investment: 10_000 } }],
    [`${direct}/api/grid/preview`, { stock_code: '12', config: { max_investment: 10_000 } }],
    [`${direct}/api/grid/stop`, { stock_code: '12' }],
    [`${direct}/api/holdings/stop_profit`, { stock_code: '12', enabled: true }],
    [`${direct}/api/actions/execute_sell`, { stock_code: '12', quantity: 100 }],
    [`${direct}/api/orders/preview`, order],
    [`${gateway}/api/v1/accounts/10000001/orders`, order],
  ] as const) {
    const refused = await post(url, body)
    t.match(refused, { status: 400, body: { code: 'CODE_INVALID' } }, url)
    t.match(refused.body['details'], { stock_code: [/12|six|stock code/] }, url)
    t.strictSame(refused.body['errors'], object(refused.body['details'])['stock_code'], url)
  }
})

t.test('what the tables do not give to the gateway is not there', async (t) => {
  for (const row of SPECIFICATION.filter((each) => each.gateway === 'unavailable')) {
    const { status } = await ask(served.gateway, row)
    const isReadOnly = row.method !== 'GET' && status === 405
    t.ok(status === 404 || isReadOnly, `${row.method} ${row.path}: ${status}`)
  }
})
