import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { MessageChannel } from 'node:worker_threads'
import { BarDesk } from '../actors/market/bar-desk.ts'
import { Feed } from '../actors/market/feed.ts'
import { Parties } from '../actors/market/parties.ts'
import { limitsSchema } from '../src/config/limits.ts'
import { exchangeDay } from '../src/domain/exchange-time.ts'
import { AlarmFeed } from '../src/market/alarms.ts'
import { ActorBands, BandFeed } from '../src/market/bands.ts'
import { ClockWriter, REAL_TIME } from '../src/market/clock.ts'
import { CodeTable } from '../src/market/codes.ts'
import { createMarketMemory } from '../src/market/memory.ts'
import { QuoteWriter } from '../src/market/quote-board.ts'
import { silentLogger } from '../src/observability/logger.ts'
import { NO_BARS } from '../src/ports/bars.port.ts'
import type { Tick } from '../src/protocol/market.ts'
import { ActorBoard, createActorBoard } from '../src/runtime/actor-board.ts'
import { marketLimits } from '../src/service/settings/limits.ts'
import { bench } from './kit/bench.ts'
import { type Figures, measure, type Row, rowOf } from './kit/figures.ts'
import { codeAt } from './kit/service.ts'

const ACCOUNTS = 100
const CODES_EACH = 50
const CODES_MAX = 8_192
const TICKS = 200_000
const HEAP_TICKS = 1_000_000
const ALLOCATION_TICKS = 10_000
const BAR_LIMITS = {
  barsFlushMs: 5_000,
  barsPendingMax: 65_536,
  barsReadMax: 20_000,
  minuteBarsKeepDays: 1,
  pastYears: 0,
  pastMinuteDays: 0,
}
const BAND = { low: 100_000, high: 300_000 }

/** Ten different inside prices a code, as a market gives them. */
const tickOf = (code: string, step: number, time: number): Tick => {
  const price = 20 + step / 100
  const levels = [0, 1, 2, 3, 4]
  return {
    time,
    stock_code: code,
    lastPrice: price,
    open: price,
    high: price,
    low: price,
    lastClose: price,
    volume: 100 * step,
    amount: 2_000 * step,
    bidPrice: levels.map((level) => price - 0.01 * level),
    askPrice: levels.map((level) => price + 0.01 * (level + 1)),
    bidVol: levels.map((level) => 100 * level),
    askVol: levels.map((level) => 100 * level),
  }
}

/** The market's own feed, whose 100 accounts hold 50 codes each: the same ones, or each its own. */
function rig(isShared: boolean, isExact: boolean) {
  const memory = createMarketMemory({ codesMax: CODES_MAX, actorSlots: ACCOUNTS + 1 })
  const board = new ActorBoard(createActorBoard(ACCOUNTS + 1))
  const codes = new CodeTable(CODES_MAX)
  const bands = new BandFeed(memory)
  const clock = new ClockWriter(
    memory,
    { ...marketLimits(limitsSchema.parse({})), dayOf: exchangeDay, isQuoted: () => true },
    REAL_TIME,
  )
  const quotes = new QuoteWriter(memory)
  const parties = new Parties({
    board,
    bands,
    limits: { openAsksMax: 1 },
    wakes: () => {},
    answer: () => null,
  })
  const ports: MessageChannel[] = []
  for (let actor = 1; actor <= ACCOUNTS; actor++) {
    const own = new ActorBands(memory, actor)
    const first = isShared ? 0 : (actor - 1) * CODES_EACH
    for (let at = first; at < first + CODES_EACH; at++) {
      const slot = codes.assign(`${codeAt(at)}.SH`) ?? 0
      bands.watch(slot, actor)
      own.set(slot, BAND.low, BAND.high)
    }
    const channel = new MessageChannel()
    ports.push(channel)
    parties.introduce(`events:${actor}`, channel.port1, { slot: actor })
  }
  const bars = new BarDesk({
    source: { kind: 'replay' },
    store: NO_BARS,
    codes,
    codesMax: memory.codesMax,
    limits: BAR_LIMITS,
    nowMs: () => time,
    log: silentLogger,
  })
  const feed = new Feed({
    board,
    codes,
    bands,
    alarms: new AlarmFeed(memory),
    clock,
    parties,
    quotes,
    log: silentLogger,
    isExact: () => isExact,
    dayDue: () => undefined,
    bars,
    overtakenMs: 60_000,
    dayWaitMsMax: 100,
    exactWaitMsMax: 100,
    exactBlockMs: 0,
    meanwhile: () => false,
    exactHighLookMs: 0,
    wakeTicksMax: 500,
  })
  const time = Date.now()
  if (isExact) clock.follow(time)
  feed.resumeDay(time)
  const ticks = Array.from({ length: 10 }, (_, step) =>
    codes.codes.map((code) => tickOf(code, step, time)),
  ).flat()
  const slots = ticks.map(({ stock_code }) => codes.slotOf(stock_code) ?? 0)
  const close = () => {
    for (const { port2 } of ports) port2.close()
  }
  return { feed, quotes, ticks, slots, close }
}

type Rig = ReturnType<typeof rig>

/** Nanoseconds of one tick through the feed. A tick that must be waited for is a mistake of the rig. */
function feedNs({ feed, ticks }: Rig, count: number): number {
  const start = process.hrtime.bigint()
  for (let sent = 0; sent < count; sent++) {
    if (feed.tick(ticks[sent % ticks.length] as Tick) !== undefined) throw new Error('crossed')
  }
  return Number(process.hrtime.bigint() - start) / count
}

function writeNs({ quotes, ticks, slots }: Rig, count: number): number {
  const start = process.hrtime.bigint()
  for (let sent = 0; sent < count; sent++) {
    const at = sent % ticks.length
    quotes.write(slots[at] as number, ticks[at] as Tick)
  }
  return Number(process.hrtime.bigint() - start) / count
}

const collect = (): (() => void) => {
  setFlagsFromString('--expose-gc')
  return runInNewContext('gc') as () => void
}
const gc = collect()

/** Whole kilobytes that stay on the heap; what is less is noise of the collector. */
function heapGrowth(work: () => void): number {
  gc()
  const before = process.memoryUsage().heapUsed
  work()
  gc()
  return Math.max(0, Math.round((process.memoryUsage().heapUsed - before) / 1_024))
}

async function rows(isShared: boolean, isExact: boolean, rounds: number): Promise<readonly Row[]> {
  const parts = rig(isShared, isExact)
  const bare = (): Figures => ({ ns: writeNs(parts, TICKS), perAccountNs: 0 })
  const ours = (): Figures => {
    const ns = feedNs(parts, TICKS)
    return { ns, perAccountNs: isShared ? ns / ACCOUNTS : ns }
  }
  const samples = await measure(rounds, ours, bare)
  const name = `tick, ${isShared ? '100 accounts a code' : '1 account a code'}${isExact ? ', exact' : ''}`
  const speed = rowOf({ bench: name, unit: 'ns/tick', figure: 'ns' }, samples)
  const perAccount = rowOf(
    { bench: `${name}, each`, unit: 'ns/(tick, account)', figure: 'perAccountNs' },
    { ours: samples.ours, baseline: [] },
  )
  parts.close()
  return isShared ? [speed, perAccount] : [speed]
}

/** Bytes that one tick takes from the heap, whether they stay or not; too few ticks for a collection. */
function allocated(work: () => void): number {
  gc()
  const before = process.memoryUsage().heapUsed
  work()
  return (process.memoryUsage().heapUsed - before) / ALLOCATION_TICKS
}

async function heapRows(rounds: number): Promise<readonly Row[]> {
  const parts = rig(false, false)
  const figures = (work: (count: number) => void) => (): Figures => ({
    kept: heapGrowth(() => work(HEAP_TICKS)),
    eachBytes: allocated(() => work(ALLOCATION_TICKS)),
  })
  const samples = await measure(
    rounds,
    figures((count) => feedNs(parts, count)),
    figures((count) => writeNs(parts, count)),
  )
  parts.close()
  return [
    rowOf({ bench: 'tick, heap growth', unit: 'kB/10⁶ ticks', figure: 'kept' }, samples),
    rowOf({ bench: 'tick, allocation', unit: 'bytes/tick', figure: 'eachBytes' }, samples),
  ]
}

await bench(async ({ rounds }) => [
  ...(await rows(false, false, rounds)),
  ...(await rows(true, false, rounds)),
  ...(await rows(false, true, rounds)),
  ...(await heapRows(rounds)),
])
