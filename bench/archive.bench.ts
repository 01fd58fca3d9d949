import { cpSync, readdirSync, rmSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as turn } from 'node:timers/promises'
import { encode } from '../src/protocol/codec.ts'
import { TABLE } from '../src/protocol/store.ts'
import { databaseFolder, openAccountDatabase } from '../src/storage/account-database.ts'
import { openAccountReader } from '../src/storage/account-reader.ts'
import { Archivist } from '../src/storage/archive/archivist.ts'
import { SegmentFiles } from '../src/storage/archive/segment-files.ts'
import { bench } from './kit/bench.ts'
import { type Figures, measure, quantile, rowOf } from './kit/figures.ts'
import { newFolder, removeFolder } from './kit/service.ts'

/** Some weeks of an account with 100 positions that trades a lot, or a year of a quiet one. */
const ENTRIES = 1_000_000
const KEPT = 10_000
const GROUP = 5_000
const PAGE = 500
/** As in `limits.store`. */
const LIMITS = { segmentEntries: 2_000, segmentBytes: 8_388_608, page: PAGE }
const TRIM_BATCH = 500
const ID = '10000001'
const PAGES = 40
const MIB = 1_048_576
const OWNER = { pid: process.pid, socket: '' }

/** A new high of one of 100 stocks, as an account writes it. */
function entryOf(seq: number) {
  const price = 300_000 + ((seq * 7_919) % 90_000)
  const code = `${600_001 + ((seq * 31) % 100)}.SH`
  const fields = {
    highestPrice: price,
    stopLossPrice: Math.floor(price * 0.93),
    profitTriggered: true,
  }
  const body = new Uint8Array(encode({ code, fields, source: 'strategy' }))
  return { seq, timeMs: 1_770_000_000_000 + seq * 700, kind: 'holdingChanged', body }
}

function fill(dataDir: string): void {
  const database = openAccountDatabase(dataDir, ID)
  const { epoch } = database.claim(0, OWNER)
  for (let from = 1; from <= ENTRIES; from += GROUP) {
    const entries = Array.from({ length: GROUP }, (_, at) => entryOf(from + at))
    database.commit([{ epoch, commit: { entries, changes: [] } }])
  }
  void database.close()
}

/** What moving a segment costs: processor time beside the store, and time in its thread for each transaction. */
async function archive(dataDir: string): Promise<Figures> {
  const database = openAccountDatabase(dataDir, ID)
  database.claim(database.inspect().epoch, OWNER)
  const source = openAccountReader(dataDir, ID)
  const files = new SegmentFiles(dataDir, ID)
  const archivist = new Archivist({ source, files, limits: LIMITS, isOver: () => false })
  const rules = { keepDays: 3_650, keepEntries: KEPT }
  const trims: number[] = []
  let segments = 0
  let cpuUs = 0
  for (;;) {
    const before = process.cpuUsage()
    const upTo = await archivist.next(rules, Date.now())
    const { user, system } = process.cpuUsage(before)
    if (upTo === null) break
    segments += 1
    cpuUs += user + system
    for (let left = 1; left > 0; ) {
      const before = performance.eventLoopUtilization()
      left = await database.trim(upTo, TRIM_BATCH)
      trims.push(performance.eventLoopUtilization(before).active * 1_000)
    }
  }
  await source.close()
  await database.close()
  trims.sort((a, b) => a - b)
  return {
    segmentCpuUs: cpuUs / segments,
    trimP50Us: quantile(trims, 0.5),
    trimP99Us: quantile(trims, 0.99),
  }
}

const sizeOf = (folder: string): number =>
  readdirSync(folder).reduce((sum, name) => sum + statSync(join(folder, name)).size, 0) / MIB

/** Opening it, and pages of its oldest part: each from another segment, then all from the same one. */
async function read(dataDir: string): Promise<Figures> {
  const startMs = performance.now()
  const database = openAccountDatabase(dataDir, ID)
  database.claim(database.inspect().epoch, OWNER)
  database.open([TABLE.meta])
  const openUs = (performance.now() - startMs) * 1_000
  const reader = openAccountReader(dataDir, ID)
  const page = (from: number) => {
    const beginMs = performance.now()
    const rows = reader.range({ table: TABLE.journal, from, limit: PAGE })
    if (rows.length !== PAGE) throw new Error(`${rows.length} rows from ${from}`)
    return (performance.now() - beginMs) * 1_000
  }
  const far = Array.from({ length: PAGES }, (_, at) => page(1 + at * LIMITS.segmentEntries))
  const near = Array.from({ length: PAGES }, (_, at) => page(1 + (at % 3) * PAGE))
  await reader.close()
  await database.close()
  await turn(1)
  const p50 = (times: number[]) =>
    quantile(
      times.sort((a, b) => a - b),
      0.5,
    )
  return { openUs, farUs: p50(far), nearUs: p50(near) }
}

await bench(async ({ rounds }) => {
  const folder = newFolder()
  const [bare, ours] = [join(folder, 'bare'), join(folder, 'ours')]
  fill(bare)
  cpSync(bare, ours, { recursive: true })
  const moved = await archive(ours)
  const samples = await measure(
    rounds,
    () => read(ours),
    () => read(bare),
  )
  const once = { ours: [moved], baseline: [] }
  const bytes = {
    ours: [{ mib: sizeOf(new SegmentFiles(ours, ID).folder) }],
    baseline: [{ mib: sizeOf(databaseFolder(bare, ID)) }],
  }
  rmSync(ours, { recursive: true, force: true })
  removeFolder(folder)
  const name = 'journal of a million in segments'
  const note = 'the baseline has all of them in the database'
  return [
    rowOf({ bench: `${name}, bytes`, unit: 'MB', figure: 'mib', note }, bytes),
    rowOf({ bench: `${name}, open`, unit: 'µs', figure: 'openUs', note }, samples),
    rowOf({ bench: `${name}, page of another segment`, unit: 'µs', figure: 'farUs' }, samples),
    rowOf({ bench: `${name}, page of the same one`, unit: 'µs', figure: 'nearUs' }, samples),
    rowOf(
      { bench: 'to write a segment of 2,000, processor time', unit: 'µs', figure: 'segmentCpuUs' },
      once,
    ),
    rowOf({ bench: 'to remove 500 entries, p50', unit: 'µs', figure: 'trimP50Us' }, once),
    rowOf({ bench: 'to remove 500 entries, p99', unit: 'µs', figure: 'trimP99Us' }, once),
  ]
})
