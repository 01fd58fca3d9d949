import t, { type Test } from 'tap'
import { type Answer, get, post, serve, until } from './fixture.ts'

const RISK = { max_orders_per_second: 1, max_orders_per_day: 0, refuse_duplicates: false }
const POOL = ['600036', '601318', '000001', '600519', '000002']

/** All orders take their turns within the test, however slow the computer is. */
async function open(t: Test, limits: { account?: object; http?: object } = {}) {
  const { gateway, direct } = await serve(t, {
    overrides: {
      risk: RISK,
      limits: { ...limits, account: { paced_wait_ms: 60_000, ...limits.account } },
    },
  })
  const own = direct[0] ?? ''
  const v1 = `${gateway}/api/v1/accounts/10000001`
  const ready = ({ body }: Answer) => String(body['data']?.['ready']) === 'true'
  await until(() => get(`${v1}/status`), ready)
  const price = await lastPrice(gateway)
  const order = (n: number) => ({
    stock_code: '600036',
    order_type: 23,
    order_volume: 100,
    price_type: 11,
    price: Math.round(price * (0.91 + n / 100) * 100) / 100,
  })
  const queue = () => get(`${own}/api/orders/queued`)
  return { own, v1, order, queue }
}

const keyed = (key: string) => ({ 'Idempotency-Key': key })
const countOf = ({ body }: Answer) => Number(body['count'])
const isEmpty = (answer: Answer) => countOf(answer) === 0

t.test('orders above the rate wait for their turn, on both backends', async (t) => {
  const { own, v1, order, queue } = await open(t)

  await t.test('a script that places three within a second has three orders', async (t) => {
    const answers = await Promise.all([
      post(`${v1}/orders`, order(0)),
      post(`${own}/api/actions/place_order`, order(1)),
      post(`${own}/api/actions/execute_sell`, { stock_code: '600036', quantity: 100 }),
    ])
    t.strictSame(
      answers.map(({ status }) => status),
      [201, 200, 200],
    )
    t.equal(await ordersOf(own), 3)
    t.ok(isEmpty(await queue()))
  })

  await t.test('what waits is canceled by a person; its key says so from then on', async (t) => {
    const body = { strategy: 'custom_stock', quantity: 5, stocks: [...POOL].reverse() }
    const bought = post(`${own}/api/actions/execute_buy`, body, keyed('taken-back'))
    await until(queue, (answer) => !isEmpty(answer))
    const canceled = await post(`${v1}/orders/queued/cancel`, { client_order_id: 'taken-back' })
    const count = Number(canceled.body['data']?.['canceled'])
    t.ok(count > 0)
    t.match(await bought, {
      status: 200,
      body: { total_count: 5, success_count: 5 - count, message: /排队中被撤销/ },
    })
    t.ok(isEmpty(await queue()))
    t.match(await post(`${own}/api/orders/queued/cancel`, { client_order_id: 'taken-back' }), {
      status: 404,
      body: { code: 'UNKNOWN_ORDER' },
    })
    t.match(await post(`${own}/api/orders/queued/cancel`), { status: 200, body: { canceled: 0 } })
  })

  await t.test('a client that gives up while its order waits finds no order', async (t) => {
    const before = await ordersOf(own)
    // Each of them takes a second, so that the last one waits, however late somebody looks.
    const prices = [2, 3, 4, 5, 6, 7, 8]
    const others = [...prices, ...prices].map((n) => post(`${v1}/orders`, order(n)))
    await until(queue, (answer) => countOf(answer) >= 4)
    const left = new AbortController()
    const given = fetch(`${v1}/orders`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json', ...keyed('given-up') },
      body: JSON.stringify(order(1)),
      signal: left.signal,
    })
    const waits = ({ body }: Answer) =>
      JSON.stringify(body['orders']).includes(`"price":${order(1).price}`)
    await until(queue, waits)
    left.abort()
    await t.rejects(given)
    await until(queue, (answer) => !waits(answer))
    await post(`${own}/api/orders/queued/cancel`)
    const sent = (await Promise.all(others)).filter(({ status }) => status === 201)
    t.equal(await ordersOf(own), before + sent.length)
    t.equal((await post(`${v1}/orders`, order(1), keyed('given-up'))).status, 201, 'asked again')
  })
})

t.test('a purchase whose time is up names what waits; the rest goes on', async (t) => {
  const limits = { account: { paced_answer_ms: 7_500 }, http: { execute_timeout_ms: 8_000 } }
  const { own, v1, queue } = await open(t, limits)
  // The last of them waits for seconds after the answer.
  const body = { strategy: 'custom_stock', quantity: POOL.length, stocks: POOL }
  const early = await post(`${own}/api/actions/execute_buy`, body, keyed('several'))
  t.equal(early.status, 202)
  t.match(early.body, {
    status: 'success',
    state: 'queued',
    order_id: null,
    total_count: POOL.length,
    location: /^\/api\/orders\/\w{26}$/,
    message: /笔排队中/,
  })
  const told = await get(`${own}${early.body['location']}`)
  t.match(told.body['data'], { total_count: POOL.length, outcome: 'unknown', queued: [{}] })
  t.equal(Number(early.body['orders']?.['length']) + queuedIn(early), POOL.length)
  const shown = await get(`${v1}/orders/queued`)
  t.match(shown, {
    status: 200,
    body: { success: true, data: { max_orders_per_second: 1, orders: [{ before: 0 }] } },
  })
  await until(queue, isEmpty)
  const whole = await post(`${own}/api/actions/execute_buy`, body, keyed('several'))
  t.equal(whole.status, 200)
  t.match(whole.body, { total_count: POOL.length, success_count: POOL.length })
  const ended = await get(`${own}${early.body['location']}`)
  t.match(ended.body['data'], { outcome: 'accepted', success_count: POOL.length, queued: [] })
})

const ordersOf = async (own: string): Promise<number> =>
  Number((await get(`${own}/api/orders`)).body['data']?.['length'])

const queuedIn = ({ body }: Answer): number => Number(body['queued']?.['length'])

async function lastPrice(gateway: string): Promise<number> {
  const { body } = await get(`${gateway}/api/v1/market/tick?stock_codes=600036.SH`)
  return Number(body['data']?.['600036.SH']?.['lastClose'])
}
