import { spawn } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import { heard, inTime } from '../in-time.ts'
import { configFile, get, post, until } from './fixture.ts'
import { environment, LAUNCHER } from './fixtures/child.ts'

/** Several times what a pipe holds, and more than waits for it. */
const LINES = 1_000
const AT_ONCE = 50
const BUY = { stock_code: '601398', order_type: 23, order_volume: 100, price_type: 5, price: 0 }
const ROOM = 65_536

/** A service whose standard output and error are pipes that nobody ever reads; its file says where it is. */
async function startUnread(t: Test) {
  const folder = t.testdir()
  const config = configFile(folder, {
    gateway: { host: '127.0.0.1', port: 0, rate_limit: 0 },
    limits: { log: { pending_bytes_max: ROOM } },
  })
  const child = spawn(process.execPath, [LAUNCHER, 'up', '--config', config], {
    cwd: folder,
    env: environment(),
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  t.teardown(() => child.kill('SIGKILL'))
  const log = join(folder, 'data', 'logs', 'up.log')
  const lines = () => linesOf(log)
  const ready = await until(
    async () => lines().find(({ msg }) => msg === 'ready'),
    (line) => line !== undefined,
  )
  const [gateway = '', direct = ''] = ready?.urls ?? []
  return { child, gateway, direct, lines }
}

interface Line {
  readonly msg: string
  readonly urls?: readonly string[]
}

function linesOf(path: string): readonly Line[] {
  try {
    const whole = readFileSync(path, 'utf8').split('\n').slice(0, -1)
    return whole.map((line) => JSON.parse(line) as Line)
  } catch {
    return [] // not there yet
  }
}

const dropped = async (gateway: string): Promise<number> => {
  const text = await (await fetch(`${gateway}/metrics`)).text()
  return Number(/^steward_log_lines_dropped_total\{to="stdout"\} (\d+)$/m.exec(text)?.[1] ?? 0)
}

t.test(
  'nobody reads what the service prints: orders, reads, events and the stop are as ever',
  async (t) => {
    const { child, gateway, direct, lines } = await startUnread(t)
    for (let sent = 0; sent < LINES; sent += AT_ONCE) {
      const stray = () => inTime(get(`${gateway}/api/v1/nowhere/${'x'.repeat(200)}`), 'a refusal')
      const answers = await Promise.all(Array.from({ length: AT_ONCE }, stray))
      for (const { status } of answers) if (status !== 404) t.equal(status, 404)
    }
    const accounts = ['10000001', '10000002']
    for (const account of accounts) {
      const order = post(`${gateway}/api/v1/accounts/${account}/orders`, BUY)
      t.equal((await inTime(order, 'an order')).status, 201)
      const read = get(`${gateway}/api/positions`, { 'X-Account-Id': account })
      t.equal((await inTime(read, 'a read')).status, 200)
    }
    const events = await inTime(fetch(`${direct}/api/sse`), 'the event stream')
    const first = await inTime(events.body?.getReader().read() ?? Promise.reject(), 'an event')
    t.match(new TextDecoder().decode(first.value), /^data: |^id: /)
    await until(
      () => dropped(gateway),
      (count) => count > 0,
    )
    t.match(
      lines().filter(({ msg }) => msg === 'order intent'),
      { length: 2 },
      'the file has all',
    )
    child.kill('SIGTERM')
    t.strictSame(await heard(child, 'exit'), [0, null])
    t.equal(lines().at(-1)?.msg, 'stopped')
  },
)
