import { join } from 'node:path'
import t, { type Test } from 'tap'
import type { CrashPoint } from '../../actors/account/faults.ts'
import { ORDERLY } from '../platform.ts'
import { account, configFile, get, post, until } from './fixture.ts'
import { bookedBooks, shownBooks } from './fixtures/books.ts'
import { Child } from './fixtures/child.ts'

const ACCOUNT = '10000001'
const CRASHING = join(import.meta.dirname, 'fixtures', 'crashing.process.ts')
const OVERRIDES = {
  accounts: [account(ACCOUNT, [{ stock_code: '600036', volume: 1_000, cost_price: 35.1 }])],
  limits: { account: { doubt_query_interval_ms: 50, doubt_settle_ms: 200 } },
}

/** An order that fills at once. */
const FILLING = { stock_code: '600036', order_type: 23, order_volume: 100, price_type: 5, price: 0 }
/** One that waits, to be canceled. */
const RESTING = {
  stock_code: '600036',
  order_type: 24,
  order_volume: 100,
  price_type: 11,
  price: 38.5,
}

interface Life {
  readonly child: Child
  readonly mine: string
  readonly gateway: string
}

/** A life of the service that may trade. */
async function live(t: Test, folder: string, point?: CrashPoint): Promise<Life> {
  const config = configFile(folder, OVERRIDES)
  const child =
    point === undefined
      ? new Child(t, folder, ['up', '--config', config])
      : new Child(t, folder, [config, JSON.stringify(point)], CRASHING)
  const [gateway = ''] = await child.ready()
  const mine = `${gateway}/api/v1/accounts/${ACCOUNT}`
  await until(
    () => get(`${mine}/status`),
    ({ body }) => String(body['data']?.['ready']) === 'true',
  )
  return { child, mine, gateway }
}

const place = (mine: string, order: object) =>
  post(`${mine}/orders`, order, { 'Idempotency-Key': 'the-one' })

async function cancel(mine: string, id: string): Promise<unknown> {
  const response = await fetch(`${mine}/orders/${id}`, { method: 'DELETE' })
  return await response.json()
}

/** Books of both sides, once the service has stopped in good order: equal, and one order for one key. */
async function compare(t: Test, folder: string, life: Life): Promise<void> {
  const shown = await shownBooks(life.gateway, ACCOUNT)
  life.child.signal('SIGTERM')
  t.match(await life.child.exit, ORDERLY)
  const { books, keys } = await bookedBooks(join(folder, 'data'), ACCOUNT)
  t.strictSame(shown, books)
  t.ok(keys.length <= 1, 'one order for one key')
}

const PLACING: readonly CrashPoint[] = [
  { at: 'beforeCommit', kind: 'orderSubmitted' },
  { at: 'afterCommit', kind: 'orderSubmitted' },
  { at: 'afterCall', kind: 'submit' },
  { at: 'onEvent', kind: 'submitAnswered' },
  { at: 'beforeCommit', kind: 'orderMoved' },
  { at: 'afterCommit', kind: 'orderMoved' },
  { at: 'onEvent', kind: 'dealPushed' },
  { at: 'beforeCommit', kind: 'dealBooked' },
  { at: 'afterCommit', kind: 'dealBooked' },
  { at: 'onEvent', kind: 'positionPushed' },
]

for (const point of PLACING) {
  t.test(`killed ${point.at} ${point.kind}: nothing lost, nothing doubled`, async (t) => {
    const folder = t.testdir()
    const first = await live(t, folder, point)
    await place(first.mine, FILLING).catch(() => undefined) // the connection broke, or it was answered just before
    t.equal((await first.child.exit).signal, 'SIGKILL')

    const second = await live(t, folder)
    const answer = await until(
      () => place(second.mine, FILLING),
      ({ status }) => status === 201,
    )
    if (answer.body['success'] === (true as never)) {
      const isFilled = (body: string) => body.includes('"status":56')
      await until(
        () => get(`${second.mine}/orders`),
        ({ body }) => isFilled(JSON.stringify(body)),
      )
      await until(
        () => get(`${second.mine}/positions`),
        ({ body }) => JSON.stringify(body).includes('"volume":1100'),
      )
    }
    await compare(t, folder, second)
  })
}

const CANCELING: readonly CrashPoint[] = [
  { at: 'beforeCall', kind: 'cancel' },
  { at: 'afterCall', kind: 'cancel' },
  { at: 'onEvent', kind: 'cancelAnswered' },
]

for (const point of CANCELING) {
  t.test(`killed ${point.at} ${point.kind}: the order ends canceled, once`, async (t) => {
    const folder = t.testdir()
    const first = await live(t, folder, point)
    const { body } = await place(first.mine, RESTING)
    const id = String(body['data']?.['order_id'])
    await cancel(first.mine, id).catch(() => undefined)
    t.equal((await first.child.exit).signal, 'SIGKILL')

    const second = await live(t, folder)
    await cancel(second.mine, id)
    await until(
      () => get(`${second.mine}/orders`),
      ({ body }) => JSON.stringify(body).includes('"status":54'),
    )
    await compare(t, folder, second)
  })
}
