import t from 'tap'
import { ServiceError } from '../../../src/domain/errors.ts'
import { call, post } from '../fixtures/client.ts'
import { FakeLink, NOW_TEXT } from '../fixtures/fake-service.ts'
import { directFront, gatewayFront } from '../fixtures/fronts.ts'

const READS = [
  ['/api/connection/status', { connected: true }],
  ['/api/status', { isMonitoring: false }],
  ['/api/trade-records', { data: ['record'] }],
  ['/api/orders', { data: ['order'] }],
  ['/api/config', { data: { singleBuyAmount: 35_000 } }],
  ['/api/debug/status', { system_status: {} }],
  ['/api/stock_pool/list', { data: ['300766'] }],
] as const

t.test(
  'every read answers the published bytes, the status and the time of the market',
  async (t) => {
    const { front } = await directFront(t, new FakeLink('A'))
    for (const [path, expected] of READS) {
      const { status, body, headers } = await call(front.port, path)
      t.equal(status, 200, path)
      t.match(body, { status: 'success', timestamp: NOW_TEXT, ...expected }, path)
      t.match(headers['x-request-id'], /^[0-9a-f]{12}-[0-9a-z]+$/)
      t.equal(headers['access-control-allow-origin'], undefined, 'no permissive CORS')
      t.equal(headers['cache-control'], 'no-store')
    }
  },
)

t.test('positions: a client at or above the version gets no data', async (t) => {
  const { front } = await directFront(t, new FakeLink('A'))
  const full = { data: { positions: [1] }, data_version: 58, no_change: false }
  const none = {
    data: { positions: [], metrics: {}, positions_all: [] },
    data_version: 58,
    no_change: true,
  }
  const rows = [
    ['', full],
    ['?version=0', full],
    ['?version=57', full],
    ['?version=58', none],
    ['?version=59', none],
    ['?version=abc', full],
    ['?version=', full],
    ['?version=1e9', full],
  ] as const
  for (const [query, expected] of rows) {
    const { body } = await call(front.port, `/api/positions${query}`)
    t.strictSame(body, { status: 'success', ...expected, timestamp: NOW_TEXT }, query)
  }
})

t.test(
  'positions: with the counter at 0 version 0 is up to date, but not in positions-all',
  async (t) => {
    const link = new FakeLink('A')
    link.dataVersion = 0
    const { front } = await directFront(t, link)
    t.equal((await call(front.port, '/api/positions?version=0')).body.no_change, true)
    t.equal((await call(front.port, '/api/positions')).body.no_change, false)
    t.equal((await call(front.port, '/api/positions-all?version=0')).body.no_change, false)
  },
)

t.test('positions-all: only a version above 0 can be up to date', async (t) => {
  const { front } = await directFront(t, new FakeLink('A'))
  const isUnchanged = async (query: string): Promise<boolean> =>
    (await call(front.port, `/api/positions-all${query}`)).body.no_change
  t.equal(await isUnchanged(''), false)
  t.equal(await isUnchanged('?version=-1'), false)
  t.equal(await isUnchanged('?version=57'), false)
  t.strictSame((await call(front.port, '/api/positions-all?version=58')).body, {
    status: 'success',
    data: [],
    data_version: 58,
    no_change: true,
    timestamp: NOW_TEXT,
  })
})

t.test('F532 what the exits do not do stands in the answer', async (t) => {
  const link = new FakeLink('A')
  const { front } = await directFront(t, link)
  const save = async () => (await post(front.port, '/api/config/save', { stopLossBuy: 9 })).body
  t.notOk(Object.hasOwn(Object(await save()), 'warnings'), 'nothing is wrong')
  const text = '从不补仓 (nothing is ever bought)'
  link.answers.saveConfig = { ...SWITCHES, savedCount: 1, warnings: [text] }
  t.match(await save(), {
    status: 'success',
    warnings: [text],
    message_zh: '已保存 1 项参数；请注意：从不补仓',
    message_en: '1 parameters saved; nothing is ever bought',
  })
})

const SWITCHES = { isMonitoring: true, autoTradingEnabled: false, gridTradingEnabled: true }
const WRITES = [
  ['/api/monitor/start', undefined, { kind: 'setMaster', on: true }, SWITCHES],
  ['/api/monitor/stop', { isMonitoring: true }, { kind: 'setMaster', on: false }, SWITCHES],
  [
    '/api/config/save',
    { singleBuyAmount: 2_000, allowBuy: false, StopLossEnabled: 'x', firstProfitSellEnabled: true },
    { kind: 'saveConfig', changes: { singleBuyAmount: 2_000, allowBuy: false } },
    {
      ...SWITCHES,
      saved_count: 2,
      failed_count: 0,
      ignored: ['StopLossEnabled', 'firstProfitSellEnabled'],
    },
  ],
  [
    '/api/initialize_positions',
    undefined,
    { kind: 'initializePositions', changes: {} },
    { success: true, message: 'done', updated_count: 3, error_count: 0 },
  ],
  [
    '/api/holdings/init',
    { stopLossBuy: 7.5, unknown: 1 },
    { kind: 'initializePositions', changes: { stopLossBuy: 7.5 } },
    { success: true, message: 'done', updated_count: 3, error_count: 0, ignored: ['unknown'] },
  ],
  [
    '/api/holdings/init',
    undefined,
    { kind: 'initializePositions', changes: {} },
    { success: true, message: 'done', updated_count: 3, error_count: 0 },
  ],
  [
    '/api/holdings/update',
    { stock_code: '600036', profit_triggered: false, highest_price: 36.1, stop_loss_price: 0 },
    {
      kind: 'updateHolding',
      code: '600036.SH',
      profitTriggered: false,
      highestPrice: 361_000,
      stopLossPrice: 0,
    },
    { message: 'updated' },
  ],
  [
    '/api/holdings/stop_profit',
    { stock_code: 'SZ.000001', enabled: true },
    { kind: 'setStopProfit', code: '000001.SZ', enabled: true },
    { message: 'switched', enabled: true },
  ],
  ['/api/logs/clear', undefined, { kind: 'clearRecords', scope: 'today' }, { removed: 4 }],
  ['/api/data/clear_buysell', {}, { kind: 'clearRecords', scope: 'all' }, { removed: 4 }],
  ['/api/data/import', undefined, { kind: 'importData' }, { ...SWITCHES, applied_count: 14 }],
  [
    '/api/actions/execute_buy',
    { strategy: 'custom_stock', quantity: 2, stocks: ['600036', '000001.SZ'], singleBuyAmount: 1 },
    {
      kind: 'executeBuy',
      key: 'fresh-key',
      strategy: 'custom_stock',
      count: 2,
      codes: ['600036.SH', '000001.SZ'],
    },
    { success_count: 1, total_count: 2, message: 'bought' },
  ],
  [
    '/api/actions/execute_buy',
    { quantity: 1, stocks: ['600036'] },
    { kind: 'executeBuy', strategy: 'random_pool', count: 1 },
    { success_count: 1 },
  ],
  [
    '/api/actions/execute_sell',
    { stock_code: '600036', quantity: 100, price: 36.5 },
    { kind: 'executeSell', code: '600036.SH', quantity: 100, priceType: 11, price: 365_000 },
    { success_count: 1, total_count: 1, message: 'sold' },
  ],
  [
    '/api/actions/execute_sell',
    { stock_code: '600036', ratio: 0.5 },
    { kind: 'executeSell', code: '600036.SH', ratio: 0.5, priceType: 5, price: 0 },
    { success_count: 1 },
  ],
  [
    '/api/orders/1082131/cancel',
    undefined,
    { kind: 'cancelOrder', orderId: '1082131' },
    { result: 0, order_id: '1082131' },
  ],
  [
    '/api/orders/01ARZ3NDEKTSV4RRFFQ69G5FAV/resolve',
    { as: 'absent' },
    { kind: 'resolveDoubt', clientOrderId: '01ARZ3NDEKTSV4RRFFQ69G5FAV', orderId: '' },
    { client_order_id: '01J00000000000000000000001' },
  ],
  [
    '/api/orders/01ARZ3NDEKTSV4RRFFQ69G5FAV/resolve',
    { as: '1082131' },
    { kind: 'resolveDoubt', clientOrderId: '01ARZ3NDEKTSV4RRFFQ69G5FAV', orderId: '1082131' },
    { state: 'accepted' },
  ],
] as const

t.test('every write asks the account once and answers at top level and under data', async (t) => {
  for (const [path, sent, asked, answered] of WRITES) {
    const link = new FakeLink('A')
    const { front } = await directFront(t, link)
    const { status, body, headers } = await post(front.port, path, sent)
    t.equal(status, 200, path)
    t.equal(link.asked.length, 1, path)
    t.match(link.lastAsked, { ...asked, source: 'http/direct/127.0.0.1' }, path)
    t.match(body, { status: 'success', timestamp: NOW_TEXT, ...answered, data: answered }, path)
    t.equal(link.options[0]?.correlationId, headers['x-request-id'])
  }
})

t.test('F65 a setting that nobody knows does not look saved', async (t) => {
  const link = new FakeLink('A')
  const { front } = await directFront(t, link)
  const done = { fields: { message: 'done' } }
  Object.assign(link.answers, { gridStart: done, gridPreview: done, gridTemplateSave: done })
  Object.assign(link.answers, { gridBacktest: { fields: { stock_code: '600036.SH' } } })
  const misspelled = await post(front.port, '/api/config/save', {
    stockStopLos: 5,
    connectPort: 81,
  })
  t.match(misspelled, { status: 200, body: { ignored: ['stockStopLos', 'connectPort'] } })
  t.match(misspelled.body.message, /1 项不认识.*: stockStopLos$/, 'said in the message too')
  t.strictSame(misspelled.body.data.ignored, misspelled.body.ignored)
  const whole = await post(front.port, '/api/config/save', { allowBuy: true })
  const said = { message_zh: '已保存 2 项参数', message_en: '2 parameters saved', ignored: [] }
  t.match(whole.body, said, 'and nothing is said of nothing')
  const grid = { stock_code: '600036', price_intervall: 0.05, config: { max_investmnt: 1 } }
  for (const path of ['/api/grid/start', '/api/grid/preview', '/api/grid/backtest']) {
    const { body } = await post(front.port, path, grid)
    t.strictSame(body.ignored, ['price_intervall', 'config.max_investmnt'], path)
  }
  const holding = { stock_code: '600036', highestPrice: 40 }
  t.strictSame((await post(front.port, '/api/holdings/update', holding)).body.ignored, [
    'highestPrice',
  ])
  const template = { template_name: 'mine', target: 1 }
  t.strictSame((await post(front.port, '/api/grid/template/save', template)).body.ignored, [
    'target',
  ])
  const { front: gateway } = await gatewayFront(t, [link])
  const module = await post(gateway.port, '/api/v1/stop-profit/config', { stop_loss: -0.1 })
  t.match(module.body, { success: true, data: { ignored: ['stop_loss'] } })
})

t.test('a route without a body does not care what is sent', async (t) => {
  const { front } = await directFront(t, new FakeLink('A'))
  for (const body of [undefined, '', '{}', 'nonsense', '{"a":']) {
    t.equal((await post(front.port, '/api/monitor/start', body)).status, 200, String(body))
  }
})

const REFUSED = [
  ['/api/config/save', { singleBuyAmount: 999 }, 'singleBuyAmount'],
  ['/api/config/save', { singleBuyAmount: 100_001 }, 'singleBuyAmount'],
  ['/api/config/save', { firstProfitSell: '5' }, 'firstProfitSell'],
  ['/api/config/save', { stockGainSellPencent: null }, 'stockGainSellPencent'],
  ['/api/config/save', { allowBuy: 'false' }, 'allowBuy'],
  ['/api/config/save', { allowBuy: 1 }, 'allowBuy'],
  ['/api/config/save', { connectPort: 70_000 }, 'connectPort'],
  ['/api/config/save', { connectPort: 5_000.5 }, 'connectPort'],
  ['/api/holdings/init', { stopLossBuy: 21 }, 'stopLossBuy'],
  ['/api/holdings/update', { profit_triggered: true }, 'stock_code'],
  ['/api/holdings/update', { stock_code: '600036', highest_price: 1.00001 }, 'highest_price'],
  ['/api/holdings/stop_profit', { stock_code: '600036' }, 'enabled'],
  ['/api/holdings/stop_profit', { stock_code: '600036', enabled: 'true' }, 'enabled'],
  ['/api/actions/execute_buy', { quantity: 0, stocks: ['600036'] }, 'quantity'],
  ['/api/actions/execute_buy', { quantity: 1, stocks: [] }, 'stocks'],
  ['/api/actions/execute_buy', { quantity: 1 }, 'stocks'],
  ['/api/actions/execute_buy', { quantity: '1', stocks: ['600036'] }, 'quantity'],
  ['/api/actions/execute_sell', { stock_code: '600036' }, 'quantity'],
  ['/api/actions/execute_sell', { stock_code: '600036', quantity: 1, ratio: 1 }, 'quantity'],
  ['/api/actions/execute_sell', { stock_code: '600036', ratio: 1.1 }, 'ratio'],
  ['/api/actions/execute_sell', { stock_code: '600036', quantity: 1, price_type: 11 }, 'price'],
  ['/api/actions/execute_sell', { stock_code: '600036', quantity: 1, price_type: 0 }, 'price_type'],
  ['/api/replay/play', { until: -1 }, 'until'],
  ['/api/replay/play', { speed: 'fast' }, 'speed'],
] as const

t.test('a field out of range or of the wrong type is refused and nothing is asked', async (t) => {
  const link = new FakeLink('A')
  const { front } = await directFront(t, link)
  for (const [path, sent, field] of REFUSED) {
    const { status, body } = await post(front.port, path, sent)
    const name = `${path} ${JSON.stringify(sent)}`
    t.equal(status, 400, name)
    t.equal(body.code, 'VALIDATION', name)
    t.strictSame(Object.keys(body.details), [field], name)
    t.strictSame(body.errors, body.details[field], name)
    t.equal(body.message, body.errors.join('; '))
  }
  t.strictSame(link.asked, [])
  t.strictSame(link.marketAsked, [])
})

t.test('a wrong speed of a replay is told with what it may be', async (t) => {
  const { front } = await directFront(t, new FakeLink('A'))
  for (const speed of ['fast', '2', null, [2]]) {
    const { body } = await post(front.port, '/api/replay/play', { speed })
    t.match(body.details.speed, [/大于 0 的数字或 "max".*a number above 0, or "max"/])
  }
  const { body } = await post(front.port, '/api/replay/play', { speed: 0 })
  t.match(body.details.speed, [/须大于 0 \(must be above 0\)/])
})

t.test('all wrong parameters are named at once, and the right ones are not saved', async (t) => {
  const link = new FakeLink('A')
  const { front } = await directFront(t, link)
  const { body } = await post(front.port, '/api/config/save', {
    singleBuyAmount: 1,
    allowSell: 0,
    stopLossBuy: 5,
  })
  t.strictSame(Object.keys(body.details).sort(), ['allowSell', 'singleBuyAmount'])
  t.equal(body.errors.length, 2)
  t.strictSame(link.asked, [])
})

t.test('both limits of every range are inside it', async (t) => {
  const ranges = {
    singleBuyAmount: [1_000, 100_000],
    firstProfitSell: [1, 20],
    stockGainSellPencent: [1, 100],
    stopLossBuy: [1, 20],
    stockStopLoss: [1, 20],
    singleStockMaxPosition: [10_000, 100_000],
    totalMaxPosition: [50_000, 1_000_000],
    connectPort: [1, 65_535],
  } as const
  const { front } = await directFront(t, new FakeLink('A'))
  const save = async (name: string, value: number): Promise<number> =>
    (await post(front.port, '/api/config/save', { [name]: value })).status
  for (const [name, [min, max]] of Object.entries(ranges)) {
    t.strictSame([await save(name, min), await save(name, max)], [200, 200], name)
    t.strictSame([await save(name, min - 1), await save(name, max + 1)], [400, 400], name)
  }
})

t.test('codes that are no codes, or of no known exchange, are named as such', async (t) => {
  const { front } = await directFront(t, new FakeLink('A'))
  const refuse = async (code: string) =>
    (await post(front.port, '/api/holdings/stop_profit', { stock_code: code, enabled: true })).body
  t.match(await refuse('6000'), { code: 'CODE_INVALID', details: { stock_code: [String] } })
  t.match(await refuse('830799'), { code: 'UNKNOWN_EXCHANGE' })
})

/** A client order id is its own key. */
t.test('the replay is asked for and answered at top level and under data', async (t) => {
  const link = new FakeLink('A')
  const { front } = await directFront(t, link)
  const fields = { state: 'playing', ticks_played: 3, ticks_total: 9, bad_lines: 0 }
  const status = await call(front.port, '/api/replay/status')
  t.match(status.body, { status: 'success', ...fields, data: fields })
  await post(front.port, '/api/replay/play', { until: 1_754_875_800_000, speed: 'max' })
  await post(front.port, '/api/replay/play')
  await post(front.port, '/api/replay/pause')
  await post(front.port, '/api/replay/rewind')
  t.strictSame(link.marketAsked, [
    { kind: 'replayStatus' },
    { kind: 'replayPlay', until: 1_754_875_800_000, speed: 'max' },
    { kind: 'replayPlay' },
    { kind: 'replayPause' },
    { kind: 'replayRewind' },
  ])
  link.before = () => {
    throw new ServiceError('NOT_A_REPLAY', 'the market is not a replay')
  }
  t.equal((await post(front.port, '/api/replay/play')).status, 409)
})

t.test(
  'the start page is a page of its own, without a token and without other hosts',
  async (t) => {
    const { front } = await directFront(t, new FakeLink('A'), { token: 'secret' })
    const { status, headers, text } = await call(front.port, '/')
    t.equal(status, 200)
    t.equal(headers['content-type'], 'text/html; charset=utf-8')
    t.match(headers['content-security-policy'], /default-src 'self'/)
    t.equal(headers['x-content-type-options'], 'nosniff')
    t.match(text, /X-API-Token/)
    t.notMatch(text, /https?:/)
    t.ok(text.indexOf('正在运行') < text.indexOf('is running'), 'Chinese first')
  },
)

t.test('gateway paths and the account header mean nothing in direct mode', async (t) => {
  const { front } = await directFront(t, new FakeLink('A'))
  t.equal((await call(front.port, '/api/accounts')).status, 404)
  t.equal((await call(front.port, '/api/v1/health')).status, 404)
  const headers = { 'X-Account-Id': 'B' }
  t.equal((await call(front.port, '/api/status', { headers })).status, 200)
})
