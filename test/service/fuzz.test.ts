import { Agent, request as httpRequest } from 'node:http'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import t, { type Test } from 'tap'
import { type Logger, silentLogger } from '../../src/observability/logger.ts'
import { randomOf } from '../simulation/fixtures/random.ts'
import { get, serve, until } from './fixture.ts'
import { Hostile, type Shot } from './fixtures/hostile.ts'
import type { Node } from './fixtures/json-schema.ts'

/** `STEWARD_FUZZ_REQUESTS=100000` fuzzes for longer, `STEWARD_FUZZ_SEED` from another start. */
const REQUESTS = Number(process.env['STEWARD_FUZZ_REQUESTS'] ?? 5_000)
const SEED = Number(process.env['STEWARD_FUZZ_SEED'] ?? 20_261_121)
const AT_ONCE = 16
/** No request may take longer, whatever it waits for. */
const HANG_MS = 60_000
const HEAP_BYTES_MAX = 24 * 1_048_576

setFlagsFromString('--expose_gc')
const collect = runInNewContext('gc') as () => void
const heapBytes = (): number => {
  collect()
  return process.memoryUsage().heapUsed
}

interface Outcome {
  readonly status: number
  readonly retryAfter: string | undefined
  readonly isJson: boolean
  readonly text: string
}

const agent = new Agent({ keepAlive: true, maxSockets: AT_ONCE })
t.teardown(() => agent.destroy())

/** The answer; an event stream is left as soon as it has begun. */
function fire(
  base: string,
  { method, path, headers, body }: Shot,
  connection: Agent | false = agent,
): Promise<Outcome> {
  const { hostname, port } = new URL(base)
  // Said by ourselves: for GET and DELETE the client would send the body and not say how long it is.
  const length = body === undefined ? {} : { 'Content-Length': Buffer.byteLength(body) }
  const sent = { ...headers, ...length }
  return new Promise((resolve, reject) => {
    const request = httpRequest(
      { hostname, port, method, path, headers: sent, agent: connection, timeout: HANG_MS },
      (response) => {
        const type = response.headers['content-type'] ?? ''
        const retryAfter = response.headers['retry-after']
        const outcome = {
          status: response.statusCode ?? 0,
          retryAfter,
          isJson: type.includes('json'),
        }
        if (type.startsWith('text/event-stream')) {
          response.destroy()
          return resolve({ ...outcome, text: '' })
        }
        const chunks: Buffer[] = []
        response.on('data', (chunk: Buffer) => chunks.push(chunk))
        response.on('end', () =>
          resolve({ ...outcome, text: Buffer.concat(chunks).toString('utf8') }),
        )
        response.on('error', reject)
      },
    )
    request.on('timeout', () => request.destroy(new Error('no answer in time')))
    request.on('error', (error) => {
      // The other side had just closed an idle connection, as it may: the next one is a new one.
      if (request.reusedSocket)
        fire(base, { method, path, headers, body }, false).then(resolve, reject)
      else reject(error)
    })
    request.end(body)
  })
}

/** What a caller may never see, whatever he sends. */
function complaint(outcome: Outcome): string | undefined {
  const { status, retryAfter, isJson, text } = outcome
  if (status === 503 && retryAfter === undefined) return '503 without Retry-After'
  if (status < 200 || (status >= 500 && status !== 503 && status !== 504)) return `status ${status}`
  if (status >= 400 && !(isJson && /"code":"[A-Z_]+"/.test(text))) return 'no error body'
  return isJson && !isReadable(text) ? 'JSON that cannot be read' : undefined
}

function isReadable(text: string): boolean {
  try {
    return text === '' || JSON.parse(text) !== undefined
  } catch {
    return false
  }
}

interface Range {
  readonly base: string
  readonly hostile: Hostile
}

/** One request; the status of its answer. */
async function shootOnce(t: Test, { base, hostile }: Range): Promise<number> {
  const shot = hostile.next()
  const name = `${shot.method} ${shot.path}`
  try {
    const outcome = await fire(base, shot)
    const wrong = complaint(outcome)
    if (wrong !== undefined) t.fail(`${name}: ${wrong}`, { shot, outcome })
    return outcome.status
  } catch (error) {
    t.fail(`${name}: ${error instanceof Error ? error.message : error}`, { shot })
    return 0
  }
}

/** How often each status was answered. */
async function fuzz(t: Test, ranges: readonly Range[], shots: number) {
  const seen = new Map<number, number>()
  let left = shots
  const shooter = async (): Promise<void> => {
    while (left > 0) {
      left -= 1
      const range = ranges[left % ranges.length]
      if (range === undefined) return
      const status = await shootOnce(t, range)
      seen.set(status, (seen.get(status) ?? 0) + 1)
    }
  }
  await Promise.all(Array.from({ length: AT_ONCE }, shooter))
  return seen
}

t.test(`${REQUESTS} hostile requests to every route`, { timeout: 1_800_000 }, async (t) => {
  const bugs: unknown[] = []
  const log: Logger = {
    ...silentLogger,
    error: (fields: object) => void bugs.push(fields),
    child: () => log,
  }
  const served = await serve(t, {
    log,
    overrides: {
      gateway: { host: '127.0.0.1', port: 0, rate_limit: 0 },
      limits: {
        accounts_max: 4,
        runtime: {
          restart_backoff_min_ms: 1,
          restart_backoff_max_ms: 10,
          restart_intensity: 1_000,
        },
      },
    },
  })
  const below = randomOf(SEED)
  const random = () => below(2 ** 32) / 2 ** 32
  const ranges = await Promise.all(
    [String(served.direct[0]), served.gateway].map(async (base) => {
      const document = (await (await fetch(`${base}/openapi.json`)).json()) as Node
      return { base, hostile: new Hostile(document, random) }
    }),
  )
  const half = await fuzz(t, ranges, Math.floor(REQUESTS / 2))
  const before = heapBytes()
  const rest = await fuzz(t, ranges, REQUESTS - Math.floor(REQUESTS / 2))
  const grown = heapBytes() - before
  t.strictSame(bugs, [], 'no bug was met')
  t.ok(grown < HEAP_BYTES_MAX, `the heap grew by ${grown >> 20} MiB in the second half`)
  for (const status of [200, 400, 404]) {
    t.ok((half.get(status) ?? 0) + (rest.get(status) ?? 0) > 0, `${status} was among the answers`)
  }
  t.comment(`seed ${SEED}: ${[...rest].map(([status, count]) => `${status}: ${count}`).join(', ')}`)
  await until(
    () => get(`${served.direct[1]}/api/connection/status`),
    ({ status, body }) => status === 200 && body['connected'] === (true as never),
  )
  t.pass('an account that was not among the targets goes on')
})
