import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { DurableLog } from './baseline/log.ts'
import { bench } from './kit/bench.ts'
import { holder, STRATEGY, stepMs, writeFall } from './kit/fall.ts'
import { type Figures, measure, rowOf } from './kit/figures.ts'
import { codeAt, newFolder, removeFolder, type Served, serve, settings } from './kit/service.ts'

const ACCOUNTS = 100
/** Stocks that fall in one moment, held by every account. */
const EACH = 10
const STORM_MS_MAX = 30_000
/** Whoever looks on without a pause takes a core from the accounts. */
const LOOK_MS = 1
const PUT_BYTES = 1_500
const OPTIONS = { timeoutMs: 5_000, correlationId: 'bench' }
/** Faster than the ticks come, but not exact: all accounts hear of the fall at once. */
const SPEED = 1_000

/** Milliseconds from the first quote that falls until every account has said so often that it acted. */
async function storm({ service, link }: Served, step: number): Promise<Figures> {
  const { quotes, board } = service.system
  const code = `${codeAt(step * EACH)}.SH`
  const { slots } = await link(0).market({ kind: 'watch', codes: [{ code, hint: 0 }] }, OPTIONS)
  const slot = slots[code] ?? 0
  const before = quotes.lastPrice(slot)
  const accounts = Array.from({ length: ACCOUNTS }, (_, index) => index + 1)
  const versions = accounts.map((account) => board.version(account))
  const played = link(0).market({ kind: 'replayPlay', until: stepMs(step), speed: SPEED }, OPTIONS)
  const endMs = performance.now() + STORM_MS_MAX
  const until = async (isSo: () => boolean): Promise<number> => {
    while (!isSo()) {
      if (performance.now() > endMs) throw new Error('the storm does not end')
      await pause(LOOK_MS)
    }
    return performance.now()
  }
  const fallenMs = await until(() => quotes.lastPrice(slot) !== before)
  const sentMs = await until(() =>
    accounts.every((account, at) => board.version(account) !== versions[at]),
  )
  await played
  await board.untilQuiet(STORM_MS_MAX)
  return { sentMs: sentMs - fallenMs, filledMs: performance.now() - fallenMs }
}

async function ordersOf({ link }: Served): Promise<number> {
  let orders = 0
  for (let index = 0; index < ACCOUNTS; index++) {
    const { bytes } = await link(index).ask({ kind: 'read', resource: 'orders' }, OPTIONS)
    const answer = JSON.parse(`${Buffer.from(bytes).toString()}}`) as { data: readonly object[] }
    orders += answer.data.length
  }
  return orders
}

await bench(async ({ rounds }) => {
  const folder = newFolder()
  const storms = rounds + 1
  const codes = storms * EACH
  const file = writeFall(folder, { codes, each: EACH })
  const market = { source: 'replay', file, speed: SPEED, autostart: false }
  const list = Array.from({ length: ACCOUNTS }, (_, index) => holder(index, codes))
  const served = await serve(folder, settings(folder, list, { market, strategy: STRATEGY }))
  mkdirSync(join(folder, 'log'))
  const log = new DurableLog(join(folder, 'log'))
  const bytes = new Uint8Array(PUT_BYTES)
  const bare = async (): Promise<Figures> => {
    const startMs = performance.now()
    await Promise.all(Array.from({ length: ACCOUNTS * EACH }, () => log.append(bytes)))
    const ms = performance.now() - startMs
    return { sentMs: ms, filledMs: ms }
  }
  let step = 0
  const samples = await measure(rounds, () => storm(served, step++), bare)
  const orders = await ordersOf(served)
  const wanted = ACCOUNTS * codes
  if (orders !== wanted) throw new Error(`${orders} orders of ${wanted}`)
  await log.close()
  await served.service.stop()
  removeFolder(folder)
  const name = `storm, ${ACCOUNTS * EACH} sales of ${ACCOUNTS} accounts`
  const note =
    'from the first quote that falls until the first intents of every account are durable and leave, and until all is filled and booked; the baseline writes as many entries durably at once into one database, where each account has its own here'
  return [
    rowOf({ bench: `${name}, sent`, unit: 'ms', figure: 'sentMs', note }, samples),
    rowOf({ bench: `${name}, filled`, unit: 'ms', figure: 'filledMs' }, samples),
  ]
})
