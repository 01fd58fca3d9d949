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

const SINGLE_ORDERS = 200
const MANY_ORDERS = 800
const CONNECTIONS = 32
const JOB_MS_MAX = 10_000
/**
 * Below the market and inside the price limits of the day: the order is taken and rests. Each has a
 * volume of its own, because an order that equals an open one is refused.
 */
const BODY = `{"stock_code":"${codeAt(0)}","order_type":23,"order_volume":{n}00,"price_type":11,"price":18.5}`

await bench(async ({ rounds }) => {
  const folder = newFolder()
  // An account keeps the orders of its day, so each round has an account of its own.
  const list = Array.from({ length: rounds + 1 }, (_, index) => account(index, 1))
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
  const post = async (port: number, index: number): Promise<Figures> => {
    const path = `/api/v1/accounts/${accountAt(index)}/orders`
    const job = { ports: [port], method: 'POST', path, body: BODY, ms: JOB_MS_MAX } as const
    const single = await load.run({ ...job, connections: 1, requests: SINGLE_ORDERS })
    const many = await load.run({
      ...job,
      connections: CONNECTIONS,
      requests: MANY_ORDERS,
      firstNumber: SINGLE_ORDERS + 1,
    })
    return {
      singleP50Us: single['p50Us'] ?? 0,
      manyP50Us: many['p50Us'] ?? 0,
      perSecond: many['perSecond'] ?? 0,
    }
  }
  let next = 0
  const samples = await measure(
    rounds,
    () => post(gatewayPort, next++),
    () => post(bare.port, 0),
  )
  await load.close()
  bare.close()
  await log.close()
  await service.stop()
  removeFolder(folder)
  const many = `order, ${CONNECTIONS} connections`
  const note = `${SINGLE_ORDERS} orders one by one, then ${MANY_ORDERS}, on a fresh account each round; ours: three commits in a row (intent, paper client, answer), the baseline: one`
  return [
    rowOf({ bench: many, unit: 'orders/s', figure: 'perSecond', note }, samples),
    rowOf({ bench: `${many}, p50`, unit: 'µs', figure: 'manyP50Us' }, samples),
    rowOf({ bench: 'order, 1 connection, p50', unit: 'µs', figure: 'singleP50Us' }, samples),
  ]
})
