import t, { type Test } from 'tap'
import { get, type Json, post, until } from './fixture.ts'
import { linesOf, MONDAY, Stage, tickMs } from './fixtures/ticks.ts'

const GRID_ON = { ENABLE_AUTO_OPERATION: true }
const START = {
  stock_code: '600036',
  center_price: 10,
  config: { max_investment: 10_000, max_deviation: 0.2 },
}
const tick = (index: number) => tickMs(MONDAY, index)
const list = (value: unknown) => value as readonly Json[]

t.test('amount mode: the base holding is sold, and the purchase covers the sale', async (t) => {
  const stage = await Stage.open(t, {
    strategy: GRID_ON,
    lines: linesOf({ day: MONDAY, prices: [10.2, 10.51, 10.6, 10.54, 10.3, 10, 9.9, 9.96, 9.97] }),
  })
  await stage.to(tick(0))
  const started = await post(`${stage.direct}/api/grid/start`, START)
  t.match(started, { status: 200, body: { success: true, status: 'success', session_id: 1 } })
  await stage.to(tick(2))
  t.match(await stage.data('/api/grid/status/600036'), {
    is_active: true,
    current_center_price: 10,
    stats: { trade_count: 0 },
    tracker_state: { direction: 'rising', waiting_callback: true, peak_price: 10.6 },
  })
  t.strictSame(await stage.fills(), [], 'a crossing alone sells nothing')
  await stage.to(tick(3))
  t.strictSame(await stage.fills(), ['grid 200@10.54'], 'a quarter of what may be sold')
  t.match(await stage.data('/api/grid/session/600036.SH'), {
    has_session: true,
    config: { trade_mode: 'amount', fixed_volume: 0 },
    stats: {
      current_center_price: 10.54,
      sell_count: 1,
      profit_ratio: 0,
      deviation_ratio: 0.054,
      center_deviation_ratio: 0.054,
      market_deviation_ratio: 0,
      market_price: 10.54,
      pnl_snapshot: { unmatched_volume: 200, is_degraded: false, method: 'ledger_true_pnl' },
    },
  })
  await looks(t, stage)
  await stage.to()
  t.strictSame(await stage.fills(), ['grid 200@10.54', 'grid 200@9.96'])
  const { summary, lots, matches, trades } = await stage.data('/api/grid/ledger/1')
  t.match(summary, { realized_pnl: 116, open_volume: 0, unmatched_volume: 0, true_pnl: 116 })
  t.match(lots, [{ status: 'closed', original_volume: 200, buy_price: 9.96 }])
  t.match(matches, [{ match_type: 'matched', volume: 200, realized_pnl: 116, buy_lot_id: 1 }])
  t.match(trades, [
    { trade_type: 'BUY', grid_level: 10.013, trigger_price: 9.96, callback_ratio: 0.0061 },
    { trade_type: 'SELL', grid_level: 10.5, grid_center_after: 10.54 },
  ])
  const records = await stage.list('/api/trade-records')
  t.strictSame(
    records.map((row) => row['trade_id']),
    list(trades).map((row) => row['trade_id']),
    'the serial number of a fill is the number of its order',
  )
  for (const base of [stage.direct, stage.gateway]) {
    const { body } = await get(`${base}/api/grid/sessions`)
    t.match(body, { success: true, total: 1, sessions: [{ session_id: 1, grid_profit: 116 }] })
  }
  await backtests(t, stage)
})

/** Whatever a session is asked by, its answer says what it was started with and how it goes. */
async function looks(t: Test, stage: Stage): Promise<void> {
  const byStock = await stage.data('/api/grid/session/600036')
  const byNumber = await stage.data('/api/grid/session/1')
  for (const shown of [byStock, byNumber]) {
    t.match(shown, {
      config: { trade_mode: 'amount', fixed_volume: 0, max_investment: 10_000 },
      stats: { sell_count: 1, market_price: 10.54 },
      pnl_snapshot: { session_id: 1, unmatched_volume: 200, is_degraded: false },
    })
  }
  t.strictSame(byNumber['stats'], byStock['stats'])
  t.match(await stage.data('/api/grid/status/600036'), { pnl_snapshot: { session_id: 1 } })
}

/** As a job, over the recording, and over the bars of what was played of it. */
async function backtests(t: Test, stage: Stage): Promise<void> {
  const run = async (body: object) => {
    const asked = await post(`${stage.direct}/api/grid/backtest`, { ...START, ...body })
    t.equal(asked.status, 200)
    const path = `${stage.direct}/api/jobs/${String(asked.body['job_id'])}`
    const ended = await until(
      () => get(path),
      ({ body: { state } }) => !['queued', 'running'].includes(String(state)),
    )
    return ended.body
  }
  t.match(await run({ source: 'replay' }), {
    kind: 'grid_backtest',
    state: 'done',
    progress: 1,
    result: {
      points: 12,
      trade_count: 2,
      grid_profit: 116,
      profit_ratio: 0.0116,
      open_volume: 0,
      current_center_price: 9.96,
      stop_reason: null,
      base_volume: 1_000,
      trades: [
        { trade_type: 'SELL', price: 10.54, volume: 200, center_price: 10.54 },
        { trade_type: 'BUY', price: 9.96, volume: 200, realized_pnl: 116 },
      ],
    },
  })
  const bars = await run({ period: '1m', start_time: '20260914' })
  t.match(bars, { state: 'done', result: { source: 'bars', period: '1m' } })
  t.ok(Number(bars['result']?.['points']) > 0, 'minutes that were played')
  t.same(bars['result']?.['warnings'], [])
  const daily = await run({ period: '1d', start_time: '20260914' })
  t.match(daily['result'], { warnings: [/^1d K 线.*同一时刻.*share one time/] })
  const wrong = await post(`${stage.direct}/api/grid/backtest`, { ...START, price_interval: 9 })
  t.match(wrong, {
    status: 400,
    body: { code: 'VALIDATION', details: { price_interval: [String] } },
  })
}

t.test(
  'F1025 a backtest over the recording that names no first day is of the whole file',
  async (t) => {
    const day = '2016-09-12'
    const stage = await Stage.open(t, {
      strategy: GRID_ON,
      lines: linesOf({ day, prices: [10.2, 10.51, 10.6, 10.54] }),
    })
    await stage.to(tickMs(day, 1))
    const run = async (body: object) => {
      const asked = await post(`${stage.direct}/api/grid/backtest`, { ...START, ...body })
      const path = `${stage.direct}/api/jobs/${String(asked.body['job_id'])}`
      const ended = await until(
        () => get(path),
        ({ body: { state } }) => !['queued', 'running'].includes(String(state)),
      )
      return Number(ended.body['result']?.['points'])
    }
    const points = await run({ source: 'replay' })
    t.ok(points > 0)
    t.equal(await run({ source: 'replay', start_time: '' }), points)
    t.equal(await run({ source: 'replay', start_time: '20200101' }), 0, 'a day that is said counts')
    const ahead = { ...START, end_time: '20190101' }
    t.match(await post(`${stage.direct}/api/grid/backtest`, ahead), { status: 400 })
  },
)
