import { setTimeout as delay } from 'node:timers/promises'
import t from 'tap'
import { suspend } from '../suspend.ts'
import { configFile, get, type Json, post, until } from './fixture.ts'
import { Child } from './fixtures/child.ts'
import { askAndLeave } from './fixtures/impatient.ts'

const ACCOUNT = '10000001'
const BUY = { stock_code: '601398', order_type: 23, order_volume: 100, price_type: 5, price: 0 }
const CALLERS = 5
/** An order must be begun within this; the owner stands still for longer, and stays the owner. */
const START_MS = 1_000
const STOPPED_MS = 2_000
const LIMITS = {
  cluster: { owner_timeout_ms: 60_000, handshake_timeout_ms: 10_000, seek_again_ms: 100 },
  http: { order_start_ms: START_MS },
}

t.test(
  'an order that its owner finds too late, forwarded by another process, is not executed',
  { skip: process.platform === 'win32' && 'Windows has no SIGSTOP' },
  async (t) => {
    const folder = t.testdir()
    const config = configFile(folder, { limits: LIMITS })
    const start = async (...command: string[]) => {
      const child = new Child(t, folder, [...command, '--config', config])
      const [url = ''] = await child.ready()
      return { child, url }
    }
    const owner = await start('direct', '--account', ACCOUNT)
    const gateway = await start('gateway')
    const orders = `${gateway.url}/api/v1/accounts/${ACCOUNT}/orders`
    const placed = async (): Promise<number> => {
      const { body } = await get(orders)
      return ((body['data']?.['orders'] ?? []) as unknown as Json[]).length
    }
    const key = { 'Idempotency-Key': 'first' }
    await until(
      () => post(orders, BUY, key),
      ({ status }) => status === 201,
    )
    const before = await placed()
    t.equal(before, 1)
    await suspend(owner.child.pid)
    t.teardown(() => owner.child.signal('SIGCONT'))
    const keys = Array.from({ length: CALLERS }, (_, i) => `given-up-${i}`)
    await Promise.all(keys.map((given) => askAndLeave(orders, BUY, given)))
    await delay(STOPPED_MS)
    owner.child.signal('SIGCONT')
    // Answered behind all that was sent before.
    await until(
      () => post(orders, BUY, { 'Idempotency-Key': 'last' }),
      ({ status }) => status === 201,
    )
    t.equal(await placed(), before + 1)
  },
)
