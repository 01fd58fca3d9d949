import t, { type Test } from 'tap'
import { get, type Json, post, until } from './fixture.ts'
import { accountTables, type Tables, verified } from './fixtures/disk.ts'
import {
  HELD,
  MONDAY,
  nobodyBuys,
  type Scene,
  Stage,
  TUESDAY,
  tickMs,
  together,
} from './fixtures/ticks.ts'

const ACCOUNT = '10000001'
const [SELLER, BUYER, SLOW, GOER] = ['600036.SH', '600000.SH', '600009.SH', '600010.SH']
const tick = (index: number) => tickMs(MONDAY, index)

/** Four stocks, each with a day of its own. */
const market: Scene = {
  // A restart forgets how healthy the quotes were, and so would keep a grid back for three looks.
  strategy: { ENABLE_AUTO_OPERATION: true, MARKET_HEALTH_OBSERVE_ONLY: true },
  positions: [SELLER, BUYER, SLOW, GOER].map((stock_code) => ({ ...HELD, stock_code })),
  lines: together(
    { day: MONDAY, code: SELLER, prices: [10.2, 10.51, 10.6, 10.54, 10.3, 10, 9.9, 9.96, 9.97] },
    { day: MONDAY, code: BUYER, prices: [9.8, 9.49, 9.4, 9.45, 9.6, 9.95, 10.1, 10.04, 10] },
    {
      day: MONDAY,
      code: SLOW,
      prices: [10.2, 10.51, 10.6, 10.54, 10.54, 10.54, 10.58],
      fields: (index, price) => (index >= 3 && index < 6 ? nobodyBuys(price) : {}),
    },
    { day: MONDAY, code: GOER, prices: [10.2, 10.3, 10.4, 10.9, 10.9] },
    { day: TUESDAY, code: SELLER, open: 9.97, prices: [9.4, 9.3, 9.36], lastClose: 9.97 },
  ),
}

const starts = [
  { stock_code: SELLER, center_price: 10 },
  { stock_code: BUYER, center_price: 10, trade_mode: 'shares', fixed_volume: 300 },
  { stock_code: SLOW, center_price: 10 },
  { stock_code: GOER, center_price: 10, max_deviation: 0.08 },
]

async function opened(t: Test, folder: string): Promise<Stage> {
  const stage = await Stage.open(t, market, folder)
  await stage.to(tick(0))
  for (const fields of starts) {
    const body = { max_investment: 10_000, max_deviation: 0.2, ...fields }
    const { status } = await post(`${stage.direct}/api/grid/start`, body)
    t.equal(status, 200)
  }
  return stage
}

const stats = async (stage: Stage, code: string | undefined) =>
  (await stage.data(`/api/grid/session/${code}`))['stats']

/** What an undisturbed run leaves on disk. */
let plain: Tables = {}

t.test('a day of four grids: both modes, both directions, an exit', async (t) => {
  const folder = t.testdir()
  const stage = await opened(t, folder)
  await stage.to(tick(3))
  t.strictSame(await stage.fills(SELLER), ['grid 200@10.54'], 'amount mode sells first')
  t.strictSame(await stage.fills(BUYER), ['grid 300@9.45'], 'shares mode buys first')
  t.match(await stage.orders(SLOW), [{ status: 50, is_pending: true, strategy: 'grid' }])
  t.match(await stats(stage, SLOW), { trade_count: 0, current_center_price: 10 }, 'not by an order')
  const { sessions } = await stage.data('/api/grid/sessions')
  const gone = (sessions as unknown as Json[]).find((row) => String(row['stock_code']) === GOER)
  t.match(gone, { status: 'stopped', stop_reason: 'deviation', trade_count: 0 })
  t.match(await stage.holding(GOER), { volume: 1_000, grid_session_active: false }, 'not sold')
  await stage.to(tick(8))
  t.strictSame(await stage.fills(SLOW), ['grid 200@10.58'], 'filled by the first buyer')
  t.strictSame(await stage.fills(BUYER), ['grid 300@9.45', 'grid 300@10.04'])
  t.match(await stats(stage, BUYER), {
    grid_profit: 177,
    profit_ratio: 0.0177,
    current_investment: 0,
    pnl_snapshot: { matched_volume: 300, is_degraded: false },
  })
  t.match(await stats(stage, SELLER), { grid_profit: 116, buy_count: 1, sell_count: 1 })
  await stage.to()
  t.match(await stats(stage, SELLER), {
    buy_count: 2,
    current_investment: 1_872,
    current_center_price: 9.36,
    pnl_snapshot: { realized_pnl: 116, open_volume: 200 },
  })
  await stage.stop()
  plain = await books(folder)
  t.ok(Object.values(plain).every((rows) => rows.length > 0))
})

/** Grids, their books and the records, without what only tells how often the service started. */
async function books(folder: string): Promise<Tables> {
  const tables = await accountTables(`${folder}/data`, ACCOUNT)
  const names = ['gridSessions', 'gridTrades', 'gridLots', 'gridMatches', 'gridOrders', 'records']
  return Object.fromEntries(names.map((name) => [name, tables[name] ?? []]))
}

/** Ends the thread of the account, and waits for the next one. */
async function killed(stage: Stage): Promise<void> {
  await post(`${stage.gateway}/api/v1/accounts/${ACCOUNT}/restart`)
  await until(
    () => get(`${stage.gateway}/api/v1/accounts/${ACCOUNT}/status`),
    ({ body }) => String(body['data']?.['ready']) === 'true',
  )
  await stage.quiet()
}

t.test(
  'killed between acceptance and booking, and restarted: the same sessions and books',
  async (t) => {
    const folder = t.testdir()
    const stage = await opened(t, folder)
    await stage.to(tick(3))
    t.match(await stats(stage, SLOW), { trade_count: 0 }, 'its order is taken and not filled')
    await killed(stage)
    await stage.to(tick(6)) // SELLER is between a crossing and its callback
    await stage.restart()
    await stage.to()
    await stage.stop()
    t.strictSame(await books(folder), plain)
    t.match(await verified(folder), [/chain ok, tables agree\)$/], 'the journal tells every row')
  },
)
