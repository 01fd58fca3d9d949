import t from 'tap'
import { call, post } from '../fixtures/client.ts'
import { FakeLink, NOW_TEXT, restarting } from '../fixtures/fake-service.ts'
import { gatewayFront } from '../fixtures/fronts.ts'

const two = (): [FakeLink, FakeLink] => [new FakeLink('A', 0), new FakeLink('B', 1)]

t.test('registering answers 201 with the connection as it is, defaults applied', async (t) => {
  const { front, service } = await gatewayFront(t, two())
  const sent = { account_id: 'C', qmt_path: 'C:/qmt/userdata_mini', session_id: null }
  const { status, body } = await post(front.port, '/api/v1/accounts', sent)
  t.equal(status, 201)
  t.strictSame(body, {
    success: true,
    data: {
      account_id: 'C',
      connected: false,
      message: 'not connected yet',
      message_zh: 'not connected yet',
      message_en: 'not connected yet',
    },
    error: null,
  })
  t.strictSame(service.registered, [
    {
      account_id: 'C',
      qmt_path: 'C:/qmt/userdata_mini',
      account_type: 'STOCK',
      call_timeout: 3,
      reconnect_interval: 60,
      max_reconnect_attempts: 5,
    },
  ])
})

t.test('a registration that cannot be is refused', async (t) => {
  const { front, service } = await gatewayFront(t, two())
  const good = { account_id: 'C', qmt_path: 'C:/qmt' }
  const rows = [
    { ...good, account_id: undefined },
    { ...good, account_id: 123 },
    { ...good, account_id: '../C' },
    { ...good, account_id: 'paper' },
    { ...good, qmt_path: '' },
    { ...good, qmt_path: 'C:\u0000' },
    { ...good, account_type: 'MARGIN' },
    { ...good, call_timeout: 0 },
    { ...good, max_reconnect_attempts: 1.5 },
    { ...good, eligible: 'n1' },
    { ...good, eligible: [] },
    { ...good, eligible: ['N 1'] },
    { ...good, eligible: ['n1', 'n1'] },
  ]
  for (const row of rows) {
    const { status, body } = await post(front.port, '/api/v1/accounts', row)
    t.equal(status, 400, JSON.stringify(row))
    t.match(body, { success: false, data: null, code: 'VALIDATION', errors: [String] })
  }
  t.strictSame(service.registered, [])
})

t.test('accounts are listed, shown, restarted and removed', async (t) => {
  const [a, b] = two()
  const { front } = await gatewayFront(t, [a, b])
  const list = async () => (await call(front.port, '/api/v1/accounts')).body.data.accounts
  t.strictSame(await list(), ['A', 'B'])
  t.strictSame((await call(front.port, '/api/accounts')).body, {
    status: 'success',
    success: true,
    data: { accounts: ['A', 'B'] },
    timestamp: NOW_TEXT,
  })
  t.match((await call(front.port, '/api/v1/accounts/B/status')).body.data, { connected: true })
  t.match((await call(front.port, '/api/v1/health/B')).body.data, { connected: true })
  t.equal((await post(front.port, '/api/v1/accounts/B/restart')).status, 200)
  t.strictSame([a.restarts, b.restarts], [0, 1])
  const removed = await call(front.port, '/api/v1/accounts/A', { method: 'DELETE' })
  t.strictSame(removed.body, { success: true, data: { account_id: 'A' }, error: null })
  t.strictSame(await list(), ['B'])
  t.equal((await call(front.port, '/api/v1/accounts/A', { method: 'DELETE' })).status, 404)
})

t.test('an account that is not registered is 404 on every path that names it', async (t) => {
  const { front } = await gatewayFront(t, two())
  const rows = [
    ['DELETE', ''],
    ['GET', '/status'],
    ['POST', '/restart'],
    ['GET', '/positions'],
    ['GET', '/asset'],
    ['GET', '/orders'],
    ['GET', '/trades'],
    ['DELETE', '/orders/7'],
  ] as const
  for (const [method, rest] of rows) {
    for (const id of ['Z', '__proto__', '%2e%2e', '_account_a']) {
      const { status, body } = await call(front.port, `/api/v1/accounts/${id}${rest}`, { method })
      t.equal(status, 404, `${method} ${id}${rest}`)
      t.equal(body.code, 'UNKNOWN_ACCOUNT')
    }
  }
  t.equal((await call(front.port, '/api/v1/health/Z')).body.code, 'UNKNOWN_ACCOUNT')
})

t.test(
  'F871 whoever watches a service is answered while it starts, and nobody is told 0 of 0',
  async (t) => {
    const [first] = two()
    first.connected = false
    const { front, service } = await gatewayFront(t, [first])
    service.accounts = () => {
      throw restarting()
    }
    const health = () => call(front.port, '/api/v1/health')
    t.match(await health(), { status: 200, body: { data: { total: 1, healthy: 0 } } })
    t.equal((await call(front.port, '/api/v1/accounts')).status, 503, 'a list would lack some')
    const config = { enabled: true, monitor_interval: 60 }
    t.equal((await post(front.port, '/api/v1/stop-profit/config', config)).status, 200)
    t.equal(
      first.lastAsked?.kind,
      'gatewayStopProfit',
      'and is told again, as long as it is wanted',
    )
    service.links.splice(0)
    t.equal((await health()).status, 503)
  },
)

t.test('health: counts for everybody, accounts only with the token', async (t) => {
  const [a, b] = two()
  b.connected = false
  const { front } = await gatewayFront(t, [a, b], { token: 'secret' })
  const health = (headers = {}) => call(front.port, '/api/v1/health', { headers })
  const counts = { success: true, data: { total: 2, healthy: 1 }, error: null }
  t.strictSame((await health()).body, counts)
  t.strictSame((await health({ 'X-API-Token': 'wrong' })).body, counts)
  const full = (await health({ 'X-API-Token': 'secret' })).body.data
  t.match(full, { total: 2, healthy: 1, accounts: { A: { connected: true }, B: {} } })
  a.before = () => {
    throw restarting()
  }
  const partly = (await health({ 'X-API-Token': 'secret' })).body.data
  t.match(partly.accounts.A, { account_id: 'A', code: 'ACTOR_RESTARTING' })
  t.match(partly.accounts.B, { connected: true })
})

t.test('F494 an account that sends no order and no stop is not healthy', async (t) => {
  const [a, b] = two()
  const { front } = await gatewayFront(t, [a, b])
  const counts = async () => (await call(front.port, '/api/v1/health')).body.data
  t.match(await counts(), { total: 2, healthy: 2 })
  for (const what of ['isReduced', 'isHeld', 'isOutOfRoom'] as const) {
    a[what] = true
    t.match(await counts(), { total: 2, healthy: 1 }, what)
    a[what] = false
  }
})

t.test('F929 nor is one whose restore nobody has confirmed', async (t) => {
  const [a, b] = two()
  const { front } = await gatewayFront(t, [a, b])
  a.isUnconfirmed = true
  const { body } = await call(front.port, '/api/v1/health')
  t.match(body.data, { total: 2, healthy: 1 })
})

t.test('the four queries of the broker are answered as published', async (t) => {
  const { front } = await gatewayFront(t, two())
  for (const [name, data] of [
    ['positions', { positions: [] }],
    ['asset', { 总资产: 1 }],
    ['orders', { orders: [] }],
    ['trades', { trades: [] }],
  ] as const) {
    const { status, body } = await call(front.port, `/api/v1/accounts/B/${name}`)
    t.equal(status, 200)
    t.strictSame(body, { success: true, data, error: null })
  }
})

t.test('ticks are keyed by the spelling that was asked for', async (t) => {
  const [a, b] = two()
  const { front } = await gatewayFront(t, [a, b], { limits: { tickCodesMax: 4 } })
  const tick = (query: string) => call(front.port, `/api/v1/market/tick${query}`)
  const { body } = await tick('?stock_codes=600036,SH.600036,%20600036.sh,000001.SZ')
  t.strictSame(Object.keys(body.data), ['600036', 'SH.600036', '600036.sh'])
  t.match(body.data['600036'], { lastPrice: 36.5, bidPrice: [36.4, 0, 0, 0, 0] })
  t.strictSame(b.marketAsked, [])
  await tick('?stock_codes=600036.SH&account_id=B')
  t.strictSame(
    b.marketAsked,
    [{ kind: 'ticks', codes: ['600036.SH'], waitMs: 1_500 }],
    'half a read',
  )
  t.equal((await tick('')).body.code, 'VALIDATION')
  t.equal((await tick('?stock_codes=')).body.code, 'VALIDATION')
  t.equal((await tick('?stock_codes=,')).body.code, 'VALIDATION')
  t.equal((await tick('?stock_codes=1,2,3,4,5')).body.code, 'VALIDATION')
  t.equal((await tick('?stock_codes=nonsense')).body.code, 'CODE_INVALID')
  t.equal((await tick('?stock_codes=600036&account_id=Z')).body.code, 'UNKNOWN_ACCOUNT')
})

t.test('F586 as many codes as are said to fit do, and what is longer names the mend', async (t) => {
  const { front } = await gatewayFront(t, two())
  const tick = (count: number) => {
    const codes = Array.from({ length: count }, (_, i) => `${600_000 + i}.SH`).join(',')
    const query = new URLSearchParams({ stock_codes: codes, account_id: '1'.repeat(32) })
    return call(front.port, `/api/v1/market/tick?${query}`)
  }
  const { body: description } = await call(front.port, '/openapi.json')
  const { parameters } = description.paths['/api/v1/market/tick'].get
  const told = parameters.find(({ name }: { name: string }) => name === 'stock_codes').description
  const count = Number(/(\d+) codes/.exec(told)?.[1])
  t.equal((await tick(count)).body.code, 'UNKNOWN_ACCOUNT', 'it was read')
  const { status, body } = await tick(count + 20)
  t.equal(status, 400)
  t.match(body.message_zh, /2048.*分几次/)
  t.match(body.message_en, /2048.*several requests/)
})

t.test('one code that is none does not refuse the others, and is named', async (t) => {
  const { front } = await gatewayFront(t, two())
  const { status, body } = await call(
    front.port,
    '/api/v1/market/tick?stock_codes=600036,nonsense,899001',
  )
  t.equal(status, 200)
  t.strictSame(Object.keys(body.data), ['600036'])
  t.strictSame(body.errors, [
    "stock_codes: 'nonsense' 不是证券代码，请写六位数字 (is not a stock code)",
    "stock_codes: '899001' 无法判断交易所，请加 .SH、.SZ 或 .BJ (names no exchange; add .SH, .SZ or .BJ)",
  ])
  const whole = await call(front.port, '/api/v1/market/tick?stock_codes=600036')
  t.notOk('errors' in whole.body, 'nothing is said of nothing')
})

const COMPATIBLE = [
  '/api/connection/status',
  '/api/status',
  '/api/positions',
  '/api/positions-all',
  '/api/orders',
  '/api/trade-records',
  '/api/config',
] as const

t.test('compatible reads: the named account, else the first, never another', async (t) => {
  const [a, b] = two()
  b.texts.orders = '{"status":"success","data":["of B"]'
  const { front } = await gatewayFront(t, [a, b])
  const read = (path: string, id?: string) =>
    call(front.port, path, { headers: id === undefined ? {} : { 'X-Account-Id': id } })
  t.strictSame((await read('/api/orders')).body.data, ['order'])
  t.strictSame((await read('/api/orders', 'B')).body.data, ['of B'])
  t.strictSame((await read('/api/orders', '')).body.data, ['order'])
  for (const path of COMPATIBLE) {
    t.match((await read(path, 'B')).body, { status: 'success' }, path)
    const unknown = await read(path, 'Z')
    t.equal(unknown.status, 404, path)
    t.match(unknown.body, { code: 'UNKNOWN_ACCOUNT', data: null })
  }
})

t.test('compatible reads without any account are empty, not wrong', async (t) => {
  const { front } = await gatewayFront(t, [])
  const read = async (path: string) => (await call(front.port, path)).body
  t.match(await read('/api/status'), { status: 'error', error: String })
  t.match(await read('/api/positions'), { status: 'error', error: String })
  for (const path of ['/api/positions-all', '/api/orders', '/api/trade-records']) {
    t.strictSame(await read(path), { status: 'success', data: [], timestamp: NOW_TEXT })
  }
  t.match(await read('/api/connection/status'), { status: 'success', connected: false })
  t.match(await read('/api/config'), { status: 'success' })
  t.match(await read('/api/v1/health'), { data: { total: 0, healthy: 0 } })
  t.equal((await call(front.port, '/api/v1/market/tick?stock_codes=600036')).status, 404)
})

t.test('F679 that there is no account is told like every other refusal', async (t) => {
  const { front } = await gatewayFront(t, [])
  for (const path of ['/api/status', '/api/positions']) {
    const { status, body } = await call(front.port, path)
    t.equal(status, 200, path)
    const text = '没有注册任何账户 (no account is registered)'
    t.strictSame(body, {
      success: false,
      status: 'error',
      error: text,
      message: text,
      message_zh: '没有注册任何账户',
      message_en: 'no account is registered',
      detail: text,
      code: 'UNKNOWN_ACCOUNT',
      data: null,
      timestamp: NOW_TEXT,
    })
  }
})

t.test('the configuration of the gateway is the fixed defaults; nothing is invented', async (t) => {
  const { front } = await gatewayFront(t, two())
  const { body } = await call(front.port, '/api/config')
  t.match(body.data, {
    singleBuyAmount: 35_000,
    firstProfitSell: 6,
    stockGainSellPencent: 60,
    stopLossBuy: 7,
    stockStopLoss: 7.5,
    singleStockMaxPosition: 70_000,
    totalMaxPosition: 950_000,
    globalAutoOperation: null,
    simulationMode: null,
  })
  t.strictSame(body.ranges.singleBuyAmount, { min: 1_000, max: 100_000 })
  t.equal(Object.keys(body.ranges).length, 7)
})

t.test(
  'status without a known direct mode: the runtime switches are null, the others stay',
  async (t) => {
    const { front } = await gatewayFront(t, two())
    const { body } = await call(front.port, '/api/status')
    t.strictSame(body.settings, {
      enableAutoTrading: false,
      enableGridTrading: true,
      allowBuy: true,
      allowSell: true,
      isMonitoring: null,
      simulationMode: null,
      positionMonitorRunning: null,
    })
    t.match(body, {
      status: 'success',
      isMonitoring: null,
      account: { id: 'A' },
      timestamp: NOW_TEXT,
    })
    t.strictSame(body.data.settings, body.settings)
  },
)

t.test('gateway positions follow the version like direct mode', async (t) => {
  const { front } = await gatewayFront(t, two())
  const read = async (path: string) => (await call(front.port, path)).body
  t.strictSame((await read('/api/positions?version=0')).data, { positions: [1] })
  t.equal((await read('/api/positions?version=58')).no_change, true)
  t.strictSame((await read('/api/positions-all')).data, [1])
  t.equal((await read('/api/positions-all?version=58')).no_change, true)
})

t.test('a restarting account is 503 with Retry-After, and the others answer', async (t) => {
  const [a, b] = two()
  const { front } = await gatewayFront(t, [a, b])
  a.before = () => {
    throw restarting()
  }
  const broken = await call(front.port, '/api/v1/accounts/A/positions')
  t.equal(broken.status, 503)
  t.equal(broken.headers['retry-after'], '1')
  t.equal((await call(front.port, '/api/v1/accounts/B/positions')).status, 200)
})

t.test('F547 a restart is told in both languages', async (t) => {
  const { front } = await gatewayFront(t, [new FakeLink('A')])
  t.match((await post(front.port, '/api/v1/accounts/A/restart')).body.data, {
    message_zh: '正在重启账户',
    message_en: 'the account restarts',
  })
})
