import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import type { Histogram } from '../src/runtime/histogram.ts'
import { DurableLog } from './baseline/log.ts'
import { bench } from './kit/bench.ts'
import { STRATEGY, stepMs, writeFall } from './kit/fall.ts'
import { type Figures, measure, percentilesUs, rowOf, timesUs } from './kit/figures.ts'
import {
  accountOf,
  newFolder,
  range,
  removeFolder,
  type Served,
  serve,
  settings,
} from './kit/service.ts'

const CODES = 40
const LEFT_MS_MAX = 2_000
const LOOK_MS = 1
/** The broker answers later than anybody looks, so that only the intent has been saved by then. */
const ANSWER_MS = 20
const PUT_BYTES = 1_500
const OPTIONS = { timeoutMs: 5_000, correlationId: 'bench' }
/** The first account of the configuration has the first row of the actor board. */
const SLOT = 1

/**
 * From the quote on the board to the account's word that the order is durable and leaves,
 * microseconds, as the service itself measures it: whoever looks on takes no core from it.
 */
async function sellUs({ service, link }: Served, step: number): Promise<number> {
  const { latency } = service.system
  const [intent, commit, submit] = (['tickToIntent', 'commit', 'commitToSubmit'] as const).map(
    (measure) => latency.histogram(SLOT, measure),
  ) as [Histogram, Histogram, Histogram]
  const sum = (): number => intent.sumMs + commit.sumMs + submit.sumMs
  const before = { sum: sum(), count: submit.count }
  const played = link(0).market({ kind: 'replayPlay', until: stepMs(step) }, OPTIONS)
  const endMs = performance.now() + LEFT_MS_MAX
  while (submit.count === before.count) {
    if (performance.now() > endMs) throw new Error('no order has left')
    await pause(LOOK_MS)
  }
  const us = (sum() - before.sum) * 1_000
  await played
  await service.system.board.untilQuiet()
  return us
}

/** On a fresh account, because what has been sold is gone. */
async function sellAll(): Promise<Figures> {
  const folder = newFolder()
  const file = writeFall(folder, { codes: CODES, each: 1 })
  const market = { source: 'replay', file, speed: 'max', autostart: false }
  const holder = accountOf(0, { codes: range(0, CODES), latencyMs: ANSWER_MS })
  const config = settings(folder, [holder], { market, strategy: STRATEGY })
  const served = await serve(folder, config)
  await served.service.system.board.untilQuiet()
  const times = new Float64Array(CODES)
  for (let step = 0; step < CODES; step++) times[step] = await sellUs(served, step)
  const { bytes } = await served.link(0).ask({ kind: 'read', resource: 'orders' }, OPTIONS)
  const orders = JSON.parse(`${Buffer.from(bytes).toString()}}`) as { data: readonly object[] }
  await served.service.stop()
  removeFolder(folder)
  if (orders.data.length !== CODES) throw new Error(`${orders.data.length} orders of ${CODES}`)
  return percentilesUs(times.sort())
}

await bench(async ({ rounds }) => {
  const folder = newFolder()
  mkdirSync(join(folder, 'log'))
  const log = new DurableLog(join(folder, 'log'))
  const bytes = new Uint8Array(PUT_BYTES)
  const put = async () => percentilesUs(await timesUs(CODES, () => log.append(bytes)))
  const samples = await measure(rounds, sellAll, put)
  await log.close()
  removeFolder(folder)
  const note = `${CODES} stops of one account, one after the other, on a fresh account each round; from the quote on the board until the intent is durable and leaves for the trading client; measured by the service itself; the baseline is one durable put in a worker and the message there and back`
  return [
    rowOf({ bench: 'tick-to-order, p50', unit: 'µs', figure: 'p50Us', note }, samples),
    rowOf({ bench: 'tick-to-order, p99', unit: 'µs', figure: 'p99Us' }, samples),
  ]
})
