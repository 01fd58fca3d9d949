import { MessageChannel } from 'node:worker_threads'
import type { ReaderThreadData } from '../actors/reader/reader.thread.ts'
import type { StoreThreadData } from '../actors/store/store.thread.ts'
import { TABLE } from '../src/protocol/store.ts'
import { Link, portWire } from '../src/runtime/link.ts'
import { startThread } from '../src/runtime/thread.ts'
import { StoreClient } from '../src/storage/store-client.ts'
import { bench } from './kit/bench.ts'
import { type Figures, measure, quantile, rowOf, timesUs } from './kit/figures.ts'
import { newFolder, removeFolder } from './kit/service.ts'

/** As an account with a few weeks behind it. */
const ENTRIES = 20_000
const GROUP = 1_000
const ENTRY_BYTES = 300
const SCANS_AT_ONCE = 4
/** As `limits.account.audit_page`. */
const PAGE = 500
const COMMITS = 300
const limits = { openAsksMax: 10_000 }
const CLIENT_LIMITS = { readTimeoutMs: 60_000, openTimeoutMs: 60_000, commitTimeoutMs: 60_000 }
const OWNER = { pid: process.pid, socket: 'nowhere' }
const body = new Uint8Array(ENTRY_BYTES)

/** The two threads, and clients of an account that read through the one or the other. */
async function start(dataDir: string) {
  const [control, readerControl] = [new MessageChannel(), new MessageChannel()]
  const data: StoreThreadData = {
    dataDir,
    limits: {
      ...limits,
      accountsMax: 1,
      groupCommitsMax: 1_024,
      logBytes: 4_194_304,
      logSegmentsMax: 2,
      checkpointMs: 1_000,
      checkpointRestMs: 0,
      writeMarginBytes: 0,
      writeRetryMs: 10,
    },
  }
  const store = startThread({
    entry: 'actors/store/store.thread.ts',
    name: 'store',
    data,
    ports: { control: control.port2 },
  })
  const readerData: ReaderThreadData = {
    dataDir,
    limits: {
      ...limits,
      segmentsCached: 4,
      archive: { segmentEntries: 2_000, segmentBytes: 8_388_608, page: 500 },
    },
  }
  const reader = startThread({
    entry: 'actors/reader/reader.thread.ts',
    name: 'reader',
    data: readerData,
    ports: { control: readerControl.port2 },
  })
  await Promise.all([store.ready, reader.ready])
  const main = new Link(portWire(control.port1), { peer: 'store', limits })
  const line = (thread: typeof store, accountId: string) => {
    const { port1, port2 } = new MessageChannel()
    thread.introduce(`account/${accountId}`, port2, { accountId })
    return new Link(portWire(port1), { peer: thread.name, limits })
  }
  return {
    async own(accountId: string) {
      await main.ask({ kind: 'claim', accountId, expected: 0, owner: OWNER }, { timeoutMs: 10_000 })
      const books = line(store, accountId)
      const past = new StoreClient(books, CLIENT_LIMITS)
      const now = new StoreClient(books, CLIENT_LIMITS, line(reader, accountId))
      await past.open([])
      await now.open([])
      return { past, now }
    },
    async stop() {
      for (const thread of [reader, store]) {
        thread.stop()
        await thread.exited
      }
    },
  }
}

const entryOf = (seq: number) => ({ seq, timeMs: seq, kind: 'tested', body })

await bench(async ({ rounds }) => {
  const folder = newFolder()
  const threads = await start(folder)
  const trading = await threads.own('10000001')
  const scanned = await threads.own('10000002')
  for (let from = 1; from <= ENTRIES; from += GROUP) {
    const entries = Array.from({ length: GROUP }, (_, at) => entryOf(from + at))
    await scanned.now.commit({ entries, changes: [] })
  }
  let seq = 0
  const commits = async (): Promise<Figures> => {
    const times = await timesUs(COMMITS, () =>
      trading.now.commit({ entries: [entryOf(++seq)], changes: [] }),
    )
    return { p50Us: quantile(times, 0.5), p99Us: quantile(times, 0.99) }
  }
  /** Commits of one account while others look through the whole journal of another, again and again. */
  const beside = async (client: StoreClient): Promise<Figures> => {
    const state = { isOver: false, rows: 0 }
    const scan = async (): Promise<void> => {
      for (let from = ENTRIES; !state.isOver; from = from <= PAGE ? ENTRIES : from - PAGE) {
        const query = { table: TABLE.journal, from, reverse: true, limit: PAGE } as const
        state.rows += (await client.range(query)).length
      }
    }
    const scans = Array.from({ length: SCANS_AT_ONCE }, scan)
    const startMs = performance.now()
    const figures = await commits()
    const rowsPerSecond = (state.rows * 1_000) / (performance.now() - startMs)
    state.isOver = true
    await Promise.all(scans)
    return { ...figures, rowsPerSecond }
  }
  const before = await measure(
    rounds,
    () => beside(scanned.now),
    () => beside(scanned.past),
  )
  const calm = await measure(rounds, () => beside(scanned.now), commits)
  await threads.stop()
  removeFolder(folder)
  const note = `${SCANS_AT_ONCE} readers of another account's journal without any budget; the baseline reads through the store thread`
  const calmNote = 'the same; the baseline while nobody reads'
  const name = 'commit beside scans'
  return [
    rowOf({ bench: `${name}, p50`, unit: 'µs', figure: 'p50Us', note }, before),
    rowOf({ bench: `${name}, p99`, unit: 'µs', figure: 'p99Us' }, before),
    rowOf({ bench: `${name}, rows read`, unit: 'rows/s', figure: 'rowsPerSecond' }, before),
    rowOf({ bench: `${name} or none, p50`, unit: 'µs', figure: 'p50Us', note: calmNote }, calm),
    rowOf({ bench: `${name} or none, p99`, unit: 'µs', figure: 'p99Us' }, calm),
  ]
})
