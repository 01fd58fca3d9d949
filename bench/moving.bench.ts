import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { DurableLog } from './baseline/log.ts'
import { bench } from './kit/bench.ts'
import { STRATEGY } from './kit/fall.ts'
import { type Figures, pooledRow, type Row, rowOf, type Times, timesUs } from './kit/figures.ts'
import { LatencyWindow, windowRow } from './kit/latency.ts'
import { Load } from './kit/load.ts'
import { orderJob } from './kit/orders.ts'
import { accountsText, POSITIONS, QUOTES_EVERY_MS } from './kit/reads.ts'
import {
  account,
  newFolder,
  range,
  removeFolder,
  type Served,
  serve,
  settings,
  untilTrusted,
} from './kit/service.ts'

const ACCOUNT_COUNTS = [1, 8, 32] as const
/** Orders of one round at most; fewer when they take long. */
const ORDERS = 80
/** Between an answer and the next order, so that they meet the moments at which prices move and those between. */
const ORDER_PACE_MS = 10
const ORDER_MS = 1_600
/** Nothing but movement. */
const REST_MS = 1_000
/** Before the first round: threads that have just started compile what they run. */
const SETTLE_MS = 5_000
const PUT_BYTES = 1_500

interface Round {
  readonly figures: Figures
  readonly timesUs: Times
  readonly window: LatencyWindow
}

/** Cores of the whole process while prices move and nobody asks. */
async function restingCores(): Promise<number> {
  const [before, startMs] = [process.cpuUsage(), performance.now()]
  await delay(REST_MS)
  const { user, system } = process.cpuUsage(before)
  return (user + system) / 1_000 / (performance.now() - startMs)
}

/** Rest, then orders; what the service itself counts of them is added to `all` too. */
async function roundOf(served: Served, load: Load, all: LatencyWindow): Promise<Round> {
  const cores = await restingCores()
  const window = all.another()
  for (const one of [all, window]) one.open()
  const { timesUs: times } = await load.tally({
    ...orderJob(served.gatewayPort, 0),
    connections: 1,
    requests: ORDERS,
    paceMs: ORDER_PACE_MS,
    ms: ORDER_MS,
    tellsTimes: true,
  })
  for (const one of [all, window]) one.close()
  return { figures: { cores }, timesUs: times, window }
}

/** Three durable writes in a row, while nothing else runs here. */
async function bareRounds(rounds: number): Promise<readonly Times[]> {
  const folder = newFolder()
  mkdirSync(join(folder, 'log'))
  const log = new DurableLog(join(folder, 'log'))
  const bytes = new Uint8Array(PUT_BYTES)
  const round = async (): Promise<Times> => [...(await timesUs(ORDERS, () => log.inThree(bytes)))]
  await round()
  const all: Times[] = []
  for (let at = 0; at < rounds; at++) all.push(await round())
  await log.close()
  removeFolder(folder)
  return all
}

async function rowsOf(accounts: number, rounds: number): Promise<readonly Row[]> {
  const before = await bareRounds(rounds)
  const folder = newFolder()
  const list = range(0, accounts).map((index) => account(index, POSITIONS))
  const market = { source: 'simulated', interval_ms: QUOTES_EVERY_MS }
  const served = await serve(folder, settings(folder, list, { market, strategy: STRATEGY }))
  const load = new Load()
  // The first account of the configuration has the first row of the board.
  const all = new LatencyWindow(served.service.system.latency, range(1, accounts))
  await untilTrusted(served)
  await delay(SETTLE_MS)
  await roundOf(served, load, all.another()) // warms up
  const ours: Round[] = []
  for (let round = 0; round < rounds; round++) ours.push(await roundOf(served, load, all))
  await load.close()
  await served.service.stop()
  removeFolder(folder)
  const baseline = [...before, ...(await bareRounds(rounds))]
  return told(accounts, ours, { all, baseline })
}

function told(
  accounts: number,
  rounds: readonly Round[],
  { all, baseline }: { readonly all: LatencyWindow; readonly baseline: readonly Times[] },
): readonly Row[] {
  const name = `${accountsText(accounts)} moving`
  const orders = { ours: rounds.map(({ timesUs: times }) => times), baseline }
  const windows = rounds.map(({ window }) => window)
  const rests = { ours: rounds.map(({ figures }) => figures), baseline: [] }
  const note = `${POSITIONS} positions each, every price ten times a second; ${orders.ours.flat().length} orders of one account over one connection, ${ORDER_PACE_MS} ms after the last answer each; the baseline makes three durable writes in a row before the service starts and after it has stopped`
  const { count } = all.histogram('commit')
  const commitNote = `${count} commits of all accounts while the orders go on, by the service's own histogram, to an eighth`
  const waited = (part: number, text = ''): Row => {
    const bench = `step to durable, ${name}, p${part * 100}`
    return windowRow({ bench, measure: 'commit', part, note: text }, all, windows)
  }
  return [
    pooledRow({ bench: `order, ${name}, p50`, unit: 'ms', part: 0.5, note }, orders),
    pooledRow({ bench: `order, ${name}, p99`, unit: 'ms', part: 0.99 }, orders),
    waited(0.5, commitNote),
    waited(0.99),
    rowOf({ bench: `processor time, ${name}`, unit: 'cores', figure: 'cores' }, rests),
  ]
}

await bench(async ({ rounds }) => {
  const rows: Row[] = []
  for (const accounts of ACCOUNT_COUNTS) rows.push(...(await rowsOf(accounts, rounds)))
  return rows
})
