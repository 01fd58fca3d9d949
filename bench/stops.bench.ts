import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { DurableLog } from './baseline/log.ts'
import { bench } from './kit/bench.ts'
import { STRATEGY } from './kit/fall.ts'
import { pooledRow, type Row, type Times, timesUs } from './kit/figures.ts'
import { ordersOf, playUntil, slotsOf } from './kit/playing.ts'
import { accountsText } from './kit/reads.ts'
import {
  accountOf,
  codeAt,
  newFolder,
  range,
  removeFolder,
  type Served,
  serve,
  settings,
} from './kit/service.ts'
import { fallenBelow, walkStepMs, writeWalks } from './kit/walks.ts'
import { Watch } from './kit/watch.ts'

const ACCOUNT_COUNTS = [1, 8, 32] as const
/** Held by every account; all their prices move ten times a second. */
const MOVING = 100
/** Stops that are sold in one round, one a step, the accounts in turn; held beside those. */
const SALES = 14
/** Nothing falls in the first steps of a round and in its last: the market has been still before it and is after it. */
const LEAD_STEPS = 8
const ROUND_STEPS = LEAD_STEPS + SALES + 8
/** More than 6 s: quotes are looked at three times before they may feed a stop (docs/domain.md 7.2). */
const CALM_STEPS = 80
/** At which these are played; everything else at the pace of the clock. */
const CALM_SPEED = 10
const PUT_BYTES = 1_500

const saleStep = (round: number, sale: number): number =>
  CALM_STEPS + round * ROUND_STEPS + LEAD_STEPS + sale

/** An account that holds what moves, and of what falls its own share. */
function holder(index: number, accounts: number, rounds: number): object {
  const own = (at: number): boolean => at < MOVING || (at - MOVING) % accounts === index
  return accountOf(index, { codes: range(0, MOVING + rounds * SALES).filter(own) })
}

/** What falls in all rounds, and when. */
const fallsOf = (rounds: number): ReadonlyMap<number, number> =>
  new Map(
    range(0, rounds * SALES).map((at) => [
      MOVING + at,
      saleStep(Math.floor(at / SALES), at % SALES),
    ]),
  )

/** One round of sales, seen by a thread that looks on; the market stands still when it is over. */
async function sell(
  { link }: Served,
  watch: Watch,
  sales: Parameters<Watch['times']>[0],
  untilStep: number,
): Promise<Times> {
  const sold = watch.times(sales)
  const [times] = await Promise.all([sold, playUntil(link(0), walkStepMs(untilStep - 1), 1)])
  return times
}

/** Throws when anything else than the stops was sold. */
async function checkOrders({ link }: Served, accounts: number, wanted: number): Promise<void> {
  let orders = 0
  for (let index = 0; index < accounts; index++) orders += await ordersOf(link(index))
  if (orders !== wanted) throw new Error(`${orders} orders of ${wanted}`)
}

async function rowsOf(accounts: number, rounds: number): Promise<readonly Row[]> {
  const folder = newFolder()
  const all = rounds + 1
  const falls = fallsOf(all)
  const steps = CALM_STEPS + all * ROUND_STEPS
  const file = writeWalks(folder, { codes: MOVING + falls.size, steps, falls })
  const market = { source: 'replay', file, speed: 1, autostart: false }
  const list = range(0, accounts).map((index) => holder(index, accounts, all))
  const served = await serve(folder, settings(folder, list, { market, strategy: STRATEGY }))
  mkdirSync(join(folder, 'log'))
  const log = new DurableLog(join(folder, 'log'))
  const slots = await slotsOf(
    served.link(0),
    [...falls.keys()].map((at) => `${codeAt(at)}.SH`),
  )
  const watch = new Watch(served)
  await playUntil(served.link(0), walkStepMs(CALM_STEPS - 1), CALM_SPEED)
  const samples = { ours: [] as Times[], baseline: [] as Times[] }
  const bytes = new Uint8Array(PUT_BYTES)
  for (let round = 0; round < all; round++) {
    const sales = range(round * SALES, SALES).map((at) => ({
      code: slots[at] ?? 0,
      // The first account of the configuration has the first row of the board.
      account: (at % accounts) + 1,
      below: fallenBelow(MOVING + at),
    }))
    samples.ours.push(await sell(served, watch, sales, CALM_STEPS + (round + 1) * ROUND_STEPS))
    await served.service.system.board.untilQuiet()
    samples.baseline.push([...(await timesUs(SALES, () => log.append(bytes)))])
  }
  await watch.close()
  await checkOrders(served, accounts, all * SALES)
  await log.close()
  await served.service.stop()
  removeFolder(folder)
  for (const times of [samples.ours, samples.baseline]) times.shift() // the round that warmed up
  const name = `tick-to-order, ${accountsText(accounts)} moving`
  const note = `${MOVING} positions each, every price ten times a second, as a replay at the pace of the clock; ${SALES} stops a round, the accounts in turn; from the price on the board until the order is durable and leaves for the trading client; the baseline is one durable write while the market stands still`
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
