import t, { type Test } from 'tap'
import { type Answer, get, type Json, post, serve, until } from './fixture.ts'

const RISK = {
  max_orders_per_second: 0,
  max_orders_per_day: 4,
  max_order_value: 100_000,
  max_rejects_in_row: 0,
  price_deviation: 0,
  stale_quote_seconds: 60,
  refuse_duplicates: true,
}
const ORDER = {
  stock_code: '600036',
  order_type: 23,
  order_volume: 100,
  price_type: 5,
  price: 0,
}
const limit = (price: number) => ({ price_type: 11, price: Math.round(price * 100) / 100 })

async function open(t: Test, folder = t.testdir(), risk: object = RISK) {
  const { gateway, direct, service } = await serve(t, { folder, overrides: { risk } })
  const v1 = `${gateway}/api/v1/accounts/10000001`
  await until(
    () => get(`${v1}/status`),
    ({ body }) => String(body['data']?.['ready']) === 'true',
  )
  const { body } = await get(`${gateway}/api/v1/market/tick?stock_codes=600036.SH`)
  const lastClose = Number(body['data']?.['600036.SH']?.['lastClose'])
  return { service, v1, direct: direct[0] ?? '', lastClose }
}

const place = (v1: string, fields: object = {}, key?: string) =>
  post(`${v1}/orders`, { ...ORDER, ...fields }, key === undefined ? {} : { 'Idempotency-Key': key })

function isRefusal(t: Test, { status, body }: Answer, code: string): void {
  t.equal(status, 409, code)
  t.match(body, { success: false, status: 'error', code, data: null, error: String })
  t.equal(body['message'], body['error'])
  t.notOk('details' in body, 'no field is wrong')
}

t.test('an order that breaks a rule is refused with its code and never sent', async (t) => {
  const { v1, direct, lastClose } = await open(t)
  const rows: readonly (readonly [code: string, fields: object])[] = [
    ['INSUFFICIENT_CASH', { order_volume: 1_000_000 }],
    ['INSUFFICIENT_SELLABLE', { order_type: 24, order_volume: 1_100 }],
    ['INSUFFICIENT_SELLABLE', { order_type: 24, stock_code: '601318' }],
    ['LOT_SIZE', { order_volume: 150 }],
    ['LOT_SIZE', { stock_code: '688981', order_volume: 100 }],
    ['TICK_SIZE', { price_type: 11, price: 35.001 }],
    ['PRICE_LIMIT', limit(lastClose * 1.12)],
    ['PRICE_LIMIT', { ...limit(lastClose * 0.88), order_type: 24 }],
    ['PRICE_LIMIT', { stock_code: '000001', price_type: 11, price: 999 }],
    ['MAX_ORDER_VALUE', { order_volume: 4_000 }],
  ]
  for (const [code, fields] of rows) isRefusal(t, await place(v1, fields), code)
  t.strictSame((await get(`${direct}/api/orders`)).body['data'], [])

  t.equal((await place(v1, limit(lastClose * 0.91))).status, 201)
  t.match(await place(v1, limit(lastClose * 0.91)), {
    status: 409,
    body: { code: 'DUPLICATE_ORDER', details: { client_order_id: [String] } },
  })
  for (const part of [0.92, 0.93, 0.94]) {
    t.equal((await place(v1, limit(lastClose * part))).status, 201)
  }
  isRefusal(t, await place(v1, limit(lastClose * 0.95)), 'ORDER_COUNT')
  const { body } = await get(`${direct}/api/orders`)
  t.equal(Number(body['data']?.['length']), 4)
  const id = String(body['data']?.[0]?.['order_id'])
  t.match(await post(`${direct}/api/orders/${id}/cancel`), { status: 200 }, 'cancels always pass')
})

t.test('the same key gets the same refusal, also after a restart', async (t) => {
  const folder = t.testdir()
  const first = await open(t, folder)
  await post(`${first.direct}/api/config/save`, { allowBuy: false })
  const refused = await place(first.v1, {}, 'kept')
  isRefusal(t, refused, 'BUY_NOT_ALLOWED')
  await post(`${first.direct}/api/config/save`, { allowBuy: true })
  isRefusal(t, await place(first.v1, {}, 'kept'), 'BUY_NOT_ALLOWED')
  isRefusal(t, await place(first.v1, { order_volume: 200 }, 'kept'), 'IDEMPOTENCY_MISMATCH')
  await first.service.stop()

  const second = await open(t, folder)
  const again = await place(second.v1, {}, 'kept')
  isRefusal(t, again, 'BUY_NOT_ALLOWED')
  t.equal(String(again.body['message']), String(refused.body['message']))
  t.equal((await place(second.v1, {}, 'new')).status, 201)
})

const codes = (data: Json | undefined, status: string): readonly string[] =>
  ((data?.['rules'] ?? []) as unknown as { code: string; status: string }[])
    .filter((rule) => rule.status === status)
    .map(({ code }) => code)

t.test('a preview says on both backends what placing would do, and does nothing', async (t) => {
  const { v1, direct, lastClose } = await open(t)
  const asked = { ...ORDER, ...limit(lastClose) }
  const onGateway = await post(`${v1}/orders/preview`, asked)
  t.match(onGateway, { status: 200, body: { success: true, error: null } })
  const data = onGateway.body['data']
  const amount = Number(asked.price) * 100
  t.match(data, {
    stock_code: '600036.SH',
    side: 'buy',
    order_type: 23,
    quantity: 100,
    price_type: 11,
    allowed: true,
    code: null,
    price: asked.price,
    fees: { commission: 5, stamp_duty: 0 },
  })
  t.equal(Number(data?.['amount']).toFixed(2), amount.toFixed(2))
  t.ok(codes(data, 'pass').includes('INSUFFICIENT_CASH'))
  t.strictSame(codes(data, 'refused'), [])
  t.ok(codes(data, 'off').includes('OUTSIDE_SESSION'), 'the simulated market is always open')

  const wide = { stock_code: '600036', side: 'sell', quantity: 1_150, price: lastClose * 2 }
  const asDirect = { ...wide, ...limit(lastClose * 2) }
  const onDirect = await post(`${direct}/api/orders/preview`, asDirect)
  t.match(onDirect, {
    status: 200,
    body: { status: 'success', allowed: false, code: 'INSUFFICIENT_SELLABLE', timestamp: String },
  })
  t.strictSame(codes(onDirect.body, 'refused'), [
    'INSUFFICIENT_SELLABLE',
    'LOT_SIZE',
    'PRICE_LIMIT',
  ])
  t.match(onDirect.body['data'], { allowed: false, code: 'INSUFFICIENT_SELLABLE', order_type: 24 })
  t.match(await post(`${direct}/api/orders/preview`, asked), { body: { allowed: true } })

  t.strictSame((await get(`${direct}/api/orders`)).body['data'], [])
  for (let n = 0; n < 4; n++) {
    t.equal((await place(v1, limit(lastClose * (0.91 + n / 100)))).status, 201, 'none was counted')
  }
  t.match(await post(`${v1}/orders/preview`, asked), {
    body: { data: { allowed: false, code: 'ORDER_COUNT' } },
  })
  const nowhere = await post(`${v1.replace('10000001', '404')}/orders/preview`, asked)
  t.match(nowhere, { status: 404, body: { code: 'UNKNOWN_ACCOUNT' } })
})

t.test('orders by hand: what is refused is not bought, and told with its reason', async (t) => {
  const { direct, lastClose } = await open(t)
  const sell = (fields: object) =>
    post(`${direct}/api/actions/execute_sell`, { stock_code: '600036', ...fields })
  t.match(await sell({ quantity: 1_100 }), { status: 409, body: { code: 'INSUFFICIENT_SELLABLE' } })
  t.match(await sell({ quantity: 150 }), { status: 409, body: { code: 'LOT_SIZE' } })
  t.match(await sell({ quantity: 100, price: Math.round(lastClose * 2) }), {
    status: 409,
    body: { code: 'PRICE_LIMIT' },
  })
  const changes = { allowBuy: false, allowSell: false }
  await post(`${direct}/api/config/save`, changes)
  t.match(await sell({ quantity: 100 }), {
    status: 200,
    body: { success_count: 0, message: /卖出权限已关闭/ },
  })
  const stocks = ['600036', '601318']
  const body = { strategy: 'custom_stock', quantity: 2, stocks }
  t.match(await post(`${direct}/api/actions/execute_buy`, body), {
    status: 200,
    body: { success_count: 0, total_count: 2, message: /600036 买入权限已关闭.*601318 买入权限/ },
  })
})
