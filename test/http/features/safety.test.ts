import t from 'tap'
import { call, post } from '../fixtures/client.ts'
import { FakeLink, NOW_TEXT } from '../fixtures/fake-service.ts'
import { directFront, gatewayFront } from '../fixtures/fronts.ts'

const V1 = '/api/v1/accounts/A'
const FIELDS = { level: 'entries', since: NOW_TEXT, reason: 'lunch', triggers: [] }

function settable(): FakeLink {
  const link = new FakeLink('A')
  link.answers.setKillSwitch = { fields: FIELDS }
  return link
}

t.test(
  'direct mode: kill switch and comparison are read, with the time of the market',
  async (t) => {
    const { front } = await directFront(t, new FakeLink('A'))
    t.match((await call(front.port, '/api/kill-switch')).body, {
      level: 'off',
      timestamp: NOW_TEXT,
    })
    t.match((await call(front.port, '/api/reconcile')).body, { result: 'ok', timestamp: NOW_TEXT })
  },
)

t.test('gateway: the same per account', async (t) => {
  const { front } = await gatewayFront(t, [new FakeLink('A')])
  const level = await call(front.port, `${V1}/kill-switch`)
  t.match(level.body, { success: true, data: { level: 'off' } })
  const result = await call(front.port, `${V1}/reconcile`)
  t.match(result.body, { success: true, data: { result: 'ok' } })
  t.equal((await call(front.port, '/api/v1/accounts/B/kill-switch')).status, 404)
})

t.test('the switch is set on both, and answered as it stands then', async (t) => {
  const link = settable()
  const direct = (await directFront(t, link)).front
  const gateway = (await gatewayFront(t, [link])).front
  const one = await post(direct.port, '/api/kill-switch', { level: 'entries', reason: ' lunch ' })
  t.match(one, { status: 200, body: { status: 'success', ...FIELDS, data: FIELDS } })
  const two = await post(gateway.port, `${V1}/kill-switch`, { level: 'off' })
  t.match(two, { status: 200, body: { success: true, data: FIELDS } })
  t.match(link.asked, [
    { kind: 'setKillSwitch', level: 'entries', reason: 'lunch', source: /^http\/direct\// },
    { kind: 'setKillSwitch', level: 'off', reason: '', source: /^http\/gateway\// },
  ])
})

t.test('a wrong body sets nothing', async (t) => {
  const link = settable()
  const { front } = await directFront(t, link)
  const bodies = [
    {},
    { level: 'none' },
    { level: 'ALL' },
    { level: true },
    { level: 'all', reason: 7 },
    { level: 'all', reason: 'x'.repeat(201) },
  ]
  for (const body of bodies) {
    const { status, body: answer } = await post(front.port, '/api/kill-switch', body)
    t.equal(status, 400, JSON.stringify(body))
    t.match(answer, { code: 'VALIDATION' })
  }
  t.strictSame(link.asked, [])
})

t.test('an order that was not taken says why, word for word, and what that means', async (t) => {
  const link = new FakeLink('A')
  const words = '可用资金不足：需要3655.00，可用12.00'
  link.answers.placeOrder = {
    clientOrderId: '01J00000000000000000000001',
    orderId: '',
    state: 'rejected',
    statusMessage: words,
    replayed: false,
  }
  const { front } = await gatewayFront(t, [link])
  const order = { stock_code: '600036', order_type: 23, order_volume: 100, price_type: 5 }
  t.match(await post(front.port, `${V1}/orders`, order), {
    status: 201,
    body: {
      success: false,
      error: words,
      refusal_code: 'INSUFFICIENT_CASH',
      refusal_explanation: /not enough free cash/,
    },
  })
})

t.test('a restore is confirmed on both, by its name', async (t) => {
  const link = settable()
  link.answers.confirmRestore = { fields: { result: 'ok' } }
  const direct = (await directFront(t, link)).front
  const gateway = (await gatewayFront(t, [link])).front
  const one = await post(direct.port, '/api/reconcile/confirm', { mark: 'restore 1' })
  t.match(one, { status: 200, body: { status: 'success', data: { result: 'ok' } } })
  const two = await post(gateway.port, `${V1}/reconcile/confirm`, { mark: 'restore 1' })
  t.match(two, { status: 200, body: { success: true, data: { result: 'ok' } } })
  t.match(link.asked, [
    { kind: 'confirmRestore', mark: 'restore 1', source: /^http\/direct\// },
    { kind: 'confirmRestore', mark: 'restore 1', source: /^http\/gateway\// },
  ])
  for (const body of [{}, { mark: '' }, { mark: 7 }]) {
    t.equal((await post(direct.port, '/api/reconcile/confirm', body)).status, 400)
  }
})
