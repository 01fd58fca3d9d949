import { serveStream } from './baseline/uws.ts'
import { bench } from './kit/bench.ts'
import { EVENTS_EVERY_MS, listen, openCrowd, streaming } from './kit/crowd.ts'
import { measure, rowOf } from './kit/figures.ts'
import { account, newFolder, removeFolder, serve, settings } from './kit/service.ts'

const CLIENTS = 1_000
const POSITIONS = 10

await bench(async ({ rounds }) => {
  const folder = newFolder()
  const config = settings(folder, [account(0, POSITIONS)], {
    market: { source: 'simulated', interval_ms: EVENTS_EVERY_MS },
    limits: streaming(),
  })
  const { service, directPorts } = await serve(folder, config)
  const crowd = openCrowd()
  const port = directPorts[0] ?? 0
  const first = await listen(crowd, { port, clients: CLIENTS })
  const { eventBytes = 0 } = first
  const bare = await serveStream(Math.round(eventBytes), EVENTS_EVERY_MS)
  const samples = await measure(
    rounds,
    () => listen(crowd, { port, clients: CLIENTS }),
    () => listen(crowd, { port: bare.port, clients: CLIENTS }),
  )
  crowd.disconnect()
  bare.close()
  await service.stop()
  removeFolder(folder)
  const once = { ours: [first], baseline: [] }
  const name = `sse, ${CLIENTS} clients`
  const note = `${Math.round(eventBytes)} bytes every ${EVENTS_EVERY_MS} ms to each; the baseline writes as many bytes as often, corked; p99 is how much later than the first client the others hear of an event, in a process that does nothing else`
  return [
    rowOf({ bench: `${name}, an event`, unit: 'µs', figure: 'eventUs', note }, samples),
    rowOf({ bench: `${name}, delivery p99`, unit: 'ms', figure: 'p99Ms' }, samples),
    rowOf({ bench: `${name}, delivered`, unit: 'of those due', figure: 'share' }, samples),
    rowOf({ bench: `${name}, memory`, unit: 'kB/client', figure: 'clientKb' }, once),
  ]
})
