import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { DurableLog } from './baseline/log.ts'
import { bench } from './kit/bench.ts'
import { STRATEGY } from './kit/fall.ts'
import {
  type Figures,
  measure,
  pooledRow,
  type Row,
  rowOf,
  type Times,
  timesUs,
} from './kit/figures.ts'
import { LatencyWindow, windowRow } from './kit/latency.ts'
import { Load } from './kit/load.ts'
import { orderJob } from './kit/orders.ts'
import { ordersOf, playUntil, slotsOf } from './kit/playing.ts'
import { accountsText } from './kit/reads.ts'
import {
  accountAt,
  codeAt,
  costAt,
  newFolder,
  removeFolder,
  type Served,
  serve,
  settings,
} from './kit/service.ts'
import { fallenBelow, WALK_STEP_MS, walkStepMs, writeWalks } from './kit/walks.ts'
import { Watch } from './kit/watch.ts'

const ACCOUNT_COUNTS = [1, 8, 32] as const
/** Held by every account; all their prices move ten times a second. */
const MOVING = 100
/** Stops that are sold in one round, one a step, the accounts in turn; held beside those. */
const SALES = 14
/** Orders of one round at most; fewer when they take long, since the market moves no longer than this. */
const ORDERS = 80
/** Between an answer and the next order, so that they meet the moments at which prices move and those between. */
const ORDER_PACE_MS = 10
/** The three parts of a round: nothing but movement, orders, sales. */
const REST_STEPS = 10
const ORDER_STEPS = 16
const SALE_STEPS = SALES + 4
const ROUND_STEPS = REST_STEPS + ORDER_STEPS + SALE_STEPS
/** Of movement before the first round: quotes must be trusted, and highs are many at first. */
const CALM_STEPS = 20
const PUT_BYTES = 1_500

const saleStep = (round: number, sale: number): number =>
  CALM_STEPS + round * ROUND_STEPS + REST_STEPS + ORDER_STEPS + sale

/** An account that holds what moves, and of what falls its own share. */
function holder(index: number, accounts: number, rounds: number): object {
  const own = (at: number): boolean => at < MOVING || (at - MOVING) % accounts === index
  const held = Array.from({ length: MOVING + rounds * SALES }, (_, at) => at).filter(own)
  return {
    account_id: accountAt(index),
    qmt_path: 'C:/qmt/userdata_mini',
    paper: {
      cash: 1e9,
      positions: held.map((at) => ({
        stock_code: codeAt(at),
        volume: 1_000,
        cost_price: costAt(at),
      })),
    },
  }
}

class Market {
  readonly #served: Served
  readonly #load = new Load()
  readonly #log: DurableLog
  readonly #watch: Watch
  readonly #slots: readonly number[]
  readonly #accounts: number
  readonly #rows: readonly number[]
  /** Commits of all rounds, and of each. */
  readonly all: LatencyWindow
  readonly windows: LatencyWindow[] = []
  readonly order = { ours: [] as Times[], baseline: [] as Times[] }
  readonly sale = { ours: [] as Times[], baseline: [] as Times[] }
  #round = 0
  #orders = 0

  constructor(
    served: Served,
    parts: { log: DurableLog; slots: readonly number[]; accounts: number },
  ) {
    const { log, slots, accounts } = parts
    this.#served = served
    this.#log = log
    this.#slots = slots
    this.#accounts = accounts
    this.#watch = new Watch(served)
    // The first account of the configuration has the first row of the board.
    this.#rows = Array.from({ length: accounts }, (_, index) => index + 1)
    this.all = this.#newWindow()
  }

  async calm(): Promise<void> {
    await this.#play(CALM_STEPS)
  }

  async ours(): Promise<Figures> {
    const start = CALM_STEPS + this.#round * ROUND_STEPS
    const cores = await this.#rest(start + REST_STEPS)
    const isKept = this.#round > 0 // the first one warms up
    const window = this.#newWindow()
    if (isKept) for (const open of [this.all, window]) open.open()
    const orders = await this.#order(start + REST_STEPS + ORDER_STEPS)
    const sales = await this.#sell(start + ROUND_STEPS)
    if (isKept) {
      for (const open of [this.all, window]) open.close()
      this.windows.push(window)
      this.order.ours.push(orders)
      this.sale.ours.push(sales)
    }
    this.#round += 1
    return { cores }
  }

  /** While the market stands still: what moves must not slow down what ours is compared with. */
  async bare(): Promise<Figures> {
    await this.#served.service.system.board.untilQuiet()
    const bytes = new Uint8Array(PUT_BYTES)
    this.order.baseline.push([...(await timesUs(ORDERS, () => this.#log.inThree(bytes)))])
    this.sale.baseline.push([...(await timesUs(ORDERS, () => this.#log.append(bytes)))])
    return { cores: 0 }
  }

  async close(): Promise<void> {
    await this.#load.close()
    await this.#watch.close()
    await this.#served.service.system.board.untilQuiet()
    let sold = 0
    for (let index = 0; index < this.#accounts; index++) {
      sold += await ordersOf(this.#served.link(index))
    }
    const wanted = this.#round * SALES + this.#orders
    if (sold !== wanted) throw new Error(`${sold} orders of ${wanted}`)
  }

  #newWindow(): LatencyWindow {
    return new LatencyWindow(this.#served.service.system.latency, this.#rows)
  }

  #play(untilStep: number): Promise<void> {
    return playUntil(this.#served.link(0), walkStepMs(untilStep - 1))
  }

  /** Cores of the whole process while prices move and nobody asks. */
  async #rest(untilStep: number): Promise<number> {
    const [before, startMs] = [process.cpuUsage(), performance.now()]
    await this.#play(untilStep)
    const { user, system } = process.cpuUsage(before)
    return (user + system) / 1_000 / (performance.now() - startMs)
  }

  async #order(untilStep: number): Promise<Times> {
    const job = orderJob(this.#served.gatewayPort, 0)
    const asked = this.#load.tally({
      ...job,
      connections: 1,
      requests: ORDERS,
      paceMs: ORDER_PACE_MS,
      ms: ORDER_STEPS * WALK_STEP_MS,
      tellsTimes: true,
    })
    const [{ timesUs: times }] = await Promise.all([asked, this.#play(untilStep)])
    this.#orders += times.length
    return times
  }

  async #sell(untilStep: number): Promise<Times> {
    const first = this.#round * SALES
    const sales = Array.from({ length: SALES }, (_, at) => ({
      code: this.#slots[first + at] ?? 0,
      account: ((first + at) % this.#accounts) + 1,
      below: fallenBelow(MOVING + first + at),
    }))
    const sold = this.#watch.times(sales)
    const [times] = await Promise.all([sold, this.#play(untilStep)])
    return times
  }
}

async function rowsOf(accounts: number, rounds: number): Promise<readonly Row[]> {
  const folder = newFolder()
  const all = rounds + 1
  const falls = Array.from({ length: all * SALES }, (_, at) => {
    const step = saleStep(Math.floor(at / SALES), at % SALES)
    return [MOVING + at, step] as const
  })
  const codes = MOVING + falls.length
  const steps = CALM_STEPS + all * ROUND_STEPS
  const file = writeWalks(folder, { codes, steps, falls: new Map(falls) })
  const list = Array.from({ length: accounts }, (_, index) => holder(index, accounts, all))
  const market = { source: 'replay', file, speed: 1, autostart: false }
  const served = await serve(folder, settings(folder, list, { market, strategy: STRATEGY }))
  mkdirSync(join(folder, 'log'))
  const log = new DurableLog(join(folder, 'log'))
  const names = falls.map(([at]) => `${codeAt(at)}.SH`)
  const slots = await slotsOf(served.link(0), names)
  const moving = new Market(served, { log, slots, accounts })
  await moving.calm()
  const samples = await measure(
    rounds,
    () => moving.ours(),
    () => moving.bare(),
  )
  for (const times of [moving.order.baseline, moving.sale.baseline]) times.shift()
  await moving.close()
  await log.close()
  await served.service.stop()
  removeFolder(folder)
  return told(accounts, moving, samples.ours)
}

function told(accounts: number, moving: Market, rounds: readonly Figures[]): readonly Row[] {
  const name = `${accountsText(accounts)} moving`
  const { count } = moving.all.histogram('commit')
  const durable = `step to durable, ${name}`
  const alone = { ours: rounds, baseline: [] }
  const p50 = { unit: 'ms' as const, part: 0.5 }
  const p99 = { unit: 'ms' as const, part: 0.99 }
  const note = `${MOVING} positions each, every price ten times a second; ${moving.order.ours.flat().length} orders of one account over one connection, ${ORDER_PACE_MS} ms after the last answer each; the baseline makes three durable writes in a row while the market stands still`
  const saleNote = `${SALES} stops a round, the accounts in turn, seen by a thread that looks on; from the price on the board until the order is durable and leaves for the trading client; the baseline is one durable write, as there is one before it leaves`
  const commitNote = `${count} commits while orders and sales go on, by the service's own histogram, to an eighth`
  const waited = (part: number, text = ''): Row => {
    const spec = {
      bench: `${durable}, p${part * 100}`,
      measure: 'commit',
      part,
      note: text,
    } as const
    return windowRow(spec, moving.all, moving.windows)
  }
  return [
    pooledRow({ ...p50, bench: `order, ${name}, p50`, note }, moving.order),
    pooledRow({ ...p99, bench: `order, ${name}, p99` }, moving.order),
    pooledRow({ ...p50, bench: `tick-to-order, ${name}, p50`, note: saleNote }, moving.sale),
    pooledRow({ ...p99, bench: `tick-to-order, ${name}, p99` }, moving.sale),
    waited(0.5, commitNote),
    waited(0.99),
    rowOf({ bench: `processor time, ${name}`, unit: 'cores', figure: 'cores' }, alone),
  ]
}

await bench(async ({ rounds }) => {
  const rows: Row[] = []
  for (const accounts of ACCOUNT_COUNTS) rows.push(...(await rowsOf(accounts, rounds)))
  return rows
})
