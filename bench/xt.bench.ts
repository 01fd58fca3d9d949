import { randomBytes } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { clientOrderId } from '../src/domain/ids.ts'
import type { StockCode } from '../src/domain/instrument.ts'
import type { Price, Quantity } from '../src/domain/money.ts'
import type { NewOrder } from '../src/domain/order.ts'
import { TerminalDriver } from '../src/drivers/terminal/driver.ts'
import { TerminalQuotes } from '../src/drivers/terminal/quotes.ts'
import { SidecarHost } from '../src/drivers/terminal/sidecar-host.ts'
import { type SidecarPlan, whereaboutsOf } from '../src/drivers/xt/settings.ts'
import { silentLogger } from '../src/observability/logger.ts'
import type { DriverEvent } from '../src/protocol/driver.ts'
import type { Tick } from '../src/protocol/market.ts'
import { bench } from './kit/bench.ts'
import { measure, percentilesUs, type Row, rowOf, timesUs } from './kit/figures.ts'
import { openSeller } from './kit/seller.ts'
import { newFolder, removeFolder } from './kit/service.ts'
import { BenchTerminal } from './kit/terminal.ts'

/** The stand-in for the library, as the tests use it. */
const STANDIN = fileURLToPath(new URL('../test/drivers/xt/fake', import.meta.url))
const ORDERS = 200
const TICKS = 200
const CODE = '600036.SH' as StockCode
const CODES = Array.from({ length: 200 }, (_, index) => `${600_000 + index}.SH`)
const PER_SECOND = 10_000
/** A minute shows the same, by `STEWARD_BENCH_FLOOD_S=60 node bench/xt.bench.ts`. */
const FLOOD_S = Number(process.env['STEWARD_BENCH_FLOOD_S'] ?? 2)
const LAUNCH_MS = 20_000
const LIMITS: SidecarPlan['limits'] = {
  frameBytesMax: 8_388_608,
  beatMs: 2_000,
  beatsMissedMax: 3,
  handshakeTimeoutMs: 5_000,
  callsMax: 256,
  heldTimeoutMs: 1_000,
}
const OWN = {
  frame_bytes_max: 8_388_608,
  beat_ms: 2_000,
  beats_missed_max: 3,
  handshake_ms: 5_000,
  idle_exit_ms: 15_000,
  calls_max: 256,
  leaks_max: 3,
  stuck_order_call_ms: 120_000,
  quotes_behind_max: 3,
  quotes_patience_max: 256,
  resubscribe_min_ms: 10_000,
  subscribe_timeout_ms: 10_000,
  refusal_text_ms: 1_000,
}

/** All subscriptions have the number 0 here. */
const pushTick = (terminal: BenchTerminal, code: string, tick: object) =>
  terminal.push('tick', { seq: 0, ticks: { [code]: tick } })

function hostOf(role: SidecarPlan['role'], folder: string, terminal: BenchTerminal): SidecarHost {
  const sidecar = { python: '', xtquant_path: STANDIN, attach: '', token_file: '' }
  const plan: SidecarPlan = {
    role,
    sidecar,
    clientPath: terminal.clientPath,
    quotePort: terminal.port,
    own: OWN,
    folder: join(folder, 'journal'),
    launchTimeoutMs: LAUNCH_MS,
    limits: LIMITS,
  }
  const whereabouts = whereaboutsOf(plan, [])
  return new SidecarHost({ whereabouts, limits: LIMITS, log: silentLogger })
}

/** Order call round trip: command in, number out. */
async function orderRows(rounds: number, folder: string, terminal: BenchTerminal): Promise<Row[]> {
  const host = hostOf('trade', folder, terminal)
  const driver = new TerminalDriver({
    accountId: '10000001',
    accountType: 'STOCK',
    clientPath: terminal.clientPath,
    host,
    epoch: 1,
    log: silentLogger,
    nowMs: Date.now,
    limits: { callTimeoutMs: 5_000, connectTimeoutMs: 10_000, heldEventsMax: 1_000 },
  })
  let answered: (event: DriverEvent) => void = () => undefined
  driver.open((event) => answered(event))
  const answer = (kind: DriverEvent['kind']) =>
    new Promise<void>((resolve) => {
      answered = (event) => (event.kind === kind ? resolve() : undefined)
    })
  const connected = answer('connectAnswered')
  driver.send({ kind: 'connect', callId: 1 })
  await connected
  const submit = () => {
    const done = answer('submitAnswered')
    const order: NewOrder = {
      clientOrderId: clientOrderId(Date.now(), randomBytes(10)),
      code: CODE,
      side: 'buy',
      quantity: 100 as Quantity,
      priceType: 11,
      price: 360_000 as Price,
      strategy: 'bench',
    }
    driver.send({ kind: 'submit', callId: 2, order })
    return done
  }
  const samples = await measure(rounds, async () => percentilesUs(await timesUs(ORDERS, submit)))
  driver.close()
  host.close()
  const note = 'command to order number: driver, sidecar with its journal, stand-in for the library'
  return [
    rowOf({ bench: 'xt, order round trip, p50', unit: 'µs', figure: 'p50Us', note }, samples),
    rowOf({ bench: 'xt, order round trip, p99', unit: 'µs', figure: 'p99Us' }, samples),
  ]
}

/** Resident memory of a process; 0 where the system does not show it as a file. */
const memoryMib = (pid: number): number => {
  if (process.platform !== 'linux') return 0
  const line = /VmRSS:\s+(\d+) kB/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))
  return Number(line?.[1] ?? 0) / 1_024
}

/** From the library's callback side to the tick that the board is given. */
async function tickRows(rounds: number, folder: string, terminal: BenchTerminal): Promise<Row[]> {
  const host = hostOf('market', folder, terminal)
  let heard: (tick: Tick) => void = () => undefined
  let count = 0
  const limits = { pollMs: 3_600_000, wantDelayMs: 1, callTimeoutMs: 10_000 }
  const quotes = new TerminalQuotes({
    host,
    log: silentLogger,
    limits: { ...limits, relaunchMsMin: 100, relaunchMsMax: 100 },
  })
  for (const code of [CODE, ...CODES]) quotes.want(code)
  quotes.start((tick) => {
    count += 1
    heard(tick)
  })
  let time = Date.now()
  const one = () => {
    time += 1
    const arrived = new Promise<void>((resolve) => {
      const sent = time
      heard = (tick) => (tick.time === sent ? resolve() : undefined)
    })
    pushTick(terminal, CODE, { time, lastPrice: 36, volume: time })
    return arrived
  }
  // The first ones are pushed before anything is subscribed.
  for (const first = one(); (await Promise.race([first, sleep(50, 'late')])) === 'late'; ) {
    pushTick(terminal, CODE, { time, lastPrice: 36, volume: time })
  }
  const samples = await measure(rounds, async () => percentilesUs(await timesUs(TICKS, one)))
  const { pid } = (await host.open(0)).welcome
  heard = () => undefined
  count = 0
  const seen: number[] = []
  terminal.push('storm', { codes: CODES, per_second: PER_SECOND, seconds: FLOOD_S })
  for (let second = 0; second < FLOOD_S; second++) {
    await sleep(1_000)
    seen.push(memoryMib(pid))
  }
  const told = {
    ours: [{ perSecond: count / FLOOD_S, grownMib: (seen.at(-1) ?? 0) - (seen[0] ?? 0) }],
    baseline: [],
  }
  await quotes.stop()
  const flow = `xt, flood of ${PER_SECOND} ticks/s`
  const memory = `resident memory of the sidecar: ${seen[0]?.toFixed(1)} MiB after a second, ${seen.at(-1)?.toFixed(1)} after ${FLOOD_S}`
  const note = 'one tick at a time: stand-in for the library, sidecar, socket, decoded'
  const perSecondNote = 'of 200 codes; a code that ticks again before it is sent is told once'
  return [
    rowOf({ bench: 'xt, tick to the board, p50', unit: 'µs', figure: 'p50Us', note }, samples),
    rowOf({ bench: 'xt, tick to the board, p99', unit: 'µs', figure: 'p99Us' }, samples),
    rowOf(
      { bench: `${flow}, told`, unit: 'ticks/s', figure: 'perSecond', note: perSecondNote },
      told,
    ),
    rowOf({ bench: `${flow}, memory grown`, unit: 'MiB', figure: 'grownMib', note: memory }, told),
  ]
}

const SOLD_CODES = Array.from({ length: 100 }, (_, index) => `${600_000 + index}.SH`)
/** Ticks before an account trusts the quotes of a code, and half a price limit below its cost. */
const QUIET_TICKS = 3
const STOP_PRICE = 9.2

/** From the tick at the library's side to the order that leaves for the broker. */
async function intentTimes(folder: string, terminal: BenchTerminal): Promise<Float64Array> {
  const sidecar = { python: '', xtquant_path: STANDIN, attach: '', token_file: '' }
  const plan: SidecarPlan = {
    role: 'market',
    sidecar,
    clientPath: terminal.clientPath,
    quotePort: terminal.port,
    own: OWN,
    folder,
    launchTimeoutMs: LAUNCH_MS,
    limits: LIMITS,
  }
  const feed = new TerminalQuotes({
    host: new SidecarHost({
      whereabouts: whereaboutsOf(plan, []),
      limits: LIMITS,
      log: silentLogger,
    }),
    limits: {
      pollMs: 3_600_000,
      wantDelayMs: 1,
      callTimeoutMs: 10_000,
      relaunchMsMin: 100,
      relaunchMsMax: 100,
    },
    log: silentLogger,
  })
  let sold: (code: string) => void = () => undefined
  const seller = await openSeller(folder, SOLD_CODES, { feed, fetch: async () => [] }, (code) =>
    sold(code),
  )
  let time = Date.now()
  const push = (code: string, lastPrice: number) => {
    time += 1
    const levels = {
      askPrice: [lastPrice + 0.01],
      bidPrice: [lastPrice],
      askVol: [90],
      bidVol: [90],
    }
    const tick = { time, lastPrice, lastClose: 10, open: 10, high: 10, low: lastPrice, volume: 9 }
    pushTick(terminal, code, { ...tick, ...levels })
  }
  await seller.untilQuoted(SOLD_CODES, () => {
    for (const code of SOLD_CODES) push(code, 10)
  })
  for (let tick = 0; tick < QUIET_TICKS; tick++) {
    for (const code of SOLD_CODES) push(code, 10)
    await sleep(100)
  }
  const left = [...SOLD_CODES]
  const times = await timesUs(SOLD_CODES.length, () => {
    const code = left.pop() ?? ''
    const isSold = new Promise<void>((resolve) => {
      sold = (which) => (which === code ? resolve() : undefined)
    })
    push(code, STOP_PRICE)
    return isSold
  })
  await seller.close()
  return times
}

async function intentRows(rounds: number, folder: string, terminal: BenchTerminal): Promise<Row[]> {
  const samples = await measure(rounds, async () =>
    percentilesUs(await intentTimes(folder, terminal)),
  )
  const note =
    'a stop loss: stand-in for the library, sidecar, board, band, step, commit in memory, command to the driver'
  return [
    rowOf({ bench: 'xt, tick to intent, p50', unit: 'µs', figure: 'p50Us', note }, samples),
    rowOf({ bench: 'xt, tick to intent, p99', unit: 'µs', figure: 'p99Us' }, samples),
  ]
}

await bench(async ({ rounds }) => {
  const folder = newFolder()
  const terminal = await BenchTerminal.open(folder)
  const rows = [
    ...(await orderRows(rounds, folder, terminal)),
    ...(await tickRows(rounds, folder, terminal)),
    ...(await intentRows(rounds, folder, terminal)),
  ]
  await terminal.close()
  removeFolder(folder)
  return rows
})
