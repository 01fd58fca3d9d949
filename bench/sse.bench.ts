import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { serveStream } from './baseline/uws.ts'
import { bench } from './kit/bench.ts'
import { type Figures, measure, rowOf } from './kit/figures.ts'
import { account, newFolder, removeFolder, serve, settings } from './kit/service.ts'
import type { Heard } from './kit/sse.process.ts'

const CLIENTS = 1_000
const EVERY_MS = 100
const ROUND_MS = 2_000
const POSITIONS = 10
const PATH = '/api/sse'

async function answerOf<T>(child: ChildProcess): Promise<T> {
  const [message] = (await once(child, 'message')) as [T]
  return message
}

/** A crowd comes, listens for a while and goes. */
async function listen(child: ChildProcess, port: number): Promise<Figures> {
  const emptyBytes = process.memoryUsage.rss()
  child.send({ port, path: PATH, clients: CLIENTS, ms: ROUND_MS })
  await answerOf(child)
  const grownBytes = process.memoryUsage.rss() - emptyBytes
  const before = performance.eventLoopUtilization()
  child.send('listen')
  const { events, bytes, p99Ms } = await answerOf<Heard>(child)
  const busy = performance.eventLoopUtilization(before)
  return {
    eventUs: (busy.active / events) * 1_000,
    p99Ms,
    eventBytes: bytes / events,
    clientKb: Math.max(0, grownBytes) / CLIENTS / 1_024,
    share: events / (CLIENTS * (ROUND_MS / EVERY_MS)),
  }
}

await bench(async ({ rounds }) => {
  const folder = newFolder()
  const config = settings(folder, [account(0, POSITIONS)], {
    market: { source: 'simulated', interval_ms: EVERY_MS },
  })
  const limits = {
    ...(config as { limits: object }).limits,
    http: {
      sse_interval_ms: EVERY_MS,
      sse_clients_max: 2 * CLIENTS,
      sse_clients_per_token_max: 2 * CLIENTS,
      open_requests_max: 4 * CLIENTS,
    },
  }
  const { service, directPorts } = await serve(folder, { ...config, limits })
  const child = fork(new URL('./kit/sse.process.ts', import.meta.url), {
    execArgv: ['--disable-warning=ExperimentalWarning'],
  })
  const port = directPorts[0] ?? 0
  const first = await listen(child, port)
  const { eventBytes = 0 } = first
  const bare = await serveStream(Math.round(eventBytes), EVERY_MS)
  const samples = await measure(
    Math.min(rounds, 3),
    () => listen(child, port),
    () => listen(child, bare.port),
  )
  child.disconnect()
  bare.close()
  await service.stop()
  removeFolder(folder)
  const crowd = { ours: [first], baseline: [] }
  const name = `sse, ${CLIENTS} clients`
  const note = `${Math.round(eventBytes)} bytes every ${EVERY_MS} ms to each; the baseline writes as many bytes as often, corked; p99 is how much later than the first client the others hear of an event, in a process that does nothing else`
  return [
    rowOf({ bench: `${name}, an event`, unit: 'µs', figure: 'eventUs', note }, samples),
    rowOf({ bench: `${name}, delivery p99`, unit: 'ms', figure: 'p99Ms' }, samples),
    rowOf({ bench: `${name}, delivered`, unit: 'of those due', figure: 'share' }, samples),
    rowOf({ bench: `${name}, memory`, unit: 'kB/client', figure: 'clientKb' }, crowd),
  ]
})
