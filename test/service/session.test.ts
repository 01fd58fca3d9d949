import t from 'tap'
import { get, post, serve, until } from './fixture.ts'

const order = (fields: object = {}) => ({
  stock_code: '600036',
  order_type: 23,
  order_volume: 100,
  price_type: 5,
  price: 0,
  ...fields,
})

t.test('a first session: holdings, an order by key, its fill on both backends', async (t) => {
  const { gateway, direct } = await serve(t)
  const mine = `${gateway}/api/v1/accounts/10000001`
  const held = await until(
    () => get(`${direct[0]}/api/positions-all`),
    ({ body }) => Number(body['data']?.['length']) === 1,
  )
  t.match(held.body['data']?.[0], {
    stock_code: '600036',
    volume: 1_000,
    available: 1_000,
    stock_name: '招商银行',
  })

  const key = { 'Idempotency-Key': 'first' }
  const placed = await Promise.all([1, 2, 3].map(() => post(`${mine}/orders`, order(), key)))
  const numbers = new Set(placed.map(({ body }) => body['data']?.['order_id']))
  t.equal(numbers.size, 1, 'asked three times at once: one order')
  t.strictSame(
    placed.map(({ status }) => status),
    [201, 201, 201],
  )
  t.equal((await post(`${mine}/orders`, order({ order_volume: 200 }), key)).status, 409)

  const orders = await until(
    () => get(`${direct[0]}/api/orders`),
    ({ body }) => String(body['data']?.[0]?.['status']) === '56',
  )
  t.match(orders.body['data'], [
    { trade_type: 'BUY', traded_volume: 100, is_pending: false, strategy: 'M_real' },
  ])
  const records = await get(`${direct[0]}/api/trade-records`)
  t.match(records.body['data'], [{ id: 1, volume: 100, strategy_label: '手动买入' }])
  const trades = await get(`${mine}/trades`)
  t.match(trades.body['data']?.['trades'], [{ 成交数量: 100, 证券代码: '600036' }])
  const after = await until(
    () => get(`${mine}/positions`),
    ({ body }) => Number(body['data']?.['positions']?.[0]?.['股票余额']) === 1_100,
  )
  t.match(
    after.body['data']?.['positions']?.[0],
    { 可用余额: 1_000 },
    'bought today is not sellable today',
  )
  t.strictSame(
    (await get(`${direct[1]}/api/orders`)).body['data'],
    [],
    'the other account saw nothing',
  )
})

t.test(
  'a resting order is listed as pending, canceled by its number, and ends as 54',
  async (t) => {
    const { gateway, direct } = await serve(t)
    const mine = `${gateway}/api/v1/accounts/10000001`
    await until(
      () => get(`${mine}/status`),
      ({ body }) => body['data']?.['ready'] === (true as never),
    )
    const sale = { stock_code: '600036', quantity: 100, price_type: 11, price: 38.5 }
    const { body } = await post(`${direct[0]}/api/actions/execute_sell`, sale)
    t.match(body, { status: 'success', success_count: 1 })
    const id = String(body['orders']?.[0]?.['order_id'])
    t.match((await get(`${direct[0]}/api/orders`)).body['data'], [
      { order_id: id, is_pending: true, status: 50 },
    ])
    t.match(await post(`${direct[0]}/api/orders/${id}/cancel`), { status: 200 })
    await until(
      () => get(`${direct[0]}/api/orders`),
      ({ body }) => String(body['data']?.[0]?.['status']) === '54',
    )
    t.equal((await post(`${direct[0]}/api/orders/404/cancel`)).status, 404)
  },
)

t.test(
  'switches are kept, except those that are confirmed by hand after every start',
  async (t) => {
    const folder = t.testdir()
    t.test('set', async (t) => {
      const { direct } = await serve(t, { folder })
      const changes = { allowBuy: false, stockStopLoss: 8, globalAutoOperation: true }
      t.match(await post(`${direct[0]}/api/config/save`, changes), {
        status: 200,
        body: { isMonitoring: true },
      })
      t.equal((await post(`${direct[0]}/api/config/save`, { stockStopLoss: 99 })).status, 400)
      const buy = { strategy: 'custom_stock', quantity: 1, stocks: ['600036'] }
      t.match(await post(`${direct[0]}/api/actions/execute_buy`, buy), {
        status: 200,
        body: { success_count: 0 },
      })
    })
    t.test('found again', async (t) => {
      const { direct } = await serve(t, { folder })
      const { body } = await get(`${direct[0]}/api/config`)
      t.match(body['data'], { allowBuy: false, stockStopLoss: 8, globalAutoOperation: false })
    })
  },
)

t.test('an account is registered, used, forgotten; its data stays', async (t) => {
  const { gateway } = await serve(t)
  const registration = { account_id: '20000001', qmt_path: 'C:/qmt/other' }
  t.match(await post(`${gateway}/api/v1/accounts`, registration), {
    status: 201,
    body: { success: true, data: { account_id: '20000001', connected: true } },
  })
  t.equal((await post(`${gateway}/api/v1/accounts`, registration)).status, 201, 'again: no error')
  const mine = `${gateway}/api/v1/accounts/20000001`
  await until(
    () => get(`${mine}/asset`),
    ({ body }) => Number(body['data']?.['可用金额']) === 1_000_000,
  )
  const gone = await fetch(mine, { method: 'DELETE' })
  t.equal(gone.status, 200)
  t.equal((await get(`${mine}/asset`)).status, 404)
  t.strictSame((await get(`${gateway}/api/v1/accounts`)).body['data'], {
    accounts: ['10000001', '10000002'],
  })
})
