import t, { type Test } from 'tap'
import type { Json } from './fixture.ts'
import { HELD, MONDAY, Stage, TUESDAY, tickMs, together } from './fixtures/ticks.ts'

const [WINNER, LOSER, FAR, OLD] = ['600000.SH', '600009.SH', '600010.SH', '600011.SH']
const [IDLE, SOLD, COVER, QUOTA, GATED] = [
  '600015.SH',
  '600016.SH',
  '600018.SH',
  '600019.SH',
  '600028.SH',
]
const CODES = [WINNER, LOSER, FAR, OLD, IDLE, SOLD, COVER, QUOTA, GATED].map(String)

/** Below the lower level of 10 and back: an open grid buys at the last of them. */
const DIP = [9.49, 9.4, 9.45]
/** A dip while something is closed, and a price that asks for nothing. */
const CLOSED_DIP = [...DIP, 10]
const NOON = '10:00:00'

const lines = together(
  { day: MONDAY, code: String(WINNER), prices: [...DIP, 9.95, 10.1, 10.04, 10] },
  { day: MONDAY, code: String(LOSER), prices: [...DIP, 9.21, 9.19, 9.1] },
  { day: MONDAY, code: String(FAR), prices: [10.79, 10.81] },
  { day: MONDAY, code: String(IDLE), prices: [10.6, 10.54, 10] },
  { day: MONDAY, code: String(SOLD), prices: Array<number>(14).fill(10) },
  { day: MONDAY, code: String(COVER), prices: [10.51, 10.6, 10.54, 10.3, 10, 9.9, 9.96, 9.96] },
  {
    day: MONDAY,
    code: String(QUOTA),
    prices: [9.79, 9.74, 9.79, 9.59, 9.54, 9.59, 9.39, 9.34, 9.39, 9.2, 9.15, 9.2, 9.15, 9.2],
  },
  {
    day: MONDAY,
    code: String(GATED),
    from: NOON,
    prices: [...CLOSED_DIP, ...CLOSED_DIP, ...CLOSED_DIP, ...CLOSED_DIP, ...DIP],
  },
  { day: TUESDAY, code: String(OLD), prices: [10, 10, 10] },
  { day: TUESDAY, code: String(IDLE), prices: [10, 10, 10] },
)

const starts: readonly object[] = [
  { stock_code: WINNER, target_profit: 0.01, stop_loss: -0.01 },
  { stock_code: LOSER, target_profit: 0.02, stop_loss: -0.005 },
  { stock_code: FAR, max_deviation: 0.08 },
  { stock_code: OLD, duration_days: 1 },
  { stock_code: IDLE, duration_days: 1, max_deviation: 0.05 },
  { stock_code: SOLD },
  { stock_code: COVER, max_investment: 20_000 },
  { stock_code: QUOTA, max_investment: 5_000, position_ratio: 0.5, price_interval: 0.02 },
  { stock_code: GATED },
]

const monday = (index: number) => tickMs(MONDAY, index)
const row = async (stage: Stage, code: string | undefined): Promise<Json | undefined> => {
  const { sessions } = await stage.data('/api/grid/sessions')
  return (sessions as unknown as Json[]).find((each) => String(each['stock_code']) === code)
}
const ledgerOf = async (stage: Stage, code: string | undefined) => {
  const id = (await row(stage, code))?.['session_id']
  return (await stage.data(`/api/grid/ledger/${id}`))['summary']
}
const enable = async (stage: Stage, code: string | undefined, enabled: boolean) => {
  const id = (await row(stage, code))?.['session_id']
  await stage.post(`/api/grid/session/${id}/enabled`, { enabled })
}

t.test('a day of exits, quotas and gates', async (t) => {
  const stage = await Stage.open(t, {
    lines,
    strategy: {
      ENABLE_AUTO_OPERATION: true,
      MARKET_HEALTH_OBSERVE_ONLY: true,
      GRID_BUY_COOLDOWN: 0,
      GRID_LEVEL_COOLDOWN: 0,
    },
    positions: CODES.map((stock_code) => ({ ...HELD, stock_code })),
  })
  await stage.to(monday(-1))
  for (const fields of starts) {
    const body = { max_investment: 10_000, center_price: 10, max_deviation: 0.2, ...fields }
    t.match(await stage.post('/api/grid/start', body), { success: true })
  }
  await enable(stage, IDLE, false)
  await exits(t, stage)
  await gates(t, stage)
  await expiries(t, stage)
})

/** Each look is at the moment before and at the moment of an exit. */
async function exits(t: Test, stage: Stage) {
  await stage.to(monday(0))
  t.match(await row(stage, FAR), { status: 'active' }, 'not yet too far')
  await stage.to(monday(1))
  t.match(await row(stage, FAR), { status: 'stopped', stop_reason: 'deviation', trade_count: 0 })
  await stage.to(monday(3))
  t.match(await ledgerOf(stage, COVER), { unmatched_volume: 200, matched_volume: 0 })
  t.match(await row(stage, COVER), { current_investment: 0 }, 'a sale takes nothing of the quota')
  t.match(await row(stage, LOSER), { status: 'active', buy_count: 1, sell_count: 0 })
  await stage.to(monday(4))
  t.match(await row(stage, LOSER), { status: 'stopped', stop_reason: 'stop_loss' })
  t.match(await row(stage, WINNER), { status: 'active', sell_count: 0 }, 'no profit on paper')
  await stage.to(monday(5))
  t.match(await row(stage, WINNER), {
    status: 'stopped',
    stop_reason: 'target_profit',
    buy_count: 1,
    sell_count: 1,
  })
  t.match(await stage.holding(LOSER), { volume: 1_200 }, 'nothing is sold when a session ends')
  await stage.to(monday(6))
  await covered(t, stage)
  await goneByHand(t, stage)
  await withinQuota(t, stage)
}

async function covered(t: Test, stage: Stage) {
  t.strictSame(await stage.fills(COVER), ['grid 200@10.54', 'grid 400@9.96'])
  t.match(await ledgerOf(stage, COVER), {
    unmatched_volume: 0,
    matched_volume: 200,
    open_volume: 200,
    realized_pnl: 116,
    open_cost: 1_992,
  })
  t.match(await row(stage, COVER), { current_investment: 1_992 }, 'what covers a sale is free')
}

async function goneByHand(t: Test, stage: Stage) {
  const sale = { stock_code: SOLD, quantity: 1_000 }
  t.match(await stage.post('/api/actions/execute_sell', sale), { success_count: 1 })
  t.notOk(Number((await stage.holding(SOLD))?.['volume'] ?? 0))
  t.match(await row(stage, SOLD), { status: 'active' }, 'one look may be wrong')
  await stage.to(monday(7))
  t.match(await row(stage, SOLD), { status: 'stopped', stop_reason: 'position_cleared' })
}

async function withinQuota(t: Test, stage: Stage) {
  await stage.to(monday(14))
  const fills = ['grid 200@9.79', 'grid 200@9.59', 'grid 100@9.39']
  t.strictSame(await stage.fills(QUOTA), fills, 'a smaller one at last, then none')
  const used = 200 * 9.79 + 200 * 9.59 + 100 * 9.39
  t.match(await row(stage, QUOTA), { status: 'active', current_investment: used })
  t.ok(used < 5_000)
}

/** The same dip behind every gate, and with all of them open. */
async function gates(t: Test, stage: Stage) {
  let played = 0
  const dip = async (ticks: number) => {
    played += ticks
    await stage.to(tickMs(MONDAY, played - 1, NOON))
  }
  const save = (fields: object) => stage.post('/api/config/save', fields)
  await stage.to(tickMs(MONDAY, -1, NOON))
  for (const gate of ['globalAutoOperation', 'globalAllowGridTrading', 'allowBuy']) {
    t.match(await save({ [gate]: false }), { status: 'success' })
    await dip(CLOSED_DIP.length)
    t.strictSame(await stage.fills(GATED), [], gate)
    await save({ [gate]: true })
  }
  await enable(stage, GATED, false)
  await dip(CLOSED_DIP.length)
  t.strictSame(await stage.fills(GATED), [], 'paused')
  await enable(stage, GATED, true)
  await dip(DIP.length)
  t.strictSame(await stage.fills(GATED), ['grid 200@9.45'], 'nothing is closed')
}

async function expiries(t: Test, stage: Stage) {
  t.match(await row(stage, OLD), { status: 'active', enabled: true })
  t.match(await row(stage, IDLE), { status: 'active', enabled: false }, 'its price ends it not')
  await stage.to()
  t.match(await row(stage, OLD), { status: 'stopped', stop_reason: 'expired' })
  t.match(await row(stage, IDLE), { status: 'stopped', stop_reason: 'expired' }, 'also paused')
}
