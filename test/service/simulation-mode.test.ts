import t, { type Test } from 'tap'
import { get, type Json, post } from './fixture.ts'
import { HELD, linesOf, MONDAY, ON, Stage, tickMs } from './fixtures/ticks.ts'

/** Pre-open, so that a live order would be refused; then a rise with its pullback. */
const lines = [
  ...linesOf({ day: MONDAY, from: '09:10:00', prices: [] }),
  ...linesOf({ day: MONDAY, from: '09:30:00', prices: [10.61, 10.7, 10.64, 10.27] }),
]
const MODE = { simulationMode: true }
/** As the front tells it, and whether the trading client is there. */
const connected = async (stage: Stage) => {
  const { connection } = await stage.data('/api/status')
  const told = (await stage.data('/api/connection/status'))['connected']
  return { told, isThere: (connection as unknown as Json)['connected'] }
}
const buy = (stage: Stage, key: string) =>
  stage.post('/api/actions/execute_buy', {
    strategy: 'custom_stock',
    quantity: 1,
    stocks: ['600036'],
    client_order_id: key,
  })

t.test('the simulation mode trades with holdings of its own', async (t) => {
  const stage = await Stage.open(t, { lines, strategy: ON, positions: [{ ...HELD, available: 0 }] })
  await stage.to(tickMs(MONDAY, -1, '09:10:00'))
  t.match(await buy(stage, 'live'), { success_count: 0, message: /非交易时段/ })
  t.match(await stage.post('/api/config/save', MODE), { status: 'success', saved_count: 1 })
  t.match((await stage.data('/api/status'))['settings'], { simulationMode: true })
  t.strictSame(
    await connected(stage),
    { told: true, isThere: false },
    'the trading client is let go, and the account can be worked with',
  )
  t.match(await stage.holding(), { volume: 1_000, available: 1_000 }, 'all of it may be sold')
  await byHand(t, stage)
  await byStrategy(t, stage)
  await backAgain(t, stage)
})

async function byHand(t: Test, stage: Stage) {
  t.match(await buy(stage, 'one'), {
    success_count: 1,
    total_count: 1,
    orders: [{ status: 'accepted', order_id: /^SIM20260914091006\d{4}$/ }],
  })
  t.match(await buy(stage, 'one'), { success_count: 1 }, 'the same key is the same order')
  t.match(await stage.holding(), { volume: 4_500, available: 4_500, cost_price: 10 })
  for (const stocks of [['601318', '600036'], ['601318'], ['600036', '601318']]) {
    const other = await post(`${stage.direct}/api/actions/execute_buy`, {
      strategy: 'custom_stock',
      quantity: stocks.length,
      stocks,
      client_order_id: 'one',
    })
    t.match(other, { status: 409, body: { code: 'IDEMPOTENCY_MISMATCH' } }, 'another is refused')
  }
  t.match(await stage.holding(), { volume: 4_500 }, 'and changes nothing')
  t.match(await stage.list('/api/trade-records'), [
    { strategy: 'M_simu', strategy_label: '模拟买入', volume: 3_500, commission: 10.5 },
  ])
  const sold = { stock_code: '600036', quantity: 3_500 }
  t.match(await stage.post('/api/actions/execute_sell', sold), { success_count: 1 })
  t.match(await stage.list('/api/trade-records'), [
    { strategy: 'manual_simu', commission: 45.5, trade_id: 'SIM_20260914091006_600036_SELL' },
    {},
  ])
  t.match(await stage.holding(), { volume: 1_000, profit_triggered: false })
  t.strictSame(await stage.orders(), [], 'nothing was sent to anybody')
  const { account } = await stage.data('/api/status')
  t.match(account, {
    availableBalance: 1_000_000 - 10.5 - 45.5,
    timestamp: '2026-09-14 09:10:06',
  })
  await stage.post('/api/config/save', { allowBuy: false })
  t.match(await buy(stage, 'two'), { success_count: 0 }, 'permissions hold')
  await stage.post('/api/config/save', { allowBuy: true })
  const tooMuch = { stock_code: '600036', quantity: 1_100 }
  t.match(await stage.post('/api/actions/execute_sell', tooMuch), { code: 'INSUFFICIENT_SELLABLE' })
}

async function byStrategy(t: Test, stage: Stage) {
  await stage.to(tickMs(MONDAY, 2))
  t.match(
    await stage.holding(),
    { volume: 400, profit_triggered: true, cost_price: 9.0607 },
    'the profit is spread over the rest',
  )
  t.match((await stage.fills()).slice(2), ['simu 600@10.64'])
}

async function backAgain(t: Test, stage: Stage) {
  await stage.post('/api/config/save', { simulationMode: false })
  t.strictSame(await connected(stage), { told: true, isThere: true })
  t.match(await stage.holding(), { volume: 1_000, available: 0, profit_triggered: false })
  const { body } = await get(`${stage.gateway}/api/v1/accounts/10000001/orders`)
  t.match(body['data'], { orders: [] })
  t.equal((await stage.fills()).length, 3, 'the records stay')
  await stage.post('/api/config/save', MODE)
  await stage.restart()
  t.match((await stage.data('/api/status'))['settings'], { simulationMode: false }, 'not persisted')
}

t.test('an account whose file says so begins in simulation mode', async (t) => {
  const strategy = { ...ON, ENABLE_SIMULATION_MODE: true, SIMULATION_BALANCE: 50_000 }
  const stage = await Stage.open(t, { lines, strategy, isConnected: false })
  t.match((await stage.data('/api/status'))['settings'], { simulationMode: true })
  t.equal(await stage.holding(), undefined, 'nothing has ever been reported')
  await stage.to(tickMs(MONDAY, -1, '09:10:00'))
  t.match(await buy(stage, 'one'), { success_count: 1 })
  t.match(await stage.holding(), { volume: 3_500, available: 3_500 })
  t.match(await buy(stage, 'two'), { success_count: 0, message: /可用资金不足/ })
})

t.test('orders of the day before it are in no list of a simulation', async (t) => {
  const stage = await Stage.open(t, { lines, strategy: {} })
  await stage.to(tickMs(MONDAY, -1))
  t.match(await buy(stage, 'live'), { success_count: 1 })
  t.match(await stage.list('/api/orders'), [{ trade_type: 'BUY' }])
  await stage.post('/api/config/save', MODE)
  t.match(await buy(stage, 'simulated'), { success_count: 1 })
  t.strictSame(await stage.list('/api/orders'), [])
  const { body } = await get(`${stage.gateway}/api/orders`)
  t.strictSame(body['data'], [])
  await stage.post('/api/config/save', { simulationMode: false })
  t.match(await stage.list('/api/orders'), [{ trade_type: 'BUY' }], 'they are there again')
})

t.test('with an open order the mode stays as it is', async (t) => {
  const stage = await Stage.open(t, { lines, strategy: {} })
  await stage.to(tickMs(MONDAY, -1))
  const sale = { stock_code: '600036', quantity: 100, price: 10.9, price_type: 11 }
  t.match(await stage.post('/api/actions/execute_sell', sale), { success_count: 1 })
  t.match(await stage.post('/api/config/save', MODE), { code: 'CONFLICT', message: /撤单/ })
  t.match((await stage.data('/api/status'))['settings'], { simulationMode: false })
})
