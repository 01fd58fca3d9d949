import { setTimeout as delay } from 'node:timers/promises'
import { bench } from './kit/bench.ts'
import { listen, openCrowd, streaming } from './kit/crowd.ts'
import type { Row } from './kit/figures.ts'
import { Load } from './kit/load.ts'
import { writeRecords } from './kit/records.ts'
import {
  account,
  accountAt,
  accountOf,
  codeAt,
  newFolder,
  range,
  removeFolder,
  type Served,
  serve,
  settings,
} from './kit/service.ts'

const ACCOUNTS = [1, 10, 50, 100]
const CODES = [10, 100, 1_000, 5_000]
const POSITIONS = [10, 100, 500]
const RECORDS = [1_000, 10_000, 100_000, 1_000_000]
const STREAMS = [10, 100, 1_000]
/** Accounts that share the codes. */
const HOLDERS = 10
const HELD = 20
const TICKS_EVERY_MS = 100
const REST_MS = 1_500
const READ_MS = 500
const ORDERS = 40
const CONNECTIONS = 8
const RECORD_DAYS = 30
/** Whatever is left when this time is over is not measured. */
const PROFILE_MS_MAX = 400_000
const READ = { method: 'GET', path: '/api/positions-all' } as const
const ORDER = `{"stock_code":"${codeAt(0)}","order_type":23,"order_volume":{n}00,"price_type":11,"price":18.5}`

const row = (axis: string, unit: string, ours: number, note = ''): Row => ({
  bench: axis,
  unit,
  ours,
  note,
  baseline: null,
  ratio: null,
  spread: 0,
})

type Measure = (served: Served, startMs: number) => Promise<readonly Row[]>

/** Starts the service in this process, measures, and stops it again. */
async function within(config: object, folder: string, measure: Measure): Promise<readonly Row[]> {
  const beganMs = performance.now()
  const served = await serve(folder, settings(folder, [], config))
  const rows = await measure(served, performance.now() - beganMs)
  await served.service.stop()
  removeFolder(folder)
  return rows
}

/** Part of one core that the whole process takes while nobody asks for anything. */
async function restingCores(): Promise<number> {
  const [before, startMs] = [process.cpuUsage(), performance.now()]
  await delay(REST_MS)
  const { user, system } = process.cpuUsage(before)
  return (user + system) / 1_000 / (performance.now() - startMs)
}

async function byAccounts(count: number): Promise<readonly Row[]> {
  const folder = newFolder()
  const accounts = Array.from({ length: count }, (_, index) => account(index, HELD))
  const beforeMb = process.memoryUsage.rss() / 2 ** 20
  return within({ accounts }, folder, async ({ directPorts, gatewayPort }, startMs) => {
    const cores = await restingCores()
    const rssMb = process.memoryUsage.rss() / 2 ** 20 - beforeMb
    const load = new Load()
    const ports = directPorts
    const reads = await load.run({ ...READ, ports, connections: CONNECTIONS, ms: READ_MS })
    const orders = await load.run({
      ports: [gatewayPort],
      connections: 1,
      method: 'POST',
      body: ORDER,
      ms: 10_000,
      path: `/api/v1/accounts/${accountAt(0)}/orders`,
      requests: ORDERS,
    })
    await load.close()
    const name = `accounts: ${count}`
    const note = count === 1 ? `${HELD} positions each, ticks every ${TICKS_EVERY_MS} ms` : ''
    return [
      row(`${name}, start`, 'ms', startMs, note),
      row(`${name}, resident`, 'MB', rssMb),
      row(`${name}, at rest`, 'cores', cores),
      row(`${name}, reads`, 'answers/s', reads['perSecond'] ?? 0),
      row(`${name}, order p50`, 'µs', orders['p50Us'] ?? 0),
    ]
  })
}

async function byCodes(count: number): Promise<readonly Row[]> {
  const folder = newFolder()
  const each = count / HOLDERS
  const accounts = Array.from({ length: HOLDERS }, (_, index) =>
    accountOf(index, { codes: range(index * each, each) }),
  )
  return within({ accounts }, folder, async () => [
    row(`codes: ${count}, at rest`, 'cores', await restingCores()),
  ])
}

async function byPositions(count: number): Promise<readonly Row[]> {
  const folder = newFolder()
  return within({ accounts: [account(0, count)] }, folder, async ({ directPorts }) => {
    const load = new Load()
    const ports = directPorts
    const many = await load.run({ ...READ, ports, connections: CONNECTIONS, ms: READ_MS })
    const paced = { ...READ, ports, connections: 1, ms: READ_MS, paceMs: TICKS_EVERY_MS / 2 }
    const fresh = await load.run(paced)
    await load.close()
    return [
      row(`positions: ${count}, reads`, 'answers/s', many['perSecond'] ?? 0),
      row(`positions: ${count}, a fresh read`, 'µs', fresh['p50Us'] ?? 0),
    ]
  })
}

async function byRecords(count: number): Promise<readonly Row[]> {
  const folder = newFolder()
  const list = { accounts: [account(0, HELD)] }
  await writeRecords(folder, { accountId: accountAt(0), count, days: RECORD_DAYS })
  return within(list, folder, async ({ directPorts }, startMs) => {
    const load = new Load()
    const path = '/api/trade-records'
    const job = { method: 'GET', path, ports: directPorts, connections: 1, ms: 20_000 } as const
    const first = await load.run({ ...job, requests: 1 })
    await load.close()
    return [
      row(`records: ${count}, start`, 'ms', startMs),
      row(`records: ${count}, first list`, 'ms', (first['p50Us'] ?? 0) / 1_000),
    ]
  })
}

async function byStreams(count: number): Promise<readonly Row[]> {
  const folder = newFolder()
  const config = { accounts: [account(0, HELD)], limits: streaming() }
  return within(config, folder, async ({ directPorts }) => {
    const crowd = openCrowd()
    const heard = await listen(crowd, { port: directPorts[0] ?? 0, clients: count })
    crowd.disconnect()
    return [
      row(`event streams: ${count}, an event`, 'µs', heard['eventUs'] ?? 0),
      row(`event streams: ${count}, delivery p99`, 'ms', heard['p99Ms'] ?? 0),
    ]
  })
}

await bench(async () => {
  const endMs = performance.now() + PROFILE_MS_MAX
  const rows: Row[] = []
  const axis = async (
    counts: readonly number[],
    of: (count: number) => Promise<readonly Row[]>,
  ) => {
    for (const count of counts) if (performance.now() < endMs) rows.push(...(await of(count)))
  }
  await axis(CODES, byCodes)
  await axis(POSITIONS, byPositions)
  await axis(RECORDS, byRecords)
  await axis(STREAMS, byStreams)
  await axis(ACCOUNTS, byAccounts)
  return rows
})
