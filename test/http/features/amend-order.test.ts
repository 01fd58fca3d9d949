import t from 'tap'
import { call, post } from '../fixtures/client.ts'
import { FakeLink } from '../fixtures/fake-service.ts'
import { gatewayFront } from '../fixtures/fronts.ts'

const KEY = '01ARZ3NDEKTSV4RRFFQ69G5FAV'
const PATH = '/api/v1/accounts/A/orders/1082130/amend'
const CHANGING = {
  orderId: '1082130',
  clientOrderId: KEY,
  outcome: 'canceling',
  reason: '',
  replayed: false,
} as const

async function fronted(t: { teardown(then: () => unknown): void }, answer: object = CHANGING) {
  const link = new FakeLink('A')
  Object.assign(link.answers, { amendOrder: answer })
  const { front } = await gatewayFront(t, [link])
  return { link, port: front.port }
}

t.test('a change is asked for in whole units, under the key of the order to come', async (t) => {
  const { link, port } = await fronted(t)
  const answer = await call(port, PATH, {
    method: 'POST',
    headers: { 'Idempotency-Key': KEY },
    body: { price: 36.2, order_volume: 800 },
  })
  t.match(answer, {
    status: 200,
    body: { data: { order_id: '1082130', client_order_id: KEY, state: 'canceling', order: null } },
  })
  t.match(link.asked, [
    { kind: 'amendOrder', orderId: '1082130', key: KEY, price: 362_000, quantity: 800 },
  ])
  await post(port, PATH, { price: 36.2, client_order_id: KEY })
  t.notMatch(link.asked[1], { quantity: Number }, 'what is not given stays as it is')
})

t.test('once it was sent the answer tells of the order, and why nothing was sent', async (t) => {
  const order = { clientOrderId: KEY, orderId: '1082131', state: 'accepted', statusMessage: '' }
  const sent = await fronted(t, { ...CHANGING, outcome: 'sent', order, replayed: true })
  t.match(await post(sent.port, PATH, { price: 36.2 }), {
    status: 200,
    headers: { 'idempotency-replayed': 'true' },
    body: { data: { state: 'sent', order: { order_id: 1_082_131, status: 'accepted' } } },
  })
  const dropped = await fronted(t, {
    ...CHANGING,
    outcome: 'dropped',
    reason: '已全部成交 (filled)',
  })
  t.match(await post(dropped.port, PATH, { price: 36.2 }), {
    body: { data: { state: 'dropped', order: null, message: '已全部成交 (filled)' } },
  })
})

t.test('what is no change names its field and reaches no account', async (t) => {
  const { link, port } = await fronted(t)
  const cases: readonly [object, RegExp][] = [
    [{}, /price/],
    [{ price: 0 }, /price/],
    [{ price: -1 }, /price/],
    [{ price: 36.123_45 }, /price/],
    [{ price: '36.2' }, /price/],
    [{ order_volume: 0 }, /order_volume/],
    [{ order_volume: 1.5 }, /order_volume/],
    [{ price: 36.2, client_order_id: 'a b' }, /key/],
    [{ price: 36.2, volume: 200 }, /volume/],
    [{ order_volume: 200, limit_price: 36.2 }, /limit_price/],
  ]
  for (const [body, named] of cases) {
    const answer = await post(port, PATH, body)
    t.match(answer, { status: 400, body: { message: named } }, JSON.stringify(body))
  }
  t.match(await post(port, PATH.replace('1082130', 'x'.repeat(200)), { price: 36 }), {
    status: 404,
  })
  t.strictSame(link.asked, [])
})
