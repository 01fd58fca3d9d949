import t, { type Test } from 'tap'
import { get, type Json } from './fixture.ts'
import { accountTables, journalOf, paperTables, type Tables } from './fixtures/disk.ts'
import {
  HELD,
  linesOf,
  MONDAY,
  nobodyBuys,
  ON,
  type Scene,
  Stage,
  TUESDAY,
  tickMs,
  together,
} from './fixtures/ticks.ts'

const [RISER, FALLER, DIPPER] = ['600036.SH', '600000.SH', '600009.SH']
const [FRESH, SEALED, SLOW] = ['600010.SH', '600011.SH', '600015.SH']
/** A breakout at 10.61, a high of 10.70, a pullback to 10.64, and a fall to the exit price. */
const RISE = [10.55, 10.61, 10.59, 10.7, 10.64, 10.66, 10.27]
/** Nobody buys at 9.10, then it is locked at the lower limit. */
const lows = [9.1, ...Array<number>(13).fill(9)]

/** Six stocks, each with a day of its own, in one account. */
const market: Scene = {
  positions: [
    ...[RISER, FALLER, DIPPER, SEALED, SLOW].map((stock_code) => ({ ...HELD, stock_code })),
    { ...HELD, stock_code: FRESH, available: 0 },
  ],
  lines: together(
    { day: MONDAY, code: RISER, prices: RISE },
    { day: MONDAY, code: FALLER, prices: [9.6, 9.31, 9.25, 9.2] },
    { day: MONDAY, code: DIPPER, prices: [9.31, 9.3, 9.29, 9.28] },
    { day: MONDAY, code: FRESH, prices: [9.2, 9.1] },
    {
      day: MONDAY,
      code: SEALED,
      prices: [...lows, 9],
      fields: (index, price) => (index >= 0 && index < lows.length ? nobodyBuys(price) : {}),
    },
    {
      day: MONDAY,
      code: SLOW,
      prices: RISE,
      fields: (index, price) => (index === 4 ? nobodyBuys(price) : {}),
    },
    { day: TUESDAY, code: FRESH, open: 9.1, prices: [9.1], lastClose: 9.2 },
  ),
}

t.test('a day of six stocks', async (t) => {
  const stage = await Stage.open(t, market)
  const tick = (index: number) => stage.to(tickMs(MONDAY, index))
  await tick(1)
  t.strictSame(await stage.fills(), ['add_position 3700@9.3'], 'a stock that fell 7 % is bought')
  t.match(await stage.holding(DIPPER), { volume: 4_700, available: 1_000 })
  t.strictSame(await stage.orders(FALLER), [], 'above the stop nothing is sold')
  await tick(2)
  t.strictSame(await stage.fills(FALLER), ['stop_loss 1000@9.25'], 'the exact stop price sells all')
  t.equal(await stage.holding(FALLER), undefined)
  await tick(3)
  t.strictSame(await stage.orders(RISER), [], 'a breakout alone sells nothing')
  t.match(await stage.holding(RISER), {
    profit_breakout_triggered: true,
    breakout_highest_price: 10.7,
    highest_price: 10.7,
  })
  t.strictSame((await stage.fills(DIPPER)).length, 1, 'nor is it bought again within two minutes')
  await tick(4)
  t.strictSame(await stage.fills(RISER), ['auto_partial 600@10.64'])
  t.match(await stage.holding(RISER), {
    volume: 400,
    profit_triggered: true,
    highest_price: 10.7,
    stop_loss_price: 10.27,
  })
  t.match(await stage.orders(SLOW), [{ status: 50, strategy: 'auto_partial', volume: 600 }])
  t.match(await stage.holding(SLOW), { volume: 1_000, profit_triggered: false }, 'not by an order')
  await tick(5)
  t.match(await stage.fills(SLOW), ['auto_partial 600@10.66'])
  t.match(await stage.holding(SLOW), { volume: 400, profit_triggered: true }, 'but by its fill')
  await tick(6)
  t.strictSame(await stage.fills(RISER), ['auto_partial 600@10.64', 'auto_full 400@10.27'])
  t.equal(await stage.holding(RISER), undefined)
  await sealedDay(t, stage, tick)
  t.strictSame(await stage.orders(FRESH), [], 'what was bought today waits for tomorrow')
  t.match((await stage.verdicts(FRESH)).slice(-1), ['nothing_sellable'])
  await stage.to()
  t.strictSame(await stage.fills(FRESH), ['stop_loss 1000@9.1'])
  await journaled(t, stage)
})

/** Nobody buys: the order rests above the limit, is canceled after 30 seconds, and rests at the limit then. */
async function sealedDay(t: Test, stage: Stage, tick: (index: number) => Promise<void>) {
  t.match(await stage.orders(SEALED), [{ status: 50, volume: 1_000, is_pending: true }])
  await tick(13)
  const [first, second, ...more] = await stage.orders(SEALED)
  t.match(first, { status: 54, strategy: 'stop_loss', traded_volume: 0 })
  t.match(second, { status: 50, strategy: 'reorder_stop_loss', volume: 1_000, price: 9 })
  t.strictSame(more, [], 'one at a time')
  await tick(14)
  t.strictSame(await stage.fills(SEALED), ['reorder_stop_loss 1000@9'])
}

/** Every order of the strategy has its reason in the journal, and its fills are final. */
async function journaled(t: Test, stage: Stage) {
  const { entries } = await stage.data('/api/audit?kind=decisionMade,signalFilled&limit=100')
  const rows = entries as unknown as readonly Json[]
  const kinds = rows.map(({ kind }) => String(kind))
  t.equal(kinds.filter((kind) => kind === 'signalFilled').length, 8)
  t.equal(kinds.filter((kind) => kind === 'decisionMade').length, 8)
  const [last] = rows.filter(({ kind }) => String(kind) === 'decisionMade')
  t.match(last, {
    summary: /发出卖出委托/,
    body: {
      stock_code: FRESH,
      verdict: 'order_sell',
      order: { volume: 1_000 },
      inputs: { price: 9.1, cost_price: 10 },
      gates: { ENABLE_AUTO_TRADING: true },
    },
  })
}

interface Ended {
  readonly disk: readonly Tables[]
  readonly fills: readonly string[]
}

/** The whole recording, with a restart while a first take-profit waits for a buyer. */
async function played(t: Test, name: string, isRestarted = false): Promise<Ended> {
  const folder = `${t.testdir({ [name]: {} })}/${name}`
  const stage = await Stage.open(t, market, folder)
  if (isRestarted) {
    await stage.to(tickMs(MONDAY, 4))
    t.match(await stage.holding(SLOW), { volume: 1_000, profit_triggered: false })
    await stage.restart()
    t.match(await stage.holding(SLOW), { profit_triggered: false })
    await stage.to(tickMs(MONDAY, 5))
    t.match(await stage.holding(SLOW), { volume: 400, profit_triggered: true, available: 400 })
  }
  await stage.to()
  const fills = await stage.fills()
  await stage.stop()
  const dataDir = `${folder}/data`
  return {
    fills,
    disk: [await accountTables(dataDir, '10000001'), await paperTables(dataDir, '10000001')],
  }
}

t.test(
  'two runs of one recording end the same, to the byte; with a restart the same fills',
  async (t) => {
    const one = await played(t, 'one')
    const two = await played(t, 'two')
    t.ok(journalOf(one.disk[0] ?? {}).length > 100)
    t.strictSame(two, one)
    const restarted = await played(t, 'restarted', true)
    t.strictSame(restarted.fills, one.fills)
    t.strictSame(restarted.disk[0]?.['positions'], one.disk[0]?.['positions'])
  },
)

const falling: Scene = {
  lines: linesOf({ day: MONDAY, prices: [9.6, 9.24, 9.2, 9.19, 9.18] }),
  strategy: { ...ON, ENABLE_STOP_LOSS_BUY: false },
}
type Change = readonly [path: string, body: object]
const config = (name: string, value: boolean): Change => ['/api/config/save', { [name]: value }]
const stock = (enabled: boolean): Change => [
  '/api/holdings/stop_profit',
  { stock_code: HELD.stock_code, enabled },
]
const SWITCHES: readonly (readonly [verdict: string, close: Change, open: Change])[] = [
  ['sell_not_permitted', config('allowSell', false), config('allowSell', true)],
  ['stock_off', stock(false), stock(true)],
  ['trading_off', config('globalAllowBuySell', false), config('globalAllowBuySell', true)],
  ['master_off', ['/api/monitor/stop', {}], ['/api/monitor/start', {}]],
]

t.test(
  'each switch keeps the strategy from selling and says so; the last one lets it sell',
  async (t) => {
    const stage = await Stage.open(t, falling)
    await stage.to(tickMs(MONDAY, 0))
    for (const [, [path, body]] of SWITCHES) await stage.post(path, body)
    const order = SWITCHES.toReversed()
    for (const [n, [verdict, , [path, body]]] of order.entries()) {
      await stage.to(tickMs(MONDAY, n + 1))
      t.strictSame((await stage.verdicts()).slice(-1), [verdict])
      t.strictSame(await stage.orders(), [], `${verdict} keeps it back`)
      await stage.post(path, body)
    }
    t.strictSame(await stage.fills(), ['stop_loss 1000@9.18'], 'without another tick')
    const { decisions } = await stage.data('/api/decisions?stock_code=600036')
    const texts = (decisions as unknown as Json[]).map(({ message }) => String(message))
    t.ok(
      texts.includes(
        `自动交易开关关闭 (tier 2, automatic trading, is off)，自 ${MONDAY} 09:30:09 起`,
      ),
    )
    const other = await stage.data('/api/decisions?stock_code=000001.SZ')
    t.match(other, { decisions: [], total: 0 })
  },
)

t.test('the module that is off in the file cannot be turned on', async (t) => {
  const strategy = { ...falling.strategy, ENABLE_DYNAMIC_STOP_PROFIT: false }
  const stage = await Stage.open(t, { ...falling, strategy })
  await stage.post('/api/config/save', { firstProfitSellEnabled: true })
  await stage.to()
  t.strictSame(await stage.orders(), [])
  t.strictSame((await stage.verdicts()).slice(-1), ['module_off'])
})

t.test(
  'before the session nothing is judged; the health of the quotes is shown, and decides',
  async (t) => {
    const stage = await Stage.open(t, {
      ...falling,
      lines: [
        ...linesOf({ day: MONDAY, from: '09:20:00', prices: [9.2] }),
        ...linesOf({ day: MONDAY, from: '09:30:00', open: 9.2, prices: [9.2] }),
      ],
    })
    t.match(await stage.data('/api/market/health'), {
      enabled: true,
      observe_only: false,
      sources: {},
      stocks: {},
      overall: { score: null, status: 'unknown', success_count: 0, failure_count: 0 },
      trading: { min_score: 70, allow_fallback_source: false },
    })
    await stage.to(tickMs(MONDAY, 0, '09:20:00'))
    t.strictSame((await stage.verdicts()).slice(-1), ['outside_session'])
    await stage.to(tickMs(MONDAY, -2))
    t.strictSame((await stage.verdicts()).slice(-1), ['quote_refused'], 'two looks are too few')
    const { decisions } = await stage.data('/api/decisions?stock_code=600036')
    const [{ message } = {}] = decisions as unknown as Json[]
    t.ok(String(message).includes(`自 ${MONDAY} 09:30:06 起判断`), 'and it says until when')
    await stage.to()
    t.strictSame(await stage.fills(), ['stop_loss 1000@9.2'])
    t.match(await stage.data('/api/market/health'), {
      overall: { score: 100, status: 'healthy' },
      sources: { replay: { score: 100, failure_count: 0 } },
      stocks: { '600036.SH': { realtime: { sources: { replay: { status: 'healthy' } } } } },
    })
  },
)

t.test('observed only, the health stops nothing', async (t) => {
  const [, , ...lines] = linesOf({ day: MONDAY, prices: [9.2] })
  const strategy = { ...falling.strategy, MARKET_HEALTH_OBSERVE_ONLY: true }
  const stage = await Stage.open(t, { lines, strategy })
  await stage.to()
  t.strictSame(await stage.fills(), ['stop_loss 1000@9.2'], 'at the second tick')
  t.match(await stage.data('/api/market/health'), { observe_only: true })
})

t.test('ticks without a price stop nothing; a wrong question is refused', async (t) => {
  const lines = linesOf({ day: MONDAY, prices: [10, 0, 0, 0, 9.2] })
  const stage = await Stage.open(t, { ...falling, lines })
  await stage.to()
  t.strictSame(await stage.fills(), ['stop_loss 1000@9.2'])
  t.strictSame((await stage.verdicts()).slice(-2), ['no_price', 'order_sell'])
  const health = await stage.data('/api/market/health')
  t.match(health, { overall: { success_count: 5, failure_count: 3, score: 79 } })
  for (const query of ['limit=0', 'limit=1001', 'limit=x', 'stock_code=abc']) {
    t.match(await get(`${stage.direct}/api/decisions?${query}`), { status: 400 }, query)
  }
})
