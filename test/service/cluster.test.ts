import { randomUUID } from 'node:crypto'
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { jetstreamManager } from '@nats-io/jetstream'
import t, { type Test } from 'tap'
import { Calls } from '../../src/cluster/nats/calls.ts'
import { Kv } from '../../src/cluster/nats/kv.ts'
import { purgeJournals } from '../../src/cluster/nats/purge.ts'
import type { PlacementRecord } from '../../src/cluster/protocol/records.ts'
import { CONTROL_BUCKET, placementKey } from '../../src/cluster/protocol/subjects.ts'
import { DAY_MS } from '../../src/domain/exchange-time.ts'
import type { RemoteReply } from '../../src/protocol/cluster.ts'
import { decode, encode } from '../../src/protocol/codec.ts'
import type { PlaceOrder } from '../../src/protocol/orders.ts'
import { randomKey } from '../../src/service/random-key.ts'
import { SCHEMA_VERSION } from '../../src/storage/migrations.ts'
import { commitsIn } from '../../src/storage/snapshot.ts'
import { makeStreams, openLine, streamSettings } from '../cluster/fixtures/nats-lines.ts'
import { type NatsServer, NO_SERVERS, natsServers } from '../cluster/fixtures/nats-servers.ts'
import { account, get, type Json, post, type Served, serve, until } from './fixture.ts'

const ID = '10000001'
const NODES = ['node-a', 'node-b'] as const
/** Far below the market: it rests. */
const RESTING = {
  stock_code: '600036',
  order_type: 23,
  order_volume: 100,
  price_type: 11,
  price: 32,
}
const HELD = { stock_code: '600036', volume: 1_000, cost_price: 35.1 }
/** Short, so that a take-over is waited for in seconds. */
const TIMES = {
  lease_ttl_ms: 4_000,
  lease_renew_ms: 600,
  lease_margin_ms: 200,
  engine_timeout_ms: 500,
  claim_rank_delay_ms: 600,
}

const V1 = (url: string) => `${url}/api/v1/accounts/${ID}`
const order = (url: string, key: string, body: object = RESTING) =>
  post(`${V1(url)}/orders`, body, { 'Idempotency-Key': key })
const idOf = ({ body }: { readonly body: Json }) => String(body['data']?.['order_id'])

interface Desk {
  readonly servers: readonly NatsServer[]
  readonly urls: readonly string[]
  /** A node on its folder; again on the same one after it was stopped. */
  node(name: string, eligible?: readonly string[]): Promise<Served>
}

async function desk(t: Test, limits: object = {}, runtime: object = {}): Promise<Desk> {
  const folder = t.testdir()
  const servers = await natsServers(t, { count: 1 })
  const urls = servers.map(({ url }) => url)
  await makeStreams(await openLine(t, urls), streamSettings(1))
  return {
    servers,
    urls,
    async node(name, eligible = NODES) {
      const own = join(folder, name)
      mkdirSync(own, { recursive: true })
      return serve(t, {
        folder: own,
        overrides: {
          accounts: [{ ...account(ID, [HELD]), eligible }],
          cluster: { node: name, servers: urls, replicas: 1 },
          limits: { runtime, cluster: { ...TIMES, ...limits } },
        },
      })
    },
  }
}

/** As a gateway that passes an order on and is killed with the answer. */
async function orderAndDie(t: Test, urls: readonly string[]): Promise<RemoteReply> {
  const line = await openLine(t, urls)
  const entry = await new Kv(line, CONTROL_BUCKET).read(placementKey(ID), 5_000)
  const { node, inc } = decode<PlacementRecord>(entry?.bytes ?? new Uint8Array())
  const limits = { perAccountMax: 1, perNodeMax: 1, bytesMax: 65_536 }
  const kept = { answerBytesMax: 65_536, keptBytesMax: 65_536, keepMs: 1_000 }
  const body: PlaceOrder = {
    kind: 'placeOrder',
    code: '600036.SH',
    side: 'buy',
    quantity: RESTING.order_volume,
    priceType: RESTING.price_type,
    price: 325_000,
    key: randomKey(),
    requestHash: 'of this test',
    strategy: 'manual',
    source: 'test',
  }
  const request = { target: 'account', body }
  const header = { timeoutMs: 5_000, startWithinMs: 5_000, correlationId: '', from: randomUUID() }
  const call = encode({ request, ...header })
  const calls = new Calls(line, { ...limits, ...kept })
  return decode<RemoteReply>(await calls.request({ node, inc, acct: ID }, call, 5_000))
}

const ordersIn = ({ body }: { readonly body: Json }): readonly Json[] =>
  (body['data']?.['orders'] ?? []) as unknown as readonly Json[]
const placed = ({ gateway }: Served) =>
  until(
    () => get(`${V1(gateway)}/orders`),
    ({ status }) => status === 200,
  )

t.test(
  'one account, two computers: a client of either sees and orders the same',
  { skip: NO_SERVERS },
  async (t) => {
    const { node } = await desk(t)
    const one = await node('node-a')
    const first = await until(
      () => order(one.gateway, 'first'),
      ({ status }) => status === 201,
    )
    const two = await node('node-b')
    await placed(two)
    const again = await order(two.gateway, 'first')
    t.equal(idOf(again), idOf(first), 'the same key is the same order, wherever it is asked for')
    const second = await order(two.gateway, 'second', { ...RESTING, price: 32.5 })
    t.equal(second.status, 201)
    t.equal(ordersIn(await placed(one)).length, 2)
  },
)

t.test(
  'a computer that stops hands over, and comes back as the other',
  { skip: NO_SERVERS },
  async (t) => {
    const { node } = await desk(t)
    const one = await node('node-a')
    await until(
      () => order(one.gateway, 'first'),
      ({ status }) => status === 201,
    )
    const two = await node('node-b')
    await placed(two)
    await one.service.stop()
    const { body } = await until(
      () => get(`${V1(two.gateway)}/status`),
      ({ status, body }) => status === 200 && String(body['data']?.['ready']) === 'true',
    )
    t.ok(body)
    t.equal(ordersIn(await placed(two)).length, 1, 'what was decided there is known here')
    const back = await node('node-a')
    await placed(back)
    t.equal((await get(`${V1(back.gateway)}/orders`)).status, 200)
  },
)

t.test(
  'without the servers nothing is ordered, and afterwards it goes on',
  { skip: NO_SERVERS },
  async (t) => {
    const { node, servers } = await desk(t)
    const one = await node('node-a', ['node-a'])
    await until(
      () => order(one.gateway, 'first'),
      ({ status }) => status === 201,
    )
    await servers[0]?.kill()
    const refused = await until(
      () => order(one.gateway, 'second', { ...RESTING, price: 32.5 }),
      ({ body }) => String(body['code']) === 'NOT_CONNECTED',
    )
    t.equal(refused.status, 503)
    t.equal((await get(`${V1(one.gateway)}/positions`)).status, 200, 'what is here can be read')
    await servers[0]?.start()
    await until(
      () => order(one.gateway, 'third', { ...RESTING, price: 32.7 }),
      ({ status }) => status === 201,
    )
    const prices = ordersIn(await placed(one)).map(({ price }) => Number(price))
    t.equal(new Set(prices).size, prices.length, 'nothing was sent twice')
    t.ok(prices.includes(32) && prices.includes(32.7))
  },
)

t.test(
  'a journal without room takes no order, through whichever node it comes',
  { skip: NO_SERVERS },
  async (t) => {
    const { node, urls } = await desk(t)
    const [owner, other] = [await node('node-a', ['node-a']), await node('node-b', ['node-a'])]
    const first = await until(
      () => order(other.gateway, 'first'),
      ({ status }) => status === 201,
    )
    const { connection } = await openLine(t, urls)
    const { streams } = await jetstreamManager(connection)
    const wholes = await streams.list().next()
    const journals = wholes.filter(({ config }) => /^J\d/.test(config.name))
    t.ok(journals.length > 0)
    for (const { config, state } of journals) {
      await streams.update(config.name, { max_bytes: Math.max(1, state.bytes) })
    }
    await until(
      () => order(owner.gateway, 'second', { ...RESTING, price: 32.5 }),
      ({ body }) => String(body['code']) === 'NOT_CONNECTED',
    )
    for (const { gateway } of [owner, other]) {
      const refused = await order(gateway, 'third', { ...RESTING, price: 32.7 })
      t.match(refused, { status: 503, body: { code: 'NOT_CONNECTED' } })
      const again = await order(gateway, 'first')
      t.notMatch(again.body, { message: /nothing was sent/ }, 'it was, before')
      const changed = await post(`${V1(gateway)}/orders/${idOf(first)}/amend`, { price: 31.9 })
      t.match(changed, { status: 503, body: { code: 'NOT_CONNECTED' } })
    }
    for (const { config } of journals) {
      await streams.update(config.name, { max_bytes: config.max_bytes })
    }
    await until(
      () => order(other.gateway, 'third', { ...RESTING, price: 32.7 }),
      ({ status }) => status === 201,
    )
  },
)

t.test('a gateway runs nothing and reaches everything', { skip: NO_SERVERS }, async (t) => {
  const { node } = await desk(t)
  const one = await node('node-a', ['node-a'])
  await until(
    () => order(one.gateway, 'first'),
    ({ status }) => status === 201,
  )
  const gateway = await node('gate', ['node-a'])
  await placed(gateway)
  t.equal((await order(gateway.gateway, 'second', { ...RESTING, price: 32.5 })).status, 201)
  await one.service.stop()
  const refused = await order(gateway.gateway, 'third', { ...RESTING, price: 32.7 })
  t.match(refused, { status: 503 }, 'nobody may run it')
  const again = await node('node-a', ['node-a'])
  await placed(again)
  await until(
    () => order(gateway.gateway, 'third', { ...RESTING, price: 32.7 }),
    ({ status }) => status === 201,
  )
})

t.test(
  'F209 an account that is registered at one node is known and run where it was meant to be',
  { skip: NO_SERVERS },
  async (t) => {
    const { node } = await desk(t)
    const [one, two] = [await node('node-a', ['node-a']), await node('node-b', ['node-a'])]
    const register = (url: string, fields: object) =>
      post(`${url}/api/v1/accounts`, { account_id: '30000003', qmt_path: 'C:/qmt', ...fields })
    const unknown = await register(one.gateway, { eligible: ['node-b', 'node-x'] })
    t.match(unknown, { status: 400, body: { error: /node-x/ } })
    t.equal((await register(one.gateway, { eligible: ['node-b'] })).status, 201)
    const accountsOf = async ({ gateway }: Served) =>
      (await get(`${gateway}/api/v1/accounts`)).body['data']?.['accounts'] as unknown as string[]
    for (const served of [one, two]) {
      await until(
        () => accountsOf(served),
        (accounts) => accounts.includes('30000003'),
      )
    }
    const isReady = ({ gateway }: Served) =>
      until(
        () => get(`${gateway}/api/v1/accounts/30000003/status`),
        ({ status, body }) => status === 200 && String(body['data']?.['ready']) === 'true',
      )
    await isReady(one)
    await one.service.stop()
    await isReady(two)
    const again = await node('node-a', ['node-a'])
    t.ok((await accountsOf(again)).includes('30000003'))
    await isReady(again)
    t.equal((await register(again.gateway, {})).status, 201, 'once more is no error')
    const removed = await fetch(`${again.gateway}/api/v1/accounts/30000003`, { method: 'DELETE' })
    t.equal(removed.status, 200)
    await until(
      () => accountsOf(two),
      (accounts) => !accounts.includes('30000003'),
    )
  },
)

t.test(
  'F206 the like of an order whose gateway died is refused elsewhere',
  { skip: NO_SERVERS },
  async (t) => {
    const { node, urls } = await desk(t, { owner_timeout_ms: 1_500, health_poll_ms: 200 })
    const one = await node('node-a', ['node-a'])
    await until(
      () => order(one.gateway, 'first'),
      ({ status }) => status === 201,
    )
    const answer = await orderAndDie(t, urls)
    t.match(answer, { value: { state: 'accepted' } }, 'it had its answer, and its client has not')
    const again = { ...RESTING, price: 32.5 }
    await until(
      () => post(`${V1(one.gateway)}/orders/preview`, again),
      ({ body }) => String(body['data']?.['code']) === 'ORDER_UNTOLD',
    )
    t.match(await order(one.gateway, 'again', again), {
      status: 409,
      body: { code: 'ORDER_UNTOLD' },
    })
  },
)

t.test('F205 a gateway shows what one message has no room for', { skip: NO_SERVERS }, async (t) => {
  const { node } = await desk(t, { record_bytes_max: 65_536 })
  const [one, gateway] = [await node('node-a', ['node-a']), await node('gate', ['node-a'])]
  await placed(gateway)
  const bars = async (url: string) => {
    const query = `account_id=${ID}&stock_code=600036&period=1m`
    // The bar of this minute goes on.
    return JSON.stringify((await get(`${url}/api/v1/market/history?${query}`)).body).slice(0, -500)
  }
  const there = await bars(one.gateway)
  t.ok(there.length > 3 * 65_536, `${there.length} characters`)
  const here = await bars(gateway.gateway)
  t.ok(here.slice(0, there.length) === there.slice(0, here.length), `${here.length} characters`)
})

t.test(
  'a computer that begins with nothing takes over from a snapshot',
  { skip: NO_SERVERS },
  async (t) => {
    const { node, urls } = await desk(t, { snapshot_records: 10 })
    const one = await node('node-a')
    await until(
      () => order(one.gateway, 'first'),
      ({ status }) => status === 201,
    )
    for (let i = 1; i <= 12; i++) {
      const placed = await order(one.gateway, `more-${i}`, { ...RESTING, price: 32 + i / 100 })
      t.equal(placed.status, 201)
    }
    const line = await openLine(t, urls)
    const verify = (parts: readonly Uint8Array[]) => void commitsIn(parts, SCHEMA_VERSION)
    const purge = async () => {
      const wish = { keepFromMs: Date.now() + DAY_MS, timeoutMs: 5_000, verify }
      for await (const { removed = 0 } of purgeJournals(line, wish)) return removed
      return 0
    }
    await until(purge, (removed) => removed > 8)
    await one.service.stop()
    const two = await node('node-b')
    await until(
      () => order(two.gateway, 'after', { ...RESTING, price: 31.8 }),
      ({ status }) => status === 201,
    )
    t.equal(ordersIn(await placed(two)).length, 14)
    t.equal(idOf(await order(two.gateway, 'after', { ...RESTING, price: 31.8 })) !== '', true)
  },
)

t.test(
  'that an account crashed too often is shown by every node, until somebody restarts it',
  { skip: NO_SERVERS },
  async (t) => {
    const often = { restart_intensity: 1, restart_backoff_min_ms: 1, restart_backoff_max_ms: 10 }
    const { node } = await desk(t, { health_poll_ms: 100 }, often)
    const one = await node('node-a', ['node-a'])
    const two = await node('node-b', ['node-a'])
    const isReadyAt = (served: Served, isReduced: boolean) =>
      until(
        () => get(`${served.gateway}/api/v1/overview`),
        ({ body }) => {
          const row = body['data']?.['accounts']?.[0]
          return String(row?.['is_reduced']) === String(isReduced) && row?.['overview'] !== null
        },
      )
    await isReadyAt(two, false)
    const { board, supervisor } = one.service.system
    const slot = one.service.accounts.accounts()[0]?.slot ?? 0
    for (const _crash of [1, 2]) {
      const life = board.incarnation(slot)
      supervisor.fault(`account/${ID}`, 'throw')
      await until(
        async () => board.incarnation(slot),
        (next) => next > life,
      )
      await until(
        () => get(`${V1(one.gateway)}/positions`),
        ({ status }) => status === 200,
      )
    }
    await isReadyAt(one, true)
    await isReadyAt(two, true)
    t.equal((await post(`${V1(two.gateway)}/restart`)).status, 200, 'from there, too')
    await isReadyAt(two, false)
  },
)
