import { closeSync, openSync, readSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import type { AccountLink } from '../http/port/service.ts'
import { createMarketMemory } from '../src/market/memory.ts'
import { QuoteWriter } from '../src/market/quote-board.ts'
import type { Tick } from '../src/protocol/market.ts'
import { bench } from './kit/bench.ts'
import { type Figures, measure, rowOf, timesUs } from './kit/figures.ts'
import { playUntil } from './kit/playing.ts'
import {
  accountOf,
  codeAt,
  costAt,
  newFolder,
  range,
  removeFolder,
  serve,
  settings,
} from './kit/service.ts'

const CODES = 50
const TICKS = 200_000
/** One tick in so many is a new high of a holding. */
const CROSSED_EVERY = 100
/** Of them are played before the clock starts: the threads of each round are new, and their code cold. */
const WARM_UP_TICKS = 50_000
/** Questions to the account's thread and back, one after the other: what a crossed tick is compared with. */
const ASKS = 1_000
const TICK_MS = 30
const OPEN = Date.parse('2026-03-02T09:30:00+08:00')
const CHUNK_BYTES = 262_144
const OPTIONS = { timeoutMs: 5_000, correlationId: 'bench' }

const cents = (yuan: number): number => Math.round(yuan * 100) / 100

/** `high` is that of the day so far, as feeds tell it. */
function lineAt(
  at: number,
  { price, close, high }: Record<'price' | 'close' | 'high', number>,
): string {
  const code = `${codeAt(at % CODES)}.SH`
  const levels = [0, 1, 2, 3, 4]
  const tick: Tick = {
    time: OPEN + at * TICK_MS,
    stock_code: code,
    lastPrice: price,
    open: close,
    high,
    low: price,
    lastClose: close,
    volume: at * 100,
    amount: at * 3_000,
    bidPrice: levels.map((level) => cents(price - 0.01 * (level + 1))),
    askPrice: levels.map((level) => cents(price + 0.01 * (level + 1))),
    bidVol: levels.map((level) => 100 * (level + 1)),
    askVol: levels.map((level) => 100 * (level + 1)),
  }
  return `${JSON.stringify(tick)}\n`
}

/** A file whose prices stay at or below cost, but for one tick in `crossedEvery`: a new high by one cent. */
function writeTicks(file: string, crossedEvery: number): void {
  const handle = openSync(file, 'w')
  const highs = Array.from({ length: CODES }, (_, index) => costAt(index))
  let lines = ''
  for (let at = 0; at < TICKS; at++) {
    const index = at % CODES
    const close = costAt(index)
    // The code moves on by one with every crossing, so that all codes take their turn.
    const isCrossed = at % crossedEvery === Math.floor(at / crossedEvery) % CODES
    if (isCrossed) highs[index] = cents((highs[index] ?? close) + 0.01)
    const price = isCrossed ? (highs[index] ?? close) : cents(close - 0.01 * (1 + (at % 7)))
    lines += lineAt(at, { price, close, high: highs[index] ?? price })
    if (lines.length > CHUNK_BYTES) {
      writeSync(handle, lines)
      lines = ''
    }
  }
  writeSync(handle, lines)
  closeSync(handle)
}

/**
 * The service plays the whole file; each round on fresh data, because a high is new only once. What was bought today is
 * looked at with each new high, what was held before after a while of market time.
 */
async function play(file: string, isOfToday = false): Promise<Figures> {
  const folder = newFolder()
  const market = { source: 'replay', file, speed: 'max', autostart: false }
  const config = settings(folder, [accountOf(0, { codes: range(0, CODES), isOfToday })], { market })
  const { service, link } = await serve(folder, config)
  const one = link(0)
  const counted = await one.market({ kind: 'replayStatus' }, OPTIONS)
  if (counted.ticks_total !== TICKS) throw new Error(`the file has ${counted.ticks_total} ticks`)
  await playUntil(one, OPEN + (WARM_UP_TICKS - 1) * TICK_MS)
  const before = await journalOf(one)
  const startMs = performance.now()
  await playUntil(one)
  const seconds = (performance.now() - startMs) / 1_000
  const crossed = (await journalOf(one)) - before
  const asks = await timesUs(ASKS, () => one.ask({ kind: 'read', resource: 'connection' }, OPTIONS))
  await service.stop()
  removeFolder(folder)
  const askUs = asks.reduce((sum, us) => sum + us, 0) / asks.length
  return { perSecond: (TICKS - WARM_UP_TICKS) / seconds, seconds, crossed, us: askUs }
}

async function journalOf(link: AccountLink): Promise<number> {
  const { bytes } = await link.ask({ kind: 'read', resource: 'debug' }, OPTIONS)
  const text = `${Buffer.from(bytes).toString()}}`
  return (JSON.parse(text) as { actor: { journal_seq: number } }).actor.journal_seq
}

/** Bare: read, split, JSON.parse, board write. */
function parseAll(file: string): Figures {
  const writer = new QuoteWriter(createMarketMemory({ codesMax: CODES, actorSlots: 1 }))
  const handle = openSync(file, 'r')
  const buffer = Buffer.allocUnsafe(CHUNK_BYTES)
  const startMs = performance.now()
  let rest = ''
  let ticks = 0
  for (;;) {
    const bytes = readSync(handle, buffer)
    if (bytes === 0) break
    const lines = (rest + buffer.toString('latin1', 0, bytes)).split('\n')
    rest = lines.pop() ?? ''
    for (const line of lines) writer.write(ticks++ % CODES, JSON.parse(line) as Tick)
  }
  closeSync(handle)
  return { perSecond: ticks / ((performance.now() - startMs) / 1_000) }
}

await bench(async ({ rounds }) => {
  const folder = newFolder()
  const files = { crossed: join(folder, 'crossed.ndjson'), calm: join(folder, 'calm.ndjson') }
  writeTicks(files.crossed, CROSSED_EVERY)
  writeTicks(files.calm, TICKS * CODES)
  const calm = await measure(
    rounds,
    () => play(files.calm),
    () => parseAll(files.calm),
  )
  const crossed = await measure(
    rounds,
    () => play(files.crossed),
    () => parseAll(files.crossed),
  )
  const looked = await measure(
    rounds,
    () => play(files.crossed, true),
    () => parseAll(files.crossed),
  )
  removeFolder(folder)
  const [highs, looks] = [crossed, looked].map(({ ours }) => ours[0]?.['crossed'] ?? 0)
  const calmSeconds = calm.ours.map((round) => round['seconds'] ?? 0)
  const extra = looked.ours.map(({ seconds = 0, crossed: count = 0 }, round) => ({
    us: ((seconds - (calmSeconds[round] ?? 0)) / Math.max(1, count)) * 1e6,
  }))
  const ticks = `${TICKS} ticks of ${CODES} codes, one in ${CROSSED_EVERY} a new high`
  const note = `${ticks} that decides nothing and is looked at once a minute of market time, ${highs} journal entries; the baseline reads, parses and writes the board, bare`
  return [
    rowOf(
      { bench: 'replay, max, 99 % uncrossed', unit: 'ticks/s', figure: 'perSecond', note },
      crossed,
    ),
    rowOf(
      {
        bench: 'replay, max, 1 % looked at',
        unit: 'ticks/s',
        figure: 'perSecond',
        note: `${ticks} of a holding of today, looked at at once, ${looks} journal entries`,
      },
      looked,
    ),
    rowOf({ bench: 'replay, max, none crossed', unit: 'ticks/s', figure: 'perSecond' }, calm),
    rowOf(
      {
        bench: 'replay, a crossed tick',
        unit: 'µs',
        figure: 'us',
        note: 'more than an uncrossed one; the baseline is one question to the account and back',
      },
      { ours: extra, baseline: looked.ours },
    ),
  ]
})
