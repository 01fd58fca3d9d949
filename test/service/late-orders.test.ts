import { once } from 'node:events'
import { connect } from 'node:net'
import { setTimeout as delay } from 'node:timers/promises'
import t from 'tap'
import { heard, inTime } from '../in-time.ts'
import { configFile, get, type Json, post } from './fixture.ts'
import { Child } from './fixtures/child.ts'

const ACCOUNT = '10000001'
const BUY = { stock_code: '601398', order_type: 23, order_volume: 100, price_type: 5, price: 0 }
const CALLERS = 20
/** Longer than an order may wait to be begun. */
const STOPPED_MS = 700
const START_MS = 300

/** Asks over a connection of its own, which ends as one does whose caller has waited long enough. */
async function askAndLeave(gateway: string, key: string, stayMs: number): Promise<void> {
  const { hostname, port } = new URL(gateway)
  const socket = connect(Number(port), hostname)
  await heard(socket, 'connect')
  const body = JSON.stringify(BUY)
  const head = [
    `POST /api/v1/accounts/${ACCOUNT}/orders HTTP/1.1`,
    `Host: ${hostname}:${port}`,
    'Content-Type: application/json',
    `Content-Length: ${body.length}`,
    `Idempotency-Key: ${key}`,
  ]
  socket.write(`${head.join('\r\n')}\r\n\r\n${body}`)
  await delay(stayMs)
  const closed = once(socket, 'close')
  socket.destroy()
  await closed
}

t.test(
  'an order whose caller has given up while the service stood still is not executed',
  { skip: process.platform === 'win32' && 'Windows has no SIGSTOP' },
  async (t) => {
    const folder = t.testdir()
    const limits = { http: { order_start_ms: START_MS } }
    const config = configFile(folder, {
      gateway: { host: '127.0.0.1', port: 0, rate_limit: 0 },
      limits,
    })
    const child = new Child(t, folder, ['up', '--config', config])
    const [gateway = ''] = await child.ready()
    const order = (key: string) =>
      inTime(
        post(`${gateway}/api/v1/accounts/${ACCOUNT}/orders`, BUY, { 'Idempotency-Key': key }),
        'an answer',
      )
    const placed = async (): Promise<string[]> => {
      const { body } = await get(`${gateway}/api/v1/accounts/${ACCOUNT}/orders`)
      const rows = (body['data']?.['orders'] ?? []) as unknown as Json[]
      return rows.map((row) => String(row['client_order_id'])).sort()
    }
    t.equal((await order('before')).status, 201)
    const before = await placed()

    child.signal('SIGSTOP')
    const keys = Array.from({ length: CALLERS }, (_, i) => `given-up-${i}`)
    // Half of them ask while it stands, the others had a connection before.
    await Promise.all(keys.map((key) => askAndLeave(gateway, key, 50)))
    const waiting = order('still-there')
    await delay(STOPPED_MS)
    child.signal('SIGCONT')

    t.equal((await waiting).status, 201, 'who still waits is served')
    const first = await placed()
    t.equal(first.length, before.length + 1)
    const [again] = keys
    t.equal((await order(again ?? '')).status, 201, 'the key is free')
    t.equal((await placed()).length, before.length + 2)
    await child.kill()
  },
)
