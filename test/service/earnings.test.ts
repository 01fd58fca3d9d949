import t, { type Test } from 'tap'
import { get, type Json, post } from './fixture.ts'
import { accountTables, paperTables, rowsOf, verified } from './fixtures/disk.ts'
import { linesOf, MONDAY, type Scene, STOCK, Stage, TUESDAY, tickMs } from './fixtures/ticks.ts'

const ACCOUNT = '10000001'
const CASH = 1_000_000
const LIMIT = 11

/** Prices that fill a purchase in parts, let one rest, and cross levels of a grid. */
const scene: Scene = {
  strategy: { ENABLE_AUTO_OPERATION: true, MARKET_HEALTH_OBSERVE_ONLY: true },
  lines: [
    ...linesOf({
      day: MONDAY,
      prices: [10.2, 10.51, 10.6, 10.54, 10.3, 10, 9.9, 9.96, 9.97],
      fields: (index, price) => (index === 5 ? { askPrice: [price], askVol: [300] } : {}),
    }),
    // Minutes pass for points.
    ...linesOf({ day: MONDAY, from: '09:32:00', open: 9.97, prices: [9.98, 9.99] }),
    ...linesOf({ day: MONDAY, from: '14:59:57', open: 9.98, prices: [9.98, 9.98] }),
    ...linesOf({ day: TUESDAY, open: 9.98, prices: [10.4, 10.3, 10.36], lastClose: 9.98 }),
  ],
}

interface Holding {
  readonly code: string
  readonly quantity: number
}

/** What the embedded client has on its disk once the service has stopped, in ten-thousandths of a yuan. */
async function counter(folder: string) {
  const tables = await paperTables(`${folder}/data`, ACCOUNT)
  const ledgers = rowsOf<{ readonly cash?: number }>(tables, 'meta')
  const cash = ledgers.find((row) => typeof row === 'object' && row.cash !== undefined)?.cash ?? 0
  const held = rowsOf<Holding>(tables, 'holdings').filter(({ quantity }) => quantity > 0)
  return { cash, held }
}

const number = (row: Json | undefined, name: string): number => Number(row?.[name])
const units = (yuan: number): number => Math.round(yuan * 10_000)

async function earnings(stage: Stage): Promise<Json> {
  const answer = await get(`${stage.direct}/api/earnings?from=${MONDAY}&to=${TUESDAY}`)
  return answer.body['data'] as Json
}

/** Gained since the beginning, by the sums of all sales and what is held, in ten-thousandths of a yuan. */
async function gained(stage: Stage): Promise<number> {
  const { total, unrealized } = await earnings(stage)
  return units(number(total as Json, 'realized')) + units(Number(unrealized))
}

/** Two days of trading by a grid and by hand; what was answered on the way. */
async function traded(t: Test, folder: string, isRestarted: boolean): Promise<Stage> {
  const stage = await Stage.open(t, scene, folder)
  await stage.to(tickMs(MONDAY, 0))
  const grid = { stock_code: STOCK, center_price: 10, max_investment: 10_000, max_deviation: 0.2 }
  t.equal((await post(`${stage.direct}/api/grid/start`, grid)).status, 200)
  await stage.to(tickMs(MONDAY, 4))
  const order = (order_type: number, order_volume: number, price: number) =>
    post(`${stage.gateway}/api/v1/accounts/${ACCOUNT}/orders`, {
      stock_code: STOCK,
      order_type,
      order_volume,
      price_type: LIMIT,
      price,
    })
  await order(23, 1_000, 10)
  await stage.to(tickMs(MONDAY, 5))
  const { account } = await stage.data('/api/status')
  t.ok(number(account as Json, 'frozenCash') > 0, 'a part of it waits')
  const { points } = await stage.data('/api/equity?resolution=minute')
  t.ok(Array.isArray(points))
  if (isRestarted) await stage.restart()
  await stage.to(tickMs(TUESDAY, 0))
  await order(24, 200, 10)
  await stage.to()
  return stage
}

t.test(
  'a grid and orders by hand over two days: what was gained is what the counter has',
  async (t) => {
    const folder = t.testdir({ one: {}, two: {} })
    const stage = await traded(t, `${folder}/one`, false)
    const summary = await earnings(stage)
    const total = summary['total'] as Json
    t.ok(number(total, 'sales') >= 2)
    t.equal(number(total, 'unknown_sales'), 0)
    const strategies = (summary['by_strategy'] as unknown as Json[]).map((row) =>
      String(row['strategy']),
    )
    t.ok(strategies.includes('grid'), strategies.join())
    t.match(summary['today'], { method: 'holdings_and_deals', before_day: MONDAY, unexplained: 0 })
    const sum = await gained(stage)
    const [row] = (await stage.list('/api/positions-all')) as readonly Json[]
    const price = units(number(row, 'current_price'))
    const statement = `${stage.gateway}/api/v1/accounts/${ACCOUNT}/statements/2026-09?format=csv`
    const csv = await (await fetch(statement)).text()
    t.match(csv, /600036/)
    const equity = number(summary['today'] as Json, 'equity')
    await stage.stop()
    const { cash, held } = await counter(`${folder}/one`)
    const value = held.reduce((all, { quantity }) => all + quantity * price, 0)
    t.equal(units(equity), cash + value, 'to the ten-thousandth of a yuan')
    // It began with 1,000 shares that had cost 10 yuan.
    t.equal(sum, cash + value - units(CASH) - units(10) * 1_000)
    const folded = await verified(`${folder}/one`)
    t.match(folded, [/chain ok, tables agree\)$/], 'the journal tells every sale')

    const again = await traded(t, `${folder}/two`, true)
    t.equal(await gained(again), sum, 'also with a restart in between')
    await again.stop()
    const [one, two] = await Promise.all(
      ['one', 'two'].map((name) => accountTables(`${folder}/${name}/data`, ACCOUNT)),
    )
    t.ok(rowsOf(one ?? {}, 'equityMinutes').length > 0)
    for (const name of ['equityDays', 'closedPositions']) {
      t.strictSame(rowsOf(two ?? {}, name), rowsOf(one ?? {}, name), name)
    }
  },
)
