import { setTimeout as delay } from 'node:timers/promises'
import t from 'tap'
import { inTime } from '../in-time.ts'
import { suspend } from '../suspend.ts'
import { configFile, get, type Json, post } from './fixture.ts'
import { Child } from './fixtures/child.ts'
import { askAndLeave } from './fixtures/impatient.ts'

const ACCOUNT = '10000001'
const BUY = { stock_code: '601398', order_type: 23, order_volume: 100, price_type: 5, price: 0 }
const CALLERS = 20
const STOPPED_MS = 500

t.test(
  'an order whose caller has given up while the service stood still is not executed',
  { skip: process.platform === 'win32' && 'Windows has no SIGSTOP' },
  async (t) => {
    const folder = t.testdir()
    const gatewayOf = { host: '127.0.0.1', port: 0, rate_limit: 0 }
    const config = configFile(folder, { gateway: gatewayOf })
    const child = new Child(t, folder, ['up', '--config', config])
    const [gateway = ''] = await child.ready()
    const orders = `${gateway}/api/v1/accounts/${ACCOUNT}/orders`
    const order = (key: string) =>
      inTime(post(orders, BUY, { 'Idempotency-Key': key }), 'an answer')
    const placed = async (): Promise<string[]> => {
      const { body } = await get(orders)
      const rows = (body['data']?.['orders'] ?? []) as unknown as Json[]
      return rows.map((row) => String(row['client_order_id'])).sort()
    }
    t.equal((await order('before')).status, 201)
    const before = await placed()

    await suspend(child.pid)
    const keys = Array.from({ length: CALLERS }, (_, i) => `given-up-${i}`)
    await Promise.all(keys.map((key) => askAndLeave(orders, BUY, key)))
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
