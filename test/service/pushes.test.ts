import t, { type Test } from 'tap'
import { account, get, type Json, type Position, post, serve, until } from './fixture.ts'
import { HELD, linesOf, MONDAY, nobodyBuys, ON, Stage, tickMs } from './fixtures/ticks.ts'

/** What trading clients push: all; orders and deals; nothing. The account comes to the same. */
const MODES = ['all', 'orders', 'none'] as const
type Mode = (typeof MODES)[number]

const LIMITS = { account: { open_orders_query_ms: 20, position_query_interval_ms: 60_000 } }

/** One account at a client of this mode. Holdings and cash are not polled while a test lasts. */
const overridesOf = (mode: Mode, positions: readonly Position[]) => {
  const { paper, ...rest } = account('10000001', positions)
  return { accounts: [{ ...rest, paper: { ...paper, pushes: mode } }], limits: LIMITS }
}

const inEveryMode = (name: string, play: Play) => inModes(MODES, name, play)
type Play = (t: Test, mode: Mode) => Promise<void>
const inModes = (modes: readonly Mode[], name: string, play: Play) => {
  for (const mode of modes) t.test(`${name}, pushes: ${mode}`, async (t) => play(t, mode))
}

const open = (t: Test, mode: Mode, scene: { lines: readonly string[]; strategy: object }) =>
  Stage.open(t, { ...scene, overrides: overridesOf(mode, [HELD]) })
const tick = (index: number) => tickMs(MONDAY, index)

/** What has been filled, once it is as many deals. */
const fillsOf = (stage: Stage, count: number) =>
  until(
    () => stage.fills(),
    (fills) => fills.length >= count,
  )

inEveryMode('half of a holding, twice within a second', async (t, mode) => {
  const bank: Position = { stock_code: '600036', volume: 1_050, cost_price: 35.1 }
  const { direct } = await serve(t, { overrides: overridesOf(mode, [bank]) })
  const sell = (ratio: number) =>
    post(`${direct[0]}/api/actions/execute_sell`, { stock_code: '600036', ratio })
  await until(
    () => sell(0.5), // refused until it is ready
    ({ body }) => Number(body['success_count']) === 1,
  )
  t.match(await sell(0.5), { status: 200, body: { success_count: 1 } })
  const sold = await until(
    async () => (await get(`${direct[0]}/api/trade-records`)).body['data'] as unknown as Json[],
    (rows) => rows.length === 2,
  )
  t.strictSame(sold.map((row) => Number(row['volume'])).toSorted(), [200, 500], 'of 1,050 and 550')
})

inEveryMode('a stop, and its rest after a cancel', async (t, mode) => {
  const sealed = (index: number, price: number) =>
    index >= 1 && index < 14 ? nobodyBuys(price) : {}
  const stage = await open(t, mode, {
    lines: linesOf({ day: MONDAY, prices: [9.6, 9.2, ...Array(13).fill(9.1)], fields: sealed }),
    strategy: { ...ON, ENABLE_STOP_LOSS_BUY: false },
  })
  await stage.to(tick(1))
  t.match(await stage.orders(), [{ strategy: 'stop_loss', volume: 1_000, traded_volume: 0 }])
  await stage.to(tick(13))
  const again = await until(
    () => stage.orders(),
    (orders) => orders.length === 2,
  )
  t.match(again[1], { strategy: 'reorder_stop_loss', volume: 1_000 })
  await stage.to()
  t.strictSame(await fillsOf(stage, 1), ['reorder_stop_loss 1000@9.1'])
  await until(
    () => stage.holding(),
    (held) => held === undefined,
  )
  t.equal((await stage.orders()).length, 2, 'and nothing twice')
})

inModes(['none'], 'a first take-profit and the full exit', async (t, mode) => {
  const stage = await open(t, mode, {
    lines: linesOf({ day: MONDAY, prices: [10.55, 10.61, 10.59, 10.7, 10.64, 10.66, 10.27] }),
    strategy: ON,
  })
  await stage.to(tick(4))
  t.strictSame(await fillsOf(stage, 1), ['auto_partial 600@10.64'])
  await until(
    () => stage.holding(),
    (held) => Number(held?.['volume']) === 400,
  )
  t.match(await stage.holding(), { available: 400, profit_triggered: true })
  await stage.to()
  t.strictSame(await fillsOf(stage, 2), ['auto_partial 600@10.64', 'auto_full 400@10.27'])
})

inModes(['none'], 'a grid sells and buys back', async (t, mode) => {
  const stage = await open(t, mode, {
    lines: linesOf({ day: MONDAY, prices: [10.2, 10.51, 10.6, 10.54, 10.3, 10, 9.9, 9.96, 9.97] }),
    strategy: { ENABLE_AUTO_OPERATION: true },
  })
  await stage.to(tick(0))
  const config = { max_investment: 10_000, max_deviation: 0.2 }
  const start = { stock_code: '600036', center_price: 10, config }
  t.equal((await post(`${stage.direct}/api/grid/start`, start)).status, 200)
  await stage.to(tick(3))
  t.strictSame(await fillsOf(stage, 1), ['grid 200@10.54'])
  const ledger = () => stage.data('/api/grid/session/600036.SH')
  await until(ledger, (session) => Number(session['stats']?.['sell_count']) === 1)
  await stage.to()
  t.strictSame(await fillsOf(stage, 2), ['grid 200@10.54', 'grid 200@9.96'])
  await until(
    () => stage.data('/api/grid/ledger/1'),
    ({ summary }) => Number(summary?.['realized_pnl']) === 116,
  )
})
