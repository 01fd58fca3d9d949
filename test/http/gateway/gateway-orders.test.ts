import { setImmediate } from 'node:timers/promises'
import t from 'tap'
import { ServiceError } from '../../../src/domain/errors.ts'
import { CLIENT_ORDER_ID } from '../../../src/domain/ids.ts'
import { call, post } from '../fixtures/client.ts'
import { FakeLink } from '../fixtures/fake-service.ts'
import { gatewayFront } from '../fixtures/fronts.ts'

const two = (): [FakeLink, FakeLink] => [new FakeLink('A', 0), new FakeLink('B', 1)]

const ORDER = { stock_code: '600036', order_type: 23, order_volume: 100, price: 36.5 }

t.test('an order is validated, sent once and answered 201 with its number', async (t) => {
  const [a, b] = two()
  const { front } = await gatewayFront(t, [a, b])
  const { status, body, headers } = await post(front.port, '/api/v1/accounts/B/orders', {
    ...ORDER,
    strategy_name: 'mine',
    order_remark: 'r',
    session_id: 7,
    whatever: true,
  })
  t.equal(status, 201)
  t.strictSame(body, {
    success: true,
    data: {
      order_id: 1_082_131,
      client_order_id: '01J00000000000000000000001',
      status: 'accepted',
      message: '',
      message_zh: '',
      message_en: '',
    },
    error: null,
  })
  t.equal(headers['idempotency-replayed'], undefined)
  t.strictSame(a.asked, [])
  t.match(b.asked, [
    {
      kind: 'placeOrder',
      key: 'fresh-key',
      requestHash: /^[0-9a-f]{64}$/,
      code: '600036.SH',
      side: 'buy',
      quantity: 100,
      priceType: 11,
      price: 365_000,
      strategy: 'M_real',
      source: 'http/gateway/127.0.0.1',
    },
  ])
  t.equal(b.options[0]?.timeoutMs, 4_200, 'call_timeout, a wait for its turn, and a little more')
})

t.test('the records tell a manual purchase from a sale issued here', async (t) => {
  const [a] = two()
  const { front } = await gatewayFront(t, [a])
  for (const order_type of [23, 24]) {
    await post(front.port, '/api/v1/accounts/A/orders', { ...ORDER, order_type })
  }
  t.match(a.asked, [
    { side: 'buy', strategy: 'M_real' },
    { side: 'sell', strategy: 'manual' },
  ])
})

t.test('only a limit order needs a price, and only it passes one on', async (t) => {
  const [a] = two()
  const { front } = await gatewayFront(t, [a])
  const rows = [
    [{ price_type: 5, price: undefined }, 0],
    [{ price_type: 5, price: 0 }, 0],
    [{ price_type: 42, price: 36.5 }, 0],
    [{ price_type: 11, price: 0.001 }, 10],
  ] as const
  for (const [fields, price] of rows) {
    const sent = { ...ORDER, order_type: 24, ...fields }
    t.equal((await post(front.port, '/api/v1/accounts/A/orders', sent)).status, 201)
    t.match(a.lastAsked, { price, priceType: fields.price_type, side: 'sell' })
  }
})

t.test('an order that is no order is 400 and never reaches the account', async (t) => {
  const [a] = two()
  const { front } = await gatewayFront(t, [a])
  const rows = [
    [{ stock_code: undefined }, 'stock_code', 'VALIDATION'],
    [{ stock_code: '6000' }, 'stock_code', 'CODE_INVALID'],
    [{ stock_code: '430047' }, 'stock_code', 'UNKNOWN_EXCHANGE'],
    [{ order_type: 25 }, 'order_type', 'VALIDATION'],
    [{ order_type: '23' }, 'order_type', 'VALIDATION'],
    [{ order_volume: 0 }, 'order_volume', 'VALIDATION'],
    [{ order_volume: -100 }, 'order_volume', 'VALIDATION'],
    [{ order_volume: 1.5 }, 'order_volume', 'VALIDATION'],
    [{ order_volume: 100_000_000, price: 999_999 }, 'order_volume', 'VALIDATION'],
    [{ price: undefined }, 'price', 'VALIDATION'],
    [{ price: 0 }, 'price', 'VALIDATION'],
    [{ price: -1 }, 'price', 'VALIDATION'],
    [{ price: 1.00001 }, 'price', 'VALIDATION'],
    [{ price: 1e21 }, 'price', 'VALIDATION'],
    [{ price: '36.5' }, 'price', 'VALIDATION'],
    [{ price_type: 0 }, 'price_type', 'VALIDATION'],
    [{ price_type: 12, price: 0 }, 'price_type', 'VALIDATION'],
    [{ client_order_id: '' }, 'client_order_id', 'VALIDATION'],
    [{ client_order_id: 'x'.repeat(65) }, 'client_order_id', 'VALIDATION'],
    [{ client_order_id: 'a b' }, 'client_order_id', 'VALIDATION'],
  ] as const
  for (const [fields, field, code] of rows) {
    const sent = { ...ORDER, ...fields }
    const { status, body } = await post(front.port, '/api/v1/accounts/A/orders', sent)
    t.equal(status, 400, JSON.stringify(fields))
    t.equal(body.code, code, JSON.stringify(fields))
    t.strictSame(Object.keys(body.details), [field], JSON.stringify(fields))
  }
  t.strictSame(a.asked, [])
})

t.test('the key comes from the header or the body; two different ones are refused', async (t) => {
  const [a] = two()
  const { front } = await gatewayFront(t, [a])
  const place = (key: string | undefined, inBody: string | undefined, fields: object = {}) =>
    call(front.port, '/api/v1/accounts/A/orders', {
      method: 'POST',
      ...(key !== undefined && { headers: { 'Idempotency-Key': key } }),
      body: { ...fields, ...ORDER, ...(inBody !== undefined && { client_order_id: inBody }) },
    })
  const orders = () => a.asked.filter(({ kind }) => kind === 'placeOrder')
  const sent = (index: number) => orders()[index] as { key: string; requestHash: string }
  t.equal((await place('k1', undefined)).status, 201)
  t.equal((await place(undefined, 'k2')).status, 201)
  t.equal((await place('k3', 'k3', { order_remark: 'same order' })).status, 201)
  t.equal((await place('k4', 'k5')).status, 400)
  const keys = [sent(0).key, sent(1).key, sent(2).key]
  for (const key of keys) t.match(key, CLIENT_ORDER_ID)
  t.equal(new Set(keys).size, 3, 'another key, another order')
  t.equal(sent(0).requestHash, sent(2).requestHash, 'the same order has the same hash')
  t.equal((await place('k6', undefined, {})).status, 201)
  await post(front.port, '/api/v1/accounts/A/orders', { ...ORDER, order_volume: 200 })
  t.not(sent(4).requestHash, sent(0).requestHash)
})

t.test('what became of an order decides the answer', async (t) => {
  const [a] = two()
  const { front } = await gatewayFront(t, [a])
  const base = { clientOrderId: 'C', orderId: '7', statusMessage: '资金不足', replayed: false }
  const place = () => post(front.port, '/api/v1/accounts/A/orders', ORDER)

  a.answers.placeOrder = { ...base, state: 'rejected' }
  const numbered = await place()
  t.equal(numbered.status, 201)
  t.match(numbered.body, { success: true, data: { order_id: 7, status: 'rejected' } })

  a.answers.placeOrder = { ...base, orderId: '', state: 'rejected' }
  const unnumbered = await place()
  t.equal(unnumbered.status, 201)
  t.match(unnumbered.body, { success: false, data: null, error: '资金不足' })

  a.answers.placeOrder = { ...base, orderId: '', state: 'unknown' }
  const unknown = await place()
  t.equal(unknown.status, 202)
  const location = '/api/v1/accounts/A/orders/C'
  const { message, message_zh: zh, message_en: en, ...fields } = unknown.body.data
  t.strictSame(`${zh} (${en})`, message)
  t.strictSame(fields, { state: 'unknown', order_id: null, client_order_id: 'C', location })
  t.match(message, /并非失败.*Idempotency-Key.*not failed/)
  t.match(unknown.headers, { location, 'retry-after': '1' }, 'for those who go by headers')

  a.answers.placeOrder = { ...base, orderId: '9007199254740993', state: 'accepted', replayed: true }
  const replayed = await place()
  t.equal(replayed.headers['idempotency-replayed'], 'true')
  t.equal(replayed.body.data.order_id, '9007199254740993', 'too large for a JSON integer')
})

t.test('an answer that got lost on the way is in doubt under the key of the order', async (t) => {
  const [a] = two()
  const { front } = await gatewayFront(t, [a])
  for (const code of [
    'DEADLINE_EXCEEDED',
    'CALL_TIMEOUT',
    'ACTOR_RESTARTING',
    'STOPPING',
  ] as const) {
    a.before = async () => {
      await setImmediate()
      throw new ServiceError(code, 'lost')
    }
    const { status, body } = await post(front.port, '/api/v1/accounts/A/orders', ORDER)
    t.equal(status, 202, code)
    const { message, message_zh: _zh, message_en: _en, ...fields } = body.data
    const data = { state: 'unknown', order_id: null, client_order_id: 'fresh-key' }
    t.strictSame(fields, { ...data, location: '/api/v1/accounts/A/orders/fresh-key' })
    t.match(message, '并非失败')
  }
})

t.test(
  'a refusal by a rule keeps its code; one that surely was not sent may be repeated',
  async (t) => {
    const [a] = two()
    const { front } = await gatewayFront(t, [a])
    for (const [code, status] of [
      ['BUY_NOT_ALLOWED', 409],
      ['IDEMPOTENCY_MISMATCH', 409],
      ['MAILBOX_FULL', 503],
      ['NOT_CONNECTED', 503],
      ['DEADLINE_PASSED', 504],
      ['ACTOR_RESTARTING', 503],
    ] as const) {
      a.before = () => {
        throw new ServiceError(code, 'refused')
      }
      const answer = await post(front.port, '/api/v1/accounts/A/orders', ORDER)
      t.equal(answer.status, status, code)
      t.match(answer.body, { success: false, code, data: null })
      t.equal(answer.headers['retry-after'], status === 503 ? '1' : undefined)
    }
  },
)

t.test('a cancel answers its result; the number must be an integer', async (t) => {
  const [a] = two()
  const { front } = await gatewayFront(t, [a])
  const remove = (id: string) =>
    call(front.port, `/api/v1/accounts/A/orders/${id}`, { method: 'DELETE' })
  t.match((await remove('1082131')).body, {
    success: true,
    data: { result: 0, order_id: 1_082_131 },
  })
  t.match(a.lastAsked, { kind: 'cancelOrder', orderId: '1082131' })
  a.answers.cancelOrder = { result: -1, orderId: '7', message: 'gone' }
  t.match((await remove('7')).body, { success: true, data: { result: -1, order_id: 7 } })
  for (const id of ['sysid:9001', 'row:600036.SH:sell:1786413601000:100:365000', 'A0012345']) {
    t.equal((await remove(encodeURIComponent(id))).status, 200, id)
    t.match(a.lastAsked, { kind: 'cancelOrder', orderId: id })
  }
  for (const id of ['abc', '-1', '1.5', '0x10', '%20', 'sysid:']) {
    const { status, body } = await remove(id)
    t.equal(status, 400, id)
    t.strictSame(Object.keys(body.details), ['order_id'])
  }
})

t.test('an order without a number of its own is canceled by what it is called', async (t) => {
  const [a] = two()
  const { front } = await gatewayFront(t, [a])
  for (const orderId of [
    'sysid:0001A',
    'row:600036.SH:buy:1754875800000:500:35.5',
    'external-2026-08-11-1001-2',
  ]) {
    a.answers.cancelOrder = { result: 0, orderId, message: '' }
    const path = `/api/v1/accounts/A/orders/${orderId}`
    const { body } = await call(front.port, path, { method: 'DELETE' })
    t.match(body, { success: true, data: { result: 0, order_id: orderId } })
    t.match(a.lastAsked, { kind: 'cancelOrder', orderId })
  }
})
