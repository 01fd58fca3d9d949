import { readFileSync } from 'node:fs'
import { setTimeout as delay } from 'node:timers/promises'
import { bench } from './kit/bench.ts'
import { rowOf, slopeOf } from './kit/figures.ts'
import { Load } from './kit/load.ts'
import {
  accountAt,
  accountOf,
  codeAt,
  newFolder,
  range,
  removeFolder,
  serve,
  settings,
} from './kit/service.ts'

const ACCOUNTS = 50
/** Every account holds codes of its own, so that 20,000 ticks a second are 2,000 codes ten times a second. */
const CODES_EACH = 40
const TICKS_EVERY_MS = 100
/** Looks that are kept of each stock: the usual 200 take half an hour to fill, which would look like a leak. */
const TRACED = 5
const SAMPLES = 30
const READ_PACE_MS = 20
const ORDER_PACE_MS = 200
const CONNECTIONS = 4
const OPTIONS = { timeoutMs: 5_000, correlationId: 'bench' }
const ORDER = `{"stock_code":"${codeAt(0)}","order_type":23,"order_volume":{n}00,"price_type":11,"price":18.5}`

/** What the process keeps for itself. Pages of database files count as resident too, but the system takes them back. */
function residentMb(): number {
  if (process.platform !== 'linux') return process.memoryUsage.rss() / 2 ** 20
  const [, kilobytes] = /^RssAnon:\s+(\d+)/m.exec(readFileSync('/proc/self/status', 'utf8')) ?? []
  return Number(kilobytes) / 1_024
}

/** An account whose stocks nobody else holds. */
const holder = (index: number): object =>
  accountOf(index, { codes: range(index * CODES_EACH, CODES_EACH) })

await bench(async ({ seconds }) => {
  const folder = newFolder()
  const list = Array.from({ length: ACCOUNTS }, (_, index) => holder(index))
  const market = { source: 'simulated', interval_ms: TICKS_EVERY_MS }
  const limits = { account: { decisions_per_stock_max: TRACED } }
  const config = settings(folder, list, { market, limits })
  const { service, gatewayPort, directPorts, link } = await serve(folder, config)
  const all = Array.from({ length: ACCOUNTS * CODES_EACH }, (_, at) => `${codeAt(at)}.SH`)
  const watched = await link(0).market(
    { kind: 'watch', codes: all.map((code) => ({ code, hint: 0 })) },
    OPTIONS,
  )
  const slots = Object.values(watched.slots)
  // Each write of a row raises its sequence number twice.
  const ticks = () => service.system.quotes.stamp(slots) / 2
  const [reads, orders] = [new Load(), new Load()]
  const ms = seconds * 1_000
  const reading = reads.run({
    ports: directPorts,
    connections: CONNECTIONS,
    method: 'GET',
    path: '/api/positions-all',
    ms,
    paceMs: READ_PACE_MS,
  })
  const ordering = orders.run({
    ports: [gatewayPort],
    connections: 1,
    method: 'POST',
    body: ORDER,
    path: `/api/v1/accounts/${accountAt(0)}/orders`,
    ms,
    paceMs: ORDER_PACE_MS,
  })
  const startTicks = ticks()
  const startMs = performance.now()
  const rssMb: number[] = []
  for (let sample = 0; sample < SAMPLES; sample++) {
    await delay(ms / SAMPLES)
    rssMb.push(residentMb())
  }
  const elapsedS = (performance.now() - startMs) / 1_000
  const perSecond = (ticks() - startTicks) / elapsedS
  const [read, order] = await Promise.all([reading, ordering])
  await Promise.all([reads.close(), orders.close()])
  await service.stop()
  removeFolder(folder)
  // The first third warms up: heaps grow to their size and code is compiled.
  const growth = slopeOf(rssMb.slice(SAMPLES / 3))
  const due = (slots.length * 1_000) / TICKS_EVERY_MS
  const ours = {
    perSecond,
    lost: Math.max(0, 1 - perSecond / due),
    rssMb: rssMb.at(-1) ?? 0,
    growthPerMinute: (growth * SAMPLES) / (elapsedS / 60),
    readP99Us: read['p99Us'] ?? 0,
    orderP99Us: order['p99Us'] ?? 0,
  }
  const samples = { ours: [ours], baseline: [{ perSecond: due }] }
  const single = { ours: [ours], baseline: [] }
  const name = `soak, ${ACCOUNTS} accounts`
  const note = `${Math.round(elapsedS)} s of simulated ticks for ${slots.length} held codes while ${read['requests']} reads and ${order['requests']} orders went on; the baseline is what was due; resident MB from sample to sample: ${rssMb.map((mb) => Math.round(mb)).join(' ')}`
  return [
    rowOf({ bench: `${name}, ticks`, unit: 'ticks/s', figure: 'perSecond', note }, samples),
    rowOf({ bench: `${name}, resident`, unit: 'MB', figure: 'rssMb' }, single),
    rowOf({ bench: `${name}, growth`, unit: 'MB/minute', figure: 'growthPerMinute' }, single),
    rowOf({ bench: `${name}, reads p99`, unit: 'µs', figure: 'readP99Us' }, single),
    rowOf({ bench: `${name}, orders p99`, unit: 'µs', figure: 'orderP99Us' }, single),
  ]
})
