import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { type AddressInfo, createServer } from 'node:net'
import { Calls } from '../src/cluster/nats/calls.ts'
import { JournalLog } from '../src/cluster/nats/journal-log.ts'
import { Kv } from '../src/cluster/nats/kv.ts'
import { watchKeys } from '../src/cluster/nats/kv-watch.ts'
import type { Line } from '../src/cluster/nats/line.ts'
import { StreamEngine } from '../src/cluster/nats/stream-engine.ts'
import { Claim } from '../src/cluster/node/claim.ts'
import { readClocks } from '../src/cluster/node/clocks.ts'
import type { Owned } from '../src/cluster/protocol/claim-state.ts'
import { NO_MEMORY } from '../src/cluster/protocol/known-past.ts'
import { startPeers } from '../src/cluster/protocol/peers.ts'
import type { PlacementRecord } from '../src/cluster/protocol/records.ts'
import { CONTROL_BUCKET, placementKey } from '../src/cluster/protocol/subjects.ts'
import { DEFAULT_TIMING } from '../src/cluster/protocol/timing.ts'
import { bench } from './kit/bench.ts'
import { measure, percentilesUs, rowOf, timesUs } from './kit/figures.ts'
import { makeStreams, openLineTo, streamSettings, untilWritable } from './kit/nats-lines.ts'
import { startServers } from './kit/nats-servers.ts'
import { openQuotes } from './kit/sent-quotes.ts'
import { newFolder, removeFolder } from './kit/service.ts'

const APPENDS = 500
const PUTS = 200
const CALLS = 1_000
const ACCOUNTS = 100
const CALL_MS = 10_000
const START_MS = 60_000
const SERVER_SCRIPT = new URL('../scripts/nats-server.mjs', import.meta.url).href
/** A record with one order, as it is on the wire. */
const RECORD = new Uint8Array(300)

/** One account after the other record, each waited for: what an order pays before it may go out. */
async function append(log: JournalLog) {
  const acct = `a-${randomUUID().slice(0, 8)}`
  let seq = 0
  const times = await timesUs(APPENDS, async () => {
    seq = await log.append(acct, RECORD, { expectedSeq: seq, timeoutMs: CALL_MS })
  })
  return percentilesUs(times)
}

/** From the write of a key until a watch on another server shows it. */
async function putToWatch(kv: Kv, seen: (text: string) => Promise<void>) {
  const key = `cfg.bench-${randomUUID()}`
  let revision = 0
  let count = 0
  const times = await timesUs(PUTS, async () => {
    const text = `${key} ${count++}`
    const shown = seen(text)
    revision = await kv.update(key, Buffer.from(text), { revision, timeoutMs: CALL_MS })
    await shown
  })
  return percentilesUs(times)
}

async function roundTrips(calls: Calls, to: { node: string; inc: string }) {
  const callee = { ...to, acct: 'a1' }
  return percentilesUs(await timesUs(CALLS, () => calls.request(callee, RECORD, CALL_MS)))
}

/** A node takes over what a former one left: reads each end, appends an epoch, and says where the account is. */
async function claims(line: Line) {
  const log = new JournalLog(line, { callTimeoutMs: CALL_MS })
  const control = new Kv(line, CONTROL_BUCKET)
  const engine = new StreamEngine({ journals: log, control }, () => undefined)
  const self = { node: 'n1', inc: randomUUID(), since: 1 }
  const startMs = performance.now()
  await Promise.all(
    Array.from({ length: ACCOUNTS }, async () => {
      const acct = `c-${randomUUID().slice(0, 12)}`
      const { e, seq } = await claimed({ acct, engine, self })
      const { node, inc } = self
      const value: PlacementRecord = { node, inc, e, seq, state: 'active' }
      const at = { call: 1, key: placementKey(acct), value, timeoutMs: CALL_MS }
      await engine.perform({ do: 'kvUpdate', ...at, revision: 0 })
    }),
  )
  return { ms: performance.now() - startMs }
}

function claimed(of: {
  acct: string
  engine: StreamEngine
  self: { node: string; inc: string; since: number }
}): Promise<Owned> {
  const timing = DEFAULT_TIMING
  const view = {
    self: of.self,
    mayClaim: true,
    lacksRoom: false,
    eligible: [of.self.node],
    peers: startPeers(of.self.node, timing),
    placement: undefined,
    isShown: true,
    memory: NO_MEMORY,
    opensAt: 0,
    isReal: false,
  }
  return new Promise((resolve, reject) => {
    const claim = new Claim({
      acct: of.acct,
      engine: of.engine,
      timing,
      now: readClocks,
      view: () => ({ ...view, rid: randomUUID() }),
      fenceGate: () => Promise.resolve(),
      onOwner: (owned) => {
        claim.stop()
        resolve(owned)
      },
      onRegressed: (text) => reject(new Error(text)),
    })
    claim.look()
  })
}

/** Waits for texts that a watch shows. */
function watching(line: Line) {
  const waiting = new Map<string, () => void>()
  const current = Promise.withResolvers<void>()
  const limits = { silenceMs: 60_000, callTimeoutMs: CALL_MS, retryMs: 50 }
  const wanted = { bucket: CONTROL_BUCKET, prefixes: ['cfg.'], inboxPrefix: '_INBOX_bench', limits }
  const watch = watchKeys(line, wanted, {
    onEntry: (_, entry) => waiting.get(Buffer.from(entry?.bytes ?? []).toString())?.(),
    onCurrent: current.resolve,
    onStalled: () => undefined,
  })
  const seen = (text: string) => new Promise<void>((resolve) => waiting.set(text, resolve))
  return { current: current.promise, seen, watch }
}

/** All taken at once, so that they are different ones. */
async function freePorts(count: number): Promise<number[]> {
  const taken = Array.from({ length: count }, () => createServer().listen(0, '127.0.0.1'))
  await Promise.all(taken.map((server) => once(server, 'listening')))
  const ports = taken.map((server) => (server.address() as AddressInfo).port)
  await Promise.all(taken.map((server) => once(server.close(), 'close')))
  return ports
}

await bench(async ({ rounds }) => {
  const { findNatsServer, whyNoNatsServer } = await import(SERVER_SCRIPT)
  const skipped: string | undefined = whyNoNatsServer()
  if (skipped !== undefined) return { skipped }
  const folder = newFolder()
  const { servers, end } = await startServers({
    binary: findNatsServer(),
    folder,
    ports: await freePorts(6),
    patienceMs: START_MS,
  })
  const urls = servers.map(({ url }) => url)
  const here = await openLineTo(urls)
  const there = await openLineTo([...urls].reverse())
  await makeStreams(here, streamSettings(3))
  await Promise.all([here, there].map(untilWritable))
  const limits = {
    perAccountMax: 64,
    perNodeMax: 4_096,
    bytesMax: 1_000_000,
    answerBytesMax: 1_000_000,
    keptBytesMax: 1_000_000,
    keepMs: 10_000,
  }
  const self = { node: 'n1', inc: randomUUID() }
  const stop = new Calls(there, limits).serve(self, async (_, bytes) => bytes)
  const { current, seen, watch } = watching(there)
  await current
  await there.connection.flush()

  const log = new JournalLog(here, { callTimeoutMs: CALL_MS })
  const kv = new Kv(here, CONTROL_BUCKET)
  const calls = new Calls(here, limits)
  const appends = await measure(rounds, () => append(log))
  const puts = await measure(rounds, () => putToWatch(kv, seen))
  const trips = await measure(rounds, () => roundTrips(calls, self))
  const taken = await measure(rounds, () => claims(here))

  const quotes = await openQuotes(urls, [...urls].reverse())
  const swept = await measure(rounds, quotes.sweep)
  const single = await measure(rounds, quotes.single)

  await quotes.close()
  watch.stop()
  stop()
  await Promise.all([here, there].map((line) => line.close()))
  await end()
  removeFolder(folder)
  const note = 'three servers on this computer, each write flushed on every one of them'
  return [
    rowOf({ bench: 'cluster, append, p50', unit: 'µs', figure: 'p50Us', note }, appends),
    rowOf({ bench: 'cluster, append, p99', unit: 'µs', figure: 'p99Us' }, appends),
    rowOf({ bench: 'cluster, key to watch, p50', unit: 'µs', figure: 'p50Us' }, puts),
    rowOf({ bench: 'cluster, key to watch, p99', unit: 'µs', figure: 'p99Us' }, puts),
    rowOf({ bench: 'cluster, call, p50', unit: 'µs', figure: 'p50Us' }, trips),
    rowOf({ bench: 'cluster, call, p99', unit: 'µs', figure: 'p99Us' }, trips),
    rowOf({ bench: `cluster, ${ACCOUNTS} accounts taken over`, unit: 'ms', figure: 'ms' }, taken),
    rowOf({ bench: 'cluster, quotes to one node', unit: '/s', figure: 'perSecond' }, swept),
    rowOf({ bench: 'cluster, quotes to one node, lost', unit: '', figure: 'lost' }, swept),
    rowOf({ bench: 'cluster, quote to node, p50', unit: 'µs', figure: 'p50Us' }, single),
  ]
})
