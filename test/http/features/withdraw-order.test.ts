import t from 'tap'
import { call, post } from '../fixtures/client.ts'
import { FakeLink } from '../fixtures/fake-service.ts'
import { gatewayFront } from '../fixtures/fronts.ts'

const KEY = '01ARZ3NDEKTSV4RRFFQ69G5FAV'
const PATH = `/api/v1/accounts/A/orders/${KEY}/withdraw`
const TAKEN = {
  clientOrderId: KEY,
  orderId: '1082131',
  state: 'accepted',
  statusMessage: '',
  replayed: true,
} as const

async function fronted(t: { teardown(then: () => unknown): void }, answer: object) {
  const link = new FakeLink('A')
  Object.assign(link.answers, { withdrawKey: answer })
  const { front } = await gatewayFront(t, [link])
  return { link, port: front.port }
}

t.test('a key that came to nothing is withdrawn', async (t) => {
  const { link, port } = await fronted(t, { state: 'withdrawn', message: 'never' })
  t.match(await post(port, PATH), {
    status: 200,
    body: {
      success: true,
      data: { client_order_id: KEY, withdrawn: true, order: null, code: null },
    },
  })
  t.match(link.asked, [{ kind: 'withdrawKey', key: KEY }])
  t.match(await post(port, PATH.replace(KEY, 'my-own-key')), { status: 200 })
  t.match(link.asked[1], { key: /^[0-9A-Z]{26}$/ }, 'any key means what it means in an order')
})

t.test('of an order that is there it says what became of it', async (t) => {
  const { link, port } = await fronted(t, { state: 'ordered', answer: TAKEN, isUntold: true })
  t.match(await post(port, PATH), {
    status: 200,
    body: { data: { withdrawn: false, order: { order_id: 1_082_131, status: 'accepted' } } },
  })
  await new Promise((resolve) => setImmediate(resolve))
  t.match(link.asked[1], { kind: 'noteTold', told: [KEY] }, 'its caller knows now')
})

t.test('a refusal is told with its code; what is no key is no order', async (t) => {
  const refused = { state: 'refused', code: 'KILL_SWITCH', message: 'stopped' }
  const { port } = await fronted(t, refused)
  t.match(await post(port, PATH), {
    status: 200,
    body: { data: { withdrawn: false, order: null, code: 'KILL_SWITCH', message: 'stopped' } },
  })
  const tooLong = await post(port, PATH.replace(KEY, 'x'.repeat(65)))
  t.match(tooLong, { status: 404, body: { code: 'UNKNOWN_ORDER' } })
  t.equal((await call(port, PATH)).status, 405)
})
