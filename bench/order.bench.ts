import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { DurableLog } from './baseline/log.ts'
import { servePosts } from './baseline/uws.ts'
import { bench } from './kit/bench.ts'
import { type Figures, measure, rowOf } from './kit/figures.ts'
import { Load } from './kit/load.ts'
import {
  account,
  accountAt,
  codeAt,
  newFolder,
  removeFolder,
  serve,
  settings,
} from './kit/service.ts'

const WARM_ORDERS = 3_000
const SINGLE_ORDERS = 200
const MANY_ORDERS = 2_000
const FRESH_ORDERS = 200
const CONNECTIONS = 32
const JOB_MS_MAX = 10_000
/** Below the market and inside the price limits of the day: the order is taken and rests. */
const BODY = `{"stock_code":"${codeAt(0)}","order_type":23,"order_volume":100,"price_type":11,"price":18.5}`

await bench(async ({ rounds }) => {
  const folder = newFolder()
  // The first one trades all the time; each of the others only has its first orders measured.
  const list = Array.from({ length: rounds + 2 }, (_, index) => account(index, 1))
  const market = { source: 'simulated', interval_ms: 3_600_000 }
  const { service, gatewayPort } = await serve(folder, settings(folder, list, { market }))
  const logFolder = join(folder, 'log')
  mkdirSync(logFolder)
  const log = new DurableLog(logFolder)
  const bare = await servePosts(async (body) => {
    JSON.parse(Buffer.from(body).toString())
    const id = await log.append(body)
    return JSON.stringify({ success: true, data: { order_id: id }, error: null })
  })
  const load = new Load()
  const post = (port: number, index: number, connections: number, requests: number) => {
    const path = `/api/v1/accounts/${accountAt(index)}/orders`
    const job = { ports: [port], method: 'POST', path, body: BODY, ms: JOB_MS_MAX } as const
    return load.run({ ...job, connections, requests })
  }
  const round = async (port: number, fresh: number): Promise<Figures> => {
    const first = await post(port, fresh, CONNECTIONS, FRESH_ORDERS)
    const single = await post(port, 0, 1, SINGLE_ORDERS)
    const many = await post(port, 0, CONNECTIONS, MANY_ORDERS)
    return {
      singleP50Us: single['p50Us'] ?? 0,
      manyP50Us: many['p50Us'] ?? 0,
      perSecond: many['perSecond'] ?? 0,
      firstPerSecond: first['perSecond'] ?? 0,
    }
  }
  for (const port of [gatewayPort, bare.port]) await post(port, 0, CONNECTIONS, WARM_ORDERS)
  let fresh = 1
  const samples = await measure(
    rounds,
    () => round(gatewayPort, fresh++),
    () => round(bare.port, 0),
  )
  await load.close()
  bare.close()
  await log.close()
  await service.stop()
  removeFolder(folder)
  const many = `order, ${CONNECTIONS} connections`
  const note = `${MANY_ORDERS} orders of an account that has traded before; ours: three commits in a row (intent, paper client, answer), the baseline: one`
  const first = `order, first ${FRESH_ORDERS} of an account`
  return [
    rowOf({ bench: many, unit: 'orders/s', figure: 'perSecond', note }, samples),
    rowOf({ bench: `${many}, p50`, unit: 'µs', figure: 'manyP50Us' }, samples),
    rowOf({ bench: 'order, 1 connection, p50', unit: 'µs', figure: 'singleP50Us' }, samples),
    rowOf({ bench: first, unit: 'orders/s', figure: 'firstPerSecond' }, samples),
  ]
})
