import { setImmediate } from 'node:timers/promises'
import t from 'tap'
import { ServiceError } from '../../../src/domain/errors.ts'
import type { StockCode } from '../../../src/domain/instrument.ts'
import { post } from '../fixtures/client.ts'
import { FakeLink, restarting } from '../fixtures/fake-service.ts'
import { directFront } from '../fixtures/fronts.ts'

const MINE = '01ARZ3NDEKTSV4RRFFQ69G5FAV'

t.test('an order in doubt is 202 with its key, never an invitation to try again', async (t) => {
  const link = new FakeLink('A')
  const { front } = await directFront(t, link)
  link.before = async () => {
    await setImmediate()
    throw new ServiceError('DEADLINE_EXCEEDED', 'no answer')
  }
  const sale = { stock_code: '600036', quantity: 100, client_order_id: MINE }
  const lost = await post(front.port, '/api/actions/execute_sell', sale)
  t.equal(lost.status, 202)
  const again = { order_id: null, client_order_id: MINE, location: `/api/orders/${MINE}` }
  t.match(lost.body, { state: 'unknown', ...again, success_count: 0 })
  t.match(lost.body.data, again)

  link.before = () => {
    throw restarting()
  }
  const neverSent = await post(front.port, '/api/actions/execute_sell', sale)
  t.equal(neverSent.status, 503)
  t.equal(neverSent.headers['retry-after'], '1')
})

t.test('an order that the account itself does not know the fate of is 202 too', async (t) => {
  const link = new FakeLink('A')
  const { front } = await directFront(t, link)
  const order = { clientOrderId: 'C', orderId: '', state: 'unknown' as const, statusMessage: '' }
  link.answers.executeSell = {
    successCount: 0,
    totalCount: 1,
    message: 'in doubt',
    orders: [{ ...order, replayed: false }],
  }
  const { status, body } = await post(front.port, '/api/actions/execute_sell', {
    stock_code: '600036',
    quantity: 100,
  })
  t.equal(status, 202)
  t.match(body, { state: 'unknown', client_order_id: 'C', orders: [{ order_id: null }] })
  t.match(body, { order_id: null, location: '/api/orders/C' })
  t.match(body.message, /^in doubt；.*并非失败/)
})

t.test('F480 a request for several orders has an address that tells of all of them', async (t) => {
  const link = new FakeLink('A')
  const { front } = await directFront(t, link)
  const purchase = {
    strategy: 'custom_stock',
    quantity: 2,
    stocks: ['600036', '000001'],
    client_order_id: MINE,
  }
  const location = `/api/orders/${MINE}`
  const buy = () => post(front.port, '/api/actions/execute_buy', purchase)
  const orderOf = (clientOrderId: string) => ({
    clientOrderId,
    orderId: '',
    state: 'unknown' as const,
    statusMessage: '',
    replayed: false,
  })
  const fields = { successCount: 0, totalCount: 2, message: '' }
  link.answers.executeBuy = { ...fields, orders: [orderOf('A'), orderOf('B')] }
  t.match(await buy(), { status: 202, headers: { location }, body: { state: 'unknown', location } })
  const queued = [{ clientOrderId: 'B', code: '000001.SZ' as StockCode }]
  link.answers.executeBuy = { ...fields, orders: [orderOf('A')], queued }
  t.match(await buy(), { status: 202, headers: { location }, body: { state: 'queued', location } })
  link.before = async () => {
    await setImmediate()
    throw new ServiceError('DEADLINE_EXCEEDED', 'no answer')
  }
  t.match(await buy(), { status: 202, headers: { location }, body: { state: 'unknown', location } })
})

t.test('a sale whose price is spelled wrong does not go at the latest one', async (t) => {
  const link = new FakeLink('A')
  const { front } = await directFront(t, link)
  const sale = { stock_code: '600036', quantity: 100 }
  for (const wrong of [{ limit_price: 38.5 }, { Price: 38.5 }, { priceType: 11 }]) {
    const { status, body } = await post(front.port, '/api/actions/execute_sell', {
      ...sale,
      ...wrong,
    })
    t.equal(status, 400)
    t.match(body, { code: 'VALIDATION', message: new RegExp(String(Object.keys(wrong)[0])) })
  }
  t.strictSame(link.asked, [])
})

t.test('a failed cancel is told in the body, a refused one by its code', async (t) => {
  const link = new FakeLink('A')
  const { front } = await directFront(t, link)
  link.answers.cancelOrder = { result: -1, orderId: '7', message: 'too late' }
  const failed = await post(front.port, '/api/orders/7/cancel')
  t.equal(failed.status, 200)
  t.match(failed.body, { status: 'error', result: -1, message: 'too late' })
  link.before = () => {
    throw new ServiceError('UNKNOWN_ORDER', 'no such order')
  }
  t.equal((await post(front.port, '/api/orders/7/cancel')).status, 404)
  t.equal((await post(front.port, '/api/orders/%2e%2e/cancel')).body.code, 'UNKNOWN_ORDER')
})
