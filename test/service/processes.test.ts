import t, { type Test } from 'tap'
import { NEEDS_SUSPENSION } from '../platform.ts'
import { suspend } from '../suspend.ts'
import { type Answer, configFile, get, type Json, post, until } from './fixture.ts'
import { Child } from './fixtures/child.ts'

const [FIRST, SECOND] = ['10000001', '10000002'] as const
/** Shares that the first account has at its first start. */
const HELD = 1_000
/** An owner that is only slow stays the owner, however busy the computer is. */
const LIMITS = {
  cluster: {
    ping_ms: 100,
    owner_timeout_ms: 20_000,
    handshake_timeout_ms: 10_000,
    epoch_check_ms: 100,
    health_poll_ms: 100,
    seek_again_ms: 100,
    retry_ms: 20,
  },
}
/** Where an owner does fall silent, it is noticed soon. */
const QUICK = { ...LIMITS.cluster, owner_timeout_ms: 4_000, handshake_timeout_ms: 1_000 }
const BUY = { stock_code: '601398', order_type: 23, order_volume: 100, price_type: 5, price: 0 }
/** Within the day's price limits and out of reach of the market; another price for another key. */
const resting = (key: string) => ({
  ...BUY,
  stock_code: '600036',
  price_type: 11,
  price: key === 'first' ? 32 : 32.5,
})
/** Two orders at once are no mistake here, and a market may stand still. */
const RISK = { max_orders_per_second: 0, stale_quote_seconds: 0, refuse_duplicates: false }

interface Rig {
  readonly folder: string
  readonly config: string
}
const rig = (t: Test, overrides: object = {}): Rig => {
  const folder = t.testdir()
  return { folder, config: configFile(folder, { limits: LIMITS, risk: RISK, ...overrides }) }
}

interface Served {
  readonly child: Child
  readonly url: string
}
async function start(t: Test, { folder, config }: Rig, ...command: string[]): Promise<Served> {
  const child = new Child(t, folder, [...command, '--config', config])
  const [url = ''] = await child.ready()
  return { child, url }
}
const startDirect = (t: Test, at: Rig) => start(t, at, 'direct', '--account', FIRST)
const startGateway = (t: Test, at: Rig) => start(t, at, 'gateway')

/** Accounts that a process has owned or followed so far; the log shows their last digits. */
const inRole = ({ child }: Served, role: 'owned' | 'followed') =>
  child.said(`account ${role}`).map(({ account }) => account?.slice(-4))

/** The account as the gateway and as direct mode show it. */
const viaGateway = { headers: { 'X-Account-Id': FIRST } }
const ordersAt = (url: string) => get(`${url}/api/orders`, viaGateway.headers)
const rows = ({ body }: Answer): readonly Json[] => (body['data'] ?? []) as unknown as Json[]

/** A holding without what moves with the market. */
const unpriced = ({ stock_code, volume, available, cost_price }: Json): Json =>
  ({ stock_code, volume, available, cost_price }) as Json

/** What both processes must agree on and what must outlive each of them. */
async function booksAt({ url }: Served) {
  const [orders, positions, records] = await Promise.all([
    ordersAt(url),
    get(`${url}/api/positions-all`, viaGateway.headers),
    get(`${url}/api/trade-records`, viaGateway.headers),
  ])
  return {
    statuses: [orders.status, positions.status, records.status],
    orders: rows(orders),
    records: rows(records),
    positions: rows(positions).map(unpriced),
  }
}

const isReady = async (url: string): Promise<void> => {
  await until(
    () => get(`${url}/api/v1/accounts/${FIRST}/status`),
    ({ status, body }) => status === 200 && String(body['data']?.['ready']) === 'true',
  )
}

/** A purchase that fills and one that rests, both through the gateway. */
async function trade(gateway: Served, key: string): Promise<readonly string[]> {
  await isReady(gateway.url)
  const mine = `${gateway.url}/api/v1/accounts/${FIRST}/orders`
  const ids: string[] = []
  for (const [name, order] of [
    ['bought', BUY],
    ['rests', resting(key)],
  ] as const) {
    const { status, body } = await post(mine, order, { 'Idempotency-Key': `${key}-${name}` })
    if (status !== 201) throw new Error(`${name}: ${status} ${JSON.stringify(body)}`)
    ids.push(String(body['data']?.['order_id']))
  }
  await until(
    () => ordersAt(gateway.url),
    (answer) => rows(answer).some((row) => String(row['order_id']) === ids[0] && isFilled(row)),
  )
  return ids
}
/** Whoever takes over cannot know which answers arrived: who asks for the orders may place their like again. */
const toldOf = ({ url }: Served, ids: readonly string[]) =>
  until(
    async () => {
      const mine = `${url}/api/v1/accounts/${FIRST}/orders`
      for (const id of ids) await get(`${mine}/${id}`)
      return post(`${mine}/preview`, BUY)
    },
    ({ body }) => String(body['data']?.['allowed']) === 'true',
  )

const isFilled = (row: Json) => String(row['status']) === '56'

const sum = (rows: readonly Json[], field: string, side?: 'BUY' | 'SELL'): number =>
  rows
    .filter((row) => side === undefined || String(row['trade_type']) === side)
    .reduce((total, row) => total + Number(row[field]), 0)

/** The account once all its fills have reached the holdings, and what may be sold is known (again). */
const settledBooks = (served: Served) =>
  until(
    () => booksAt(served),
    ({ orders, positions, records }) => {
      const sold = sum(orders, 'traded_volume', 'SELL')
      return (
        orders.length > 0 &&
        sum(records, 'volume') === sum(orders, 'traded_volume') &&
        sum(positions, 'volume') === HELD + sum(orders, 'traded_volume', 'BUY') - sold &&
        sum(positions, 'available') === HELD - sold
      )
    },
  )

/** The same two keys again give the same two orders, and no third. */
async function isTheSame(t: Test, gateway: Served, key: string, ids: readonly string[]) {
  t.strictSame(
    await until(
      () => trade(gateway, key).catch(() => []),
      (again) => again.length === 2,
    ),
    ids,
  )
}

t.test('direct mode and gateway: one owner each, both answer for the account', async (t) => {
  const at = rig(t)
  const direct = await startDirect(t, at)
  const gateway = await startGateway(t, at)
  t.strictSame(inRole(direct, 'owned'), ['0001'])
  t.strictSame(inRole(gateway, 'owned'), ['0002'])
  t.strictSame(inRole(gateway, 'followed'), ['0001'])

  const ids = await trade(gateway, 'first')
  const { status, body } = await post(`${direct.url}/api/actions/execute_buy`, {
    strategy: 'custom_stock',
    quantity: 1,
    stocks: ['600036'],
  })
  t.match({ status, body }, { status: 200, body: { success_count: 1 } })
  await until(
    () => ordersAt(direct.url),
    (answer) => rows(answer).filter(isFilled).length === 2,
  )
  const books = await settledBooks(direct)
  t.equal(books.orders.length, 3)
  t.strictSame(await booksAt(gateway), books, 'the same list in both')
  const cancel = await post(`${direct.url}/api/orders/${ids[1]}/cancel`)
  t.match(cancel, { status: 200, body: { result: 0 } }, 'placed here, canceled there')
  await until(
    () => ordersAt(gateway.url),
    (answer) => rows(answer).every((row) => String(row['is_pending']) === 'false'),
  )
  await t.test("the other account is the gateway's own", async (t) => {
    const other = await get(`${gateway.url}/api/orders`, { 'X-Account-Id': SECOND })
    t.strictSame(rows(other), [])
  })
})

t.test('the owner is killed: the other process runs the account and nothing is lost', async (t) => {
  const at = rig(t)
  const direct = await startDirect(t, at)
  const gateway = await startGateway(t, at)
  const ids = await trade(gateway, 'first')
  const before = await settledBooks(gateway)
  t.strictSame([before.orders.length, before.records.length], [2, 1])
  await direct.child.kill()
  await isTheSame(t, gateway, 'first', ids)
  t.ok(inRole(gateway, 'owned').includes('0001'))
  t.strictSame(await settledBooks(gateway), before)
  await trade(gateway, 'second')
  const later = await settledBooks(gateway)
  t.strictSame([later.orders.length, later.records.length], [4, 2])

  const again = await startDirect(t, at)
  t.strictSame(inRole(again, 'followed'), ['0001'], 'a new one follows')
  t.strictSame(await booksAt(again), later)
})

t.test(
  'the gateway first: direct mode forwards to it, and takes over when it is killed',
  async (t) => {
    const at = rig(t)
    const gateway = await startGateway(t, at)
    const direct = await startDirect(t, at)
    t.strictSame(inRole(gateway, 'owned').toSorted(), ['0001', '0002'])
    t.strictSame(inRole(direct, 'followed'), ['0001'])
    await trade(gateway, 'first')
    const before = await settledBooks(direct)
    t.equal(before.orders.length, 2)
    await gateway.child.kill()
    t.strictSame(await settledBooks(direct), before)
    t.strictSame(inRole(direct, 'owned'), ['0001'])
    const buy = { strategy: 'custom_stock', quantity: 1, stocks: ['601398'] }
    await until(
      () => post(`${direct.url}/api/actions/execute_buy`, buy, { 'Idempotency-Key': 'alone' }),
      ({ body }) => Number(body['success_count']) === 1,
    )
    const { orders } = await booksAt(direct)
    t.equal(orders.length, 3, 'it trades alone')
  },
)

t.test('an orderly stop hands the account over', async (t) => {
  const at = rig(t)
  const direct = await startDirect(t, at)
  const gateway = await startGateway(t, at)
  const ids = await trade(gateway, 'first')
  direct.child.signal('SIGTERM')
  t.match(await direct.child.exit, { signal: process.platform === 'win32' ? 'SIGTERM' : null })
  await isTheSame(t, gateway, 'first', ids)
  t.equal((await booksAt(gateway)).orders.length, 2)
})

t.test(
  'the owner sleeps: the other takes over, and it follows when it wakes up',
  NEEDS_SUSPENSION,
  async (t) => {
    // Nothing is written but for orders: a process that is suspended in the middle of a transaction
    // keeps the lock, and can be replaced only once it goes on.
    const at = rig(t, {
      market: { source: 'simulated', interval_ms: 3_600_000 },
      limits: {
        cluster: QUICK,
        market: { quotes_save_every_ms: 3_600_000, clock_save_every_ms: 3_600_000 },
        store: { checkpoint_ms: 60_000 },
      },
    })
    const direct = await startDirect(t, at)
    const gateway = await startGateway(t, at)
    const ids = await trade(gateway, 'first')
    const before = await settledBooks(gateway)
    await suspend(direct.child.pid)
    t.teardown(() => direct.child.signal('SIGCONT'))
    // This one reaches the sleeping owner, which finds it when it wakes up.
    const key = { 'Idempotency-Key': 'caught' }
    const send = () => post(`${gateway.url}/api/v1/accounts/${FIRST}/orders`, BUY, key)
    t.match(await send(), { status: 202, body: { data: { state: 'unknown' } } })
    await isTheSame(t, gateway, 'first', ids)
    t.strictSame(await settledBooks(gateway), before)
    await until(send, ({ status }) => status === 201)
    await toldOf(gateway, ids)
    const more = await trade(gateway, 'second')
    const meanwhile = await settledBooks(gateway)
    t.strictSame([meanwhile.orders.length, meanwhile.records.length], [5, 3])

    direct.child.signal('SIGCONT')
    await until(
      async () => inRole(direct, 'followed'),
      (roles) => roles.length > 0,
    )
    t.strictSame(await settledBooks(direct), meanwhile, "what it answers is the other's")
    const sale = { stock_code: '600036', quantity: 100 }
    const sold = await post(`${direct.url}/api/actions/execute_sell`, sale)
    t.match(sold, { status: 200, body: { success_count: 1 } }, 'orders go through the other')
    await isTheSame(t, gateway, 'first', ids)
    await isTheSame(t, gateway, 'second', more)
    t.equal((await settledBooks(gateway)).orders.length, 6, 'none is doubled')
    t.strictSame(inRole(direct, 'owned'), ['0001'])
    t.strictSame(inRole(gateway, 'owned').toSorted(), ['0001', '0002'])
  },
)
