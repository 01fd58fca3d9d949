import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { DurableLog } from './baseline/log.ts'
import { bench } from './kit/bench.ts'
import { STRATEGY } from './kit/fall.ts'
import { pooledRow, type Row, timesUs } from './kit/figures.ts'
import { ordersOf, slotsOf } from './kit/playing.ts'
import { accountsText, POSITIONS, QUOTES_EVERY_MS } from './kit/reads.ts'
import {
  accountOf,
  codeAt,
  newFolder,
  range,
  removeFolder,
  type Served,
  serve,
  settings,
  untilTrusted,
} from './kit/service.ts'
import { codesThatWalk, STOP_RATIO, stopOf, WALK_SEED } from './kit/walks.ts'
import { Watch } from './kit/watch.ts'

const ACCOUNT_COUNTS = [1, 8, 32] as const
/** Stops that are sold in one round, the accounts in turn; held beside what only moves. */
const SALES = 14
/**
 * By then the accounts have started and trust their quotes, also where that takes its time; and codes fall often enough
 * from there on: of the few that do so before, two rounds did not find theirs.
 */
const FIRST_STEP = 450
/** Some stops a second. */
const ROUND_STEPS = 40
/** In which what only moves stays above its stop while everything ends. */
const CALM_STEPS = 100
const PUT_BYTES = 1_500

/** Throws when anything else than the stops was sold. */
async function checkOrders({ link }: Served, accounts: number, wanted: number): Promise<void> {
  let orders = 0
  for (let index = 0; index < accounts; index++) orders += await ordersOf(link(index))
  if (orders !== wanted) throw new Error(`${orders} orders of ${wanted}`)
}

async function rowsOf(accounts: number, rounds: number): Promise<readonly Row[]> {
  const folder = newFolder()
  const all = rounds + 1
  const { staying, falling } = codesThatWalk({
    staying: POSITIONS,
    calmSteps: CALM_STEPS,
    falling: all * SALES,
    firstStep: FIRST_STEP,
    lastStep: FIRST_STEP + all * ROUND_STEPS,
  })
  const own = (index: number) => falling.filter((_, sale) => sale % accounts === index)
  const list = range(0, accounts).map((index) =>
    accountOf(index, { codes: [...staying, ...own(index)] }),
  )
  const market = { source: 'simulated', interval_ms: QUOTES_EVERY_MS, seed: WALK_SEED }
  const strategy = { ...STRATEGY, STOP_LOSS_RATIO: -STOP_RATIO }
  const served = await serve(folder, settings(folder, list, { market, strategy }))
  mkdirSync(join(folder, 'log'))
  const log = new DurableLog(join(folder, 'log'))
  const bytes = new Uint8Array(PUT_BYTES)
  const bare = async () => [...(await timesUs(SALES, () => log.append(bytes)))]
  const slots = await slotsOf(
    served.link(0),
    falling.map((at) => `${codeAt(at)}.SH`),
  )
  const sales = falling.map((at, sale) => ({
    code: slots[sale] ?? 0,
    // The first account of the configuration has the first row of the board.
    account: (sale % accounts) + 1,
    below: stopOf(at) + 1,
  }))
  await untilTrusted(served)
  await checkOrders(served, accounts, 0)
  const watch = new Watch(served)
  const times = await watch.times(sales)
  await watch.close()
  await served.service.system.board.untilQuiet()
  await checkOrders(served, accounts, all * SALES)
  await served.service.stop()
  await bare()
  const baseline: (readonly number[])[] = []
  for (let round = 0; round < rounds; round++) baseline.push(await bare())
  await log.close()
  removeFolder(folder)
  // The first round warms up.
  const ours = range(1, rounds).map((round) => times.slice(round * SALES, (round + 1) * SALES))
  const samples = { ours, baseline }
  const name = `tick-to-order, ${accountsText(accounts)} moving`
  const note = `${POSITIONS} positions each in the simulated market, every price ten times a second; ${SALES} stops a round, some a second, the accounts in turn; from the price on the board until the order is durable and leaves for the trading client; the baseline is one durable write while nothing else runs`
  return [
    pooledRow({ bench: `${name}, p50`, unit: 'ms', part: 0.5, note }, samples),
    pooledRow({ bench: `${name}, p99`, unit: 'ms', part: 0.99 }, samples),
  ]
}

await bench(async ({ rounds }) => {
  const rows: Row[] = []
  for (const accounts of ACCOUNT_COUNTS) rows.push(...(await rowsOf(accounts, rounds)))
  return rows
})
