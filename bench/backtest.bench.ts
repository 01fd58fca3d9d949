import { closeSync, openSync, readSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import type { BacktestWork } from '../actors/pool/grid-backtest.worker.ts'
import { Pool } from '../actors/pool/pool.ts'
import { packBars } from '../src/domain/bar.ts'
import { DAY_MS, exchangeDay, exchangeDayStartMs, MINUTE_MS } from '../src/domain/exchange-time.ts'
import { isTradingDay, SESSIONS } from '../src/domain/session.ts'
import { draw } from '../src/market/random.ts'
import type { BacktestInput } from '../src/protocol/grid-backtest.ts'
import { bench } from './kit/bench.ts'
import { type Figures, measure, rowOf } from './kit/figures.ts'
import { newFolder, removeFolder } from './kit/service.ts'

const WORKER = 'actors/pool/grid-backtest.worker.ts'
const CODE = '600036.SH'
const YEAR = 2025
const TICK_MS = 3_000
/** The walk is drawn back to this price, cents, so that a grid around it trades all year. */
const HOME = 2_000
const PULL = 20_000
const CHUNK_BYTES = 262_144
const PARSED_LINES = 200_000
const POOL = { threadsMax: 1, queueMax: 1, idleMs: 60_000, heapMb: 512, progressMs: 1_000 }
const MAX_PPM = 900_000

interface Day {
  readonly startMs: number
  readonly openMs: readonly number[]
}

/** Every trading day of the year, with the moments of its ticks. */
function* days(): Iterable<Day> {
  const endMs = exchangeDayStartMs(`${YEAR + 1}-01-01`)
  for (let startMs = exchangeDayStartMs(`${YEAR}-01-01`); startMs < endMs; startMs += DAY_MS) {
    if (!isTradingDay(exchangeDay(startMs))) continue
    const openMs: number[] = []
    for (const { fromMs, toMs } of SESSIONS) {
      for (let atMs = fromMs; atMs < toMs; atMs += TICK_MS) openMs.push(startMs + atMs)
    }
    yield { startMs, openMs }
  }
}

/** A seeded walk in steps of a cent; the same in every run. */
function* walk(): Generator<number, never, void> {
  let [cents, state] = [HOME, 7]
  for (;;) {
    const [chance, next] = draw(state)
    state = next
    const up = 0.5 + (HOME - cents) / PULL
    cents += chance < 0.4 ? (chance < 0.4 * up ? 1 : -1) : 0
    yield cents
  }
}

const list = (of: (level: number) => number | string): string => `[${[0, 1, 2, 3, 4].map(of)}]`
const yuan = (cents: number): string => (cents / 100).toFixed(2)
const VOLUMES = list((level) => 100 * (level + 1))

/** A whole tick, as recorded; not by `JSON.stringify`, because there are a million of them. */
const lineAt = (time: number, cents: number, count: number): string =>
  `{"time":${time},"stock_code":"${CODE}","lastPrice":${yuan(cents)},"open":20.00,"high":${yuan(cents)},"low":${yuan(cents)},"lastClose":20.00,` +
  `"volume":${count * 100},"amount":${count * 2_000},"bidPrice":${list((level) => yuan(cents - level - 1))},` +
  `"askPrice":${list((level) => yuan(cents + level + 1))},"bidVol":${VOLUMES},"askVol":${VOLUMES}}\n`

function writeYear(file: string): number {
  const handle = openSync(file, 'w')
  const prices = walk()
  let [lines, count] = ['', 0]
  for (const { openMs } of days()) {
    for (const time of openMs) lines += lineAt(time, prices.next().value, count++)
    writeSync(handle, lines)
    lines = ''
  }
  closeSync(handle)
  return count
}

/** The same year as stored minutes. */
function minutes(): readonly Uint8Array[] {
  const prices = walk()
  const each = MINUTE_MS / TICK_MS
  return Array.from(days(), ({ openMs }) => {
    const bars = Array.from({ length: openMs.length / each }, (_, index) => {
      const four = Array.from({ length: each }, () => prices.next().value * 100)
      const timeMs = (openMs[index * each] ?? 0) + MINUTE_MS
      const [open = 0, close = 0] = [four[0], four.at(-1)]
      const totals = { volumeFrom: 0, volumeTo: 0, amountFrom: 0, amountTo: 0 }
      return { timeMs, open, high: Math.max(...four), low: Math.min(...four), close, ...totals }
    })
    return packBars(bars)
  })
}

const INPUT: Omit<BacktestInput, 'source'> = {
  period: '1m',
  start_time: `${YEAR}-01-01`,
  end_time: `${YEAR}-12-31`,
  stock_code: CODE,
  parameters: {
    code: CODE,
    centerPrice: HOME * 100,
    tradeMode: 'amount',
    fixedQuantity: 0,
    intervalPpm: 10_000,
    positionPpm: 100_000,
    callbackPpm: 3_000,
    maxInvestment: 1_000_000_000,
    maxDeviationPpm: MAX_PPM,
    targetProfitPpm: 100 * MAX_PPM,
    stopLossPpm: -MAX_PPM,
    durationDays: 400,
    riskLevel: 'moderate',
    templateName: null,
  },
  policy: {
    strategyName: 'grid',
    levelCooldownMs: 60_000,
    buyCooldownMs: 300_000,
    sellCooldownMs: 300_000,
    sellCooldownRisePpm: 20_000,
    signalMaxAgeMs: 60_000,
    signalMaxDriftPpm: 10_000,
    isCounterpartyPrice: true,
    buyBufferPpm: 20_000,
    isLimitGuarded: true,
    limitMargin: 10,
    isAutoCancel: true,
    pendingTimeoutMs: 90_000,
    isAutoReorder: true,
    reordersMax: 1,
  },
  feeRates: { commissionPpm: 250, commissionMin: 50_000, stampDutyPpm: null, transferPpm: 10 },
  baseQuantity: 50_000,
  isAlwaysOpen: false,
}

interface Made {
  readonly points: number
  readonly trade_count: number
}

/** The job's piece of work, in its thread. */
async function run(pool: Pool, work: Pick<BacktestWork, 'file' | 'bars'>): Promise<Figures> {
  const source = work.file === '' ? 'bars' : 'replay'
  const wanted: BacktestWork = {
    input: { ...INPUT, source },
    ...work,
    fromMs: 0,
    endMs: Number.MAX_SAFE_INTEGER,
    limits: { lineBytesMax: 65_536, chunkBytes: CHUNK_BYTES },
  }
  const startMs = performance.now()
  const made = await pool.run<Made>(WORKER, wanted)
  const ms = performance.now() - startMs
  if (made.trade_count < 50) throw new Error(`the grid traded ${made.trade_count} times`)
  return { perSecond: made.points / (ms / 1_000), ms, trades: made.trade_count }
}

/** Bare: read, split, JSON.parse. */
function parse(file: string): Figures {
  const handle = openSync(file, 'r')
  const buffer = Buffer.allocUnsafe(CHUNK_BYTES)
  const startMs = performance.now()
  let [rest, lines, sum] = ['', 0, 0]
  while (lines < PARSED_LINES) {
    const bytes = readSync(handle, buffer)
    if (bytes === 0) break
    const parts = (rest + buffer.toString('latin1', 0, bytes)).split('\n')
    rest = parts.pop() ?? ''
    for (const line of parts) sum += (JSON.parse(line) as { readonly lastPrice: number }).lastPrice
    lines += parts.length
  }
  closeSync(handle)
  if (!(sum > 0)) throw new Error('there are no prices')
  return { perSecond: lines / ((performance.now() - startMs) / 1_000) }
}

await bench(async ({ rounds }) => {
  const folder = newFolder()
  const file = join(folder, 'year.ndjson')
  const count = writeYear(file)
  const bars = minutes()
  const pool = new Pool(POOL)
  const ticks = await measure(
    rounds,
    () => run(pool, { file, bars: [] }),
    () => parse(file),
  )
  const stored = await measure(rounds, () => run(pool, { file: '', bars }))
  await pool.close()
  removeFolder(folder)
  const trades = ticks.ours[0]?.['trades'] ?? 0
  const year = { ours: ticks.ours, baseline: [] }
  const note = `${count} ticks of a made-up year, ${trades} trades, in one thread of the pool; the baseline reads and parses lines, bare`
  return [
    rowOf({ bench: 'backtest, recorded ticks', unit: 'ticks/s', figure: 'perSecond', note }, ticks),
    rowOf({ bench: 'backtest, a year of ticks', unit: 'ms', figure: 'ms' }, year),
    rowOf({ bench: 'backtest, a year of minutes', unit: 'ms', figure: 'ms' }, stored),
  ]
})
