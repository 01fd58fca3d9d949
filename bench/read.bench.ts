import { serveBytes } from './baseline/uws.ts'
import { bench } from './kit/bench.ts'
import { type Figures, measure, median, type Row, rowOf, type Samples } from './kit/figures.ts'
import { Load } from './kit/load.ts'
import { account, newFolder, removeFolder, serve, settings } from './kit/service.ts'

const POSITIONS = 100
const CONNECTIONS = 32
const QUOTES_EVERY_MS = 100
const ROUND_MS = 400
const PATH = '/api/positions-all'
/** Written by the library itself, or different with each answer. */
const OWN_HEADERS = new Set(['content-length', 'date', 'uwebsockets', 'connection', 'keep-alive'])

/** One real answer, so that the baseline sends the same bytes under the same headers. */
async function answerOf(port: number) {
  const response = await fetch(`http://127.0.0.1:${port}${PATH}`)
  const headers = [...response.headers].filter(([name]) => !OWN_HEADERS.has(name))
  const body = new Uint8Array(await response.arrayBuffer())
  const { data } = JSON.parse(Buffer.from(body).toString()) as { data: readonly object[] }
  if (data.length !== POSITIONS) throw new Error(`${data.length} positions were answered`)
  return { body, headers: Object.fromEntries(headers) }
}

/** Reads of so many accounts while their quotes move. */
async function readRows(accounts: number, rounds: number): Promise<readonly Row[]> {
  const folder = newFolder()
  const list = Array.from({ length: accounts }, (_, index) => account(index, POSITIONS))
  const market = { source: 'simulated', interval_ms: QUOTES_EVERY_MS }
  const { service, directPorts } = await serve(folder, settings(folder, list, { market }))
  const answer = await answerOf(directPorts[0] ?? 0)
  const bare = await serveBytes(answer.body, answer.headers)
  const load = new Load()
  const side =
    (ports: readonly number[], isRevalidating = false) =>
    async (): Promise<Figures> => {
      const before = performance.eventLoopUtilization()
      const job = {
        ports,
        connections: CONNECTIONS,
        method: 'GET',
        path: PATH,
        ms: ROUND_MS,
        isRevalidating,
      } as const
      const figures = await load.run(job)
      const busy = performance.eventLoopUtilization(before)
      return { ...figures, frontUs: (busy.active / (figures['requests'] ?? 1)) * 1_000 }
    }
  const samples = await measure(rounds, side(directPorts), side([bare.port]))
  const hello = await serveBytes(Buffer.from('Hello'), {})
  const unchanged = await measure(rounds, side(directPorts, true), side([hello.port]))
  await load.close()
  bare.close()
  hello.close()
  await service.stop()
  removeFolder(folder)
  const name = `read, ${accounts === 1 ? '1 account' : `${accounts} accounts`}`
  const note = `${POSITIONS} positions, ${answer.body.length} bytes, quotes every ${QUOTES_EVERY_MS} ms, ${CONNECTIONS} connections; the market thread of the service runs in both`
  return [
    rowOf({ bench: name, unit: 'answers/s', figure: 'perSecond', note }, samples),
    rowOf({ bench: `${name}, p50`, unit: 'µs', figure: 'p50Us' }, samples),
    rowOf({ bench: `${name}, p99`, unit: 'µs', figure: 'p99Us' }, samples),
    rowOf({ bench: `${name}, main thread`, unit: 'µs/answer', figure: 'frontUs' }, samples),
    ...unchangedRows(name.replace('read', 'read-304'), unchanged),
  ]
}

/** Of clients that send back the tag of their last answer. */
function unchangedRows(name: string, samples: Samples): readonly Row[] {
  const shares = samples.ours.map(({ unchanged = 0, requests = 1 }) => unchanged / requests)
  if (!shares.every((share) => share > 0)) throw new Error('nothing was answered with 304')
  const note = `${Math.round(median(shares) * 100)} % of the answers were 304; the baseline says hello`
  return [
    rowOf({ bench: name, unit: 'answers/s', figure: 'perSecond', note }, samples),
    rowOf({ bench: `${name}, p50`, unit: 'µs', figure: 'p50Us' }, samples),
    rowOf({ bench: `${name}, main thread`, unit: 'µs/answer', figure: 'frontUs' }, samples),
  ]
}

await bench(async ({ rounds }) => [...(await readRows(1, rounds)), ...(await readRows(8, rounds))])
