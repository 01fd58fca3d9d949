import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { DurableLog } from './baseline/log.ts'
import { servePosts } from './baseline/uws.ts'
import { bench } from './kit/bench.ts'
import { type Figures, measure, pooledRow, rowOf, type Times } from './kit/figures.ts'
import { Load } from './kit/load.ts'
import { orderJob } from './kit/orders.ts'
import { account, newFolder, removeFolder, serve, settings } from './kit/service.ts'

const SINGLE_ORDERS = 150
const FRESH_ORDERS = 200
/** Of an account that has just started: its thread compiles what it runs. */
const WARM_ORDERS = 500
/** With those before them below `limits.account.orders_in_memory_max`: they all rest. */
const MANY_ORDERS = 1_200
const CONNECTIONS = 32

interface Round {
  readonly figures: Figures
  readonly singleUs: Times
}

/** Both sides take the same orders; the baseline is three durable writes in a row and nothing else. */
async function openSides(folder: string, accounts: number) {
  const list = Array.from({ length: accounts }, (_, index) => account(index, 1))
  const market = { source: 'simulated', interval_ms: 3_600_000 }
  // A slow computer takes longer than quotes may stand still, and the switch would then refuse what is measured.
  const risk = { max_orders_per_second: 0, max_orders_per_day: 0, stale_quote_seconds: 0 }
  const { service, gatewayPort } = await serve(folder, settings(folder, list, { market, risk }))
  const logFolder = join(folder, 'log')
  mkdirSync(logFolder)
  const log = new DurableLog(logFolder)
  const bare = await servePosts(async (body) => {
    JSON.parse(Buffer.from(body).toString())
    const id = await log.inThree(body)
    return JSON.stringify({ success: true, data: { order_id: id }, error: null })
  })
  const close = async () => {
    bare.close()
    await log.close()
    await service.stop()
  }
  return { gatewayPort, barePort: bare.port, close }
}

await bench(async ({ rounds }) => {
  const folder = newFolder()
  // The first one gets the single orders of all rounds, each of the others those of one round.
  const { gatewayPort, barePort, close } = await openSides(folder, rounds + 2)
  const load = new Load()
  const singles = { ours: [] as Times[], baseline: [] as Times[] }
  const round = async (port: number, index: number): Promise<Round> => {
    const job = (account: number) => orderJob(port, account)
    const fresh = { ...job(index), connections: CONNECTIONS, requests: FRESH_ORDERS }
    const first = await load.run(fresh)
    const single = { ...job(0), connections: 1, requests: SINGLE_ORDERS, tellsTimes: true }
    const { timesUs: singleUs } = await load.tally(single)
    await load.run({ ...job(index), connections: CONNECTIONS, requests: WARM_ORDERS })
    const before = process.cpuUsage()
    const many = await load.run({ ...job(index), connections: CONNECTIONS, requests: MANY_ORDERS })
    const { user, system } = process.cpuUsage(before)
    const figures = {
      perSecond: many['perSecond'] ?? 0,
      manyP50Us: many['p50Us'] ?? 0,
      manyP99Us: many['p99Us'] ?? 0,
      firstPerSecond: first['perSecond'] ?? 0,
      cpuUs: (user + system) / MANY_ORDERS,
    }
    return { figures, singleUs }
  }
  let index = 1
  const side = (port: number, times: Times[]) => async (): Promise<Figures> => {
    const { figures, singleUs } = await round(port, port === gatewayPort ? index++ : 0)
    times.push(singleUs)
    return figures
  }
  const samples = await measure(
    rounds,
    side(gatewayPort, singles.ours),
    side(barePort, singles.baseline),
  )
  for (const times of [singles.ours, singles.baseline]) times.shift() // the round that warmed up
  await load.close()
  await close()
  removeFolder(folder)
  const many = `order, ${CONNECTIONS} connections`
  const note = `${MANY_ORDERS} orders of an account that has taken ${FRESH_ORDERS + WARM_ORDERS} before, a new account each round; the baseline makes three durable writes in a row for each, grouped, in a worker`
  const single = 'order, 1 connection'
  const cpuNote = 'of the whole process, threads and collectors included'
  return [
    rowOf({ bench: many, unit: 'orders/s', figure: 'perSecond', note }, samples),
    rowOf({ bench: `${many}, p50`, unit: 'µs', figure: 'manyP50Us' }, samples),
    rowOf({ bench: `${many}, p99`, unit: 'µs', figure: 'manyP99Us' }, samples),
    rowOf(
      { bench: `${many}, processor time`, unit: 'µs/order', figure: 'cpuUs', note: cpuNote },
      samples,
    ),
    pooledRow({ bench: `${single}, p50`, unit: 'µs', part: 0.5 }, singles),
    pooledRow({ bench: `${single}, p99`, unit: 'µs', part: 0.99 }, singles),
    rowOf(
      {
        bench: `order, first ${FRESH_ORDERS} of an account`,
        unit: 'orders/s',
        figure: 'firstPerSecond',
      },
      samples,
    ),
  ]
})
