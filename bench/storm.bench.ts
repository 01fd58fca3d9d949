import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { DurableLog } from './baseline/log.ts'
import { bench } from './kit/bench.ts'
import { CALM_STEPS, STRATEGY, stepMs, writeFall } from './kit/fall.ts'
import { type Figures, type Row, rowOf } from './kit/figures.ts'
import { ordersOf, playUntil, slotsOf } from './kit/playing.ts'
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

/** Who sells how much in one moment, and how often one after the other. */
interface Shape {
  readonly accounts: number
  /** Stocks that fall in one moment, held by every account. */
  readonly each: number
  readonly storms: number
}
/** The first of a fresh service, and the one after it. */
const MANY: Shape = { accounts: 100, each: 10, storms: 2 }
/** All that one account holds: what it does for one sale must not grow with the others. */
const ONE: Shape = { accounts: 1, each: 300, storms: 1 }
const STORM_MS_MAX = 30_000
/** Whoever looks on without a pause takes a core from the accounts. */
const LOOK_MS = 1
const PUT_BYTES = 1_500
/** Faster than the ticks come, but not exact: all accounts hear of the fall at once. */
const SPEED = 1_000

async function until(isSo: () => boolean): Promise<number> {
  const endMs = performance.now() + STORM_MS_MAX
  while (!isSo()) {
    if (performance.now() > endMs) throw new Error('the storm does not end')
    await pause(LOOK_MS)
  }
  return performance.now()
}

/**
 * Milliseconds from the first quote that falls until an order of every account is durable and has left, and until
 * all orders have, and until all are filled and booked.
 */
async function storm({ service, link }: Served, { accounts: count, each }: Shape, step: number) {
  const { quotes, board, latency } = service.system
  const [slot = 0] = await slotsOf(link(0), [`${codeAt(step * each)}.SH`])
  const before = quotes.lastPrice(slot)
  const accounts = Array.from({ length: count }, (_, index) => {
    const submits = latency.histogram(index + 1, 'commitToSubmit')
    return { submits, count: submits.count }
  })
  /** Looks no further than the first account that has not sent so many. */
  const haveSent = (orders: number) => {
    let at = 0
    return (): boolean => {
      for (; at < count; at++) {
        const account = accounts[at]
        if (account === undefined || account.submits.count < account.count + orders) return false
      }
      return true
    }
  }
  const played = playUntil(link(0), stepMs(step))
  const fallenMs = await until(() => quotes.lastPrice(slot) !== before)
  const sentMs = await until(haveSent(1))
  const allMs = await until(haveSent(each))
  await played
  if (!(await board.untilQuiet(STORM_MS_MAX))) throw new Error('the storm does not end')
  const filledMs = performance.now() - fallenMs
  return { sentMs: sentMs - fallenMs, allMs: allMs - fallenMs, filledMs }
}

/** A service of its own, whose market is open for a while before anything falls. */
async function round(shape: Shape): Promise<readonly Figures[]> {
  const folder = newFolder()
  const { accounts, each, storms } = shape
  const codes = storms * each
  const file = writeFall(folder, { codes, each })
  const market = { source: 'replay', file, speed: SPEED, autostart: false }
  const held = range(0, codes)
  const list = range(0, accounts).map((index) => accountOf(index, { codes: held }))
  const served = await serve(folder, settings(folder, list, { market, strategy: STRATEGY }))
  // Every account must have seen each stock often enough to trust its quotes: it would sell at the next one only.
  for (let step = -CALM_STEPS; step < 0; step++) {
    await playUntil(served.link(0), stepMs(step))
    await served.service.system.board.untilQuiet(STORM_MS_MAX)
  }
  const figures: Figures[] = []
  for (const step of range(0, storms)) figures.push(await storm(served, shape, step))
  let orders = 0
  for (let index = 0; index < accounts; index++) orders += await ordersOf(served.link(index))
  await served.service.stop()
  removeFolder(folder)
  const wanted = accounts * codes
  if (orders !== wanted) throw new Error(`${orders} orders of ${wanted}`)
  return figures
}

/** As many durable writes at once as there are sales, into one database. */
async function bareStorm(log: DurableLog, { accounts, each }: Shape): Promise<Figures> {
  const bytes = new Uint8Array(PUT_BYTES)
  const startMs = performance.now()
  await Promise.all(Array.from({ length: accounts * each }, () => log.append(bytes)))
  const ms = performance.now() - startMs
  return { sentMs: ms, allMs: ms, filledMs: ms }
}

const saidOf = ({ accounts, each }: Shape): string =>
  `${accounts * each} sales of ${accounts} ${accounts === 1 ? 'account' : 'accounts'}`

interface Samples {
  readonly ours: readonly (readonly Figures[])[]
  readonly baseline: readonly Figures[]
}

async function samplesOf(log: DurableLog, shape: Shape, rounds: number): Promise<Samples> {
  const ours: (readonly Figures[])[] = []
  const baseline: Figures[] = []
  for (let at = 0; at < rounds; at++) {
    ours.push(await round(shape))
    baseline.push(await bareStorm(log, shape))
  }
  return { ours, baseline }
}

/** `which` of the storms of a round. */
function rowsOf(name: string, { ours, baseline }: Samples, which = 0, note = ''): readonly Row[] {
  const wanted = ours.map((figures) => figures[which]).filter((figures) => figures !== undefined)
  const samples = { ours: wanted, baseline }
  return (['sent', 'all sent', 'filled'] as const).map((what, at) => {
    const figure = ['sentMs', 'allMs', 'filledMs'][at] ?? ''
    const spec = { bench: `storm, ${name}, ${what}`, unit: 'ms', figure }
    return rowOf({ ...spec, note: at === 0 ? note : '' }, samples)
  })
}

// No round warms up: what costs most is that nothing has been run before.
await bench(async ({ rounds }) => {
  const folder = newFolder()
  mkdirSync(join(folder, 'log'))
  const log = new DurableLog(join(folder, 'log'))
  await bareStorm(log, MANY)
  const many = await samplesOf(log, MANY, rounds)
  const one = await samplesOf(log, ONE, rounds)
  await log.close()
  removeFolder(folder)
  const note =
    'a fresh service each round; from the first quote that falls until an order of every account is durable and leaves, until all orders have left, and until all is filled and booked; the baseline writes as many entries durably at once'
  return [
    ...rowsOf(`first, ${saidOf(MANY)}`, many, 0, note),
    ...rowsOf(`next, ${saidOf(MANY)}`, many, 1),
    ...rowsOf(saidOf(ONE), one),
  ]
})
