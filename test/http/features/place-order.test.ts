import t from 'tap'
import { frontParts } from '../../../http/front.ts'
import { call, post } from '../fixtures/client.ts'
import { FakeLink } from '../fixtures/fake-service.ts'
import { directFront, directOptions } from '../fixtures/fronts.ts'

const PATH = '/api/actions/place_order'
const ORDER = {
  stock_code: '600036',
  order_type: 23,
  order_volume: 200,
  price_type: 11,
  price: 36.5,
}

t.test(
  'one order by hand reaches the account as it was written, labelled by its side',
  async (t) => {
    const link = new FakeLink('A')
    const { front } = await directFront(t, link)
    const { status, body } = await post(front.port, PATH, ORDER)
    t.equal(status, 200)
    t.match(body, { status: 'success', success_count: 1, orders: [{ order_id: 1_082_131 }] })
    t.match(link.lastAsked, {
      kind: 'placeOrder',
      code: '600036.SH',
      side: 'buy',
      quantity: 200,
      priceType: 11,
      price: 365_000,
      strategy: 'M_real',
      source: 'http/direct/127.0.0.1',
    })
    await post(front.port, PATH, { ...ORDER, order_type: 24 })
    t.match(link.lastAsked, { side: 'sell', strategy: 'manual_real' })
  },
)

t.test('what became of it decides the answer', async (t) => {
  const link = new FakeLink('A')
  const { front } = await directFront(t, link)
  const base = { clientOrderId: 'C', orderId: '7', statusMessage: '资金不足', replayed: false }
  link.answers.placeOrder = { ...base, state: 'rejected' }
  const rejected = await post(front.port, PATH, ORDER)
  t.match(rejected.body, {
    success_count: 0,
    message: '资金不足',
    orders: [{ status: 'rejected' }],
  })
  link.answers.placeOrder = { ...base, orderId: '', state: 'unknown' }
  const unknown = await post(front.port, PATH, ORDER)
  t.equal(unknown.status, 202)
  t.match(unknown.body, { state: 'unknown', order_id: null, orders: [], location: '/api/orders/C' })
  t.match(unknown.headers, { location: '/api/orders/C', 'retry-after': '1' })
})

t.test('an order that is no order is 400 and never reaches the account', async (t) => {
  const link = new FakeLink('A')
  const { front } = await directFront(t, link)
  const rows = [
    { order_type: 25 },
    { order_volume: 0 },
    { order_volume: 100_000_000, price: 999_999 },
    { price: 0 },
    { price_type: 99 },
    { stock_code: 'nothing' },
  ]
  for (const row of rows) {
    const { status, body } = await post(front.port, PATH, { ...ORDER, ...row })
    t.equal(status, 400, JSON.stringify(row))
    t.match(body, { status: 'error', success: false })
  }
  t.strictSame(link.asked, [])
})

t.test('F683 an order is not sent under a key by which nobody could ask about it', async (t) => {
  const link = new FakeLink('A')
  const { front } = await directFront(t, link)
  const { routes, close } = frontParts(directOptions(link, {}), { port: 5_000 })
  t.teardown(close)
  const words = routes.flatMap(({ path }) => /\/orders\/(\w+)$/.exec(path)?.[1] ?? [])
  t.ok(words.includes('queued'))
  for (const key of [...words, '.', '..']) {
    for (const sent of [
      { body: ORDER, headers: { 'Idempotency-Key': key } },
      { body: { ...ORDER, client_order_id: key } },
    ]) {
      const { status, body } = await call(front.port, PATH, { method: 'POST', ...sent })
      t.equal(status, 400, key)
      t.match(body, { code: 'VALIDATION', details: { client_order_id: [/另一个键.*another key/] } })
    }
  }
  t.strictSame(link.asked, [], 'the account hears of none')
  const headers = { 'Idempotency-Key': 'Queued' }
  t.equal((await call(front.port, PATH, { method: 'POST', body: ORDER, headers })).status, 200)
})
