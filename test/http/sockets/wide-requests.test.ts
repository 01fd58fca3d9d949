import t from 'tap'
import { call } from '../fixtures/client.ts'
import { FakeLink } from '../fixtures/fake-service.ts'
import { directFront } from '../fixtures/fronts.ts'

const ORDER = { stock_code: '600036', order_type: 23, order_volume: 100, price_type: 5 }
/** Requests that are about everything where they name nothing, each with a name that is spelled wrong. */
const WIDE = [
  ['/api/grid/stop', 'sessionid', { sessionid: 7 }],
  ['/api/grid/stop', 'code', { code: '600036.SH' }],
  ['/api/orders/queued/cancel', 'order_id', { order_id: 'one-of-many' }],
  ['/api/kill-switch/all', 'account', { level: 'all', account: ['A'] }],
  ['/api/actions/place_order', 'key', { ...ORDER, key: 'once-only' }],
  ['/api/replay/play', 'til', { til: 1_754_875_800_000 }],
] as const

t.test(
  'a request for one thing that names it wrongly is not a request for everything',
  async (t) => {
    const link = new FakeLink('A')
    const { front } = await directFront(t, link)
    for (const [path, name, body] of WIDE) {
      const answer = await call(front.port, path, { method: 'POST', body })
      t.equal(answer.status, 400, `${path} with ${name}`)
      t.match(answer.body, {
        code: 'VALIDATION',
        message_zh: new RegExp(`没有这些字段.*${name}`),
        message_en: new RegExp(`unknown fields.*${name}`),
      })
    }
    t.same([link.asked, link.marketAsked], [[], []], 'nobody was asked')
  },
)

t.test('F678 nor is one whose name of a grid has been lost on the way', async (t) => {
  const link = new FakeLink('A')
  const { front } = await directFront(t, link)
  const path = '/api/grid/stop'
  for (const body of [
    { session_id: null },
    { stock_code: null },
    { session_id: null, stock_code: null },
  ]) {
    const answer = await call(front.port, path, { method: 'POST', body })
    t.equal(answer.status, 400, JSON.stringify(body))
    t.match(answer.body, { code: 'VALIDATION', details: { session_id: [/给出一个.*空请求体/] } })
  }
  t.same(link.asked, [], 'nobody was asked')
})
