import { randomUUID } from 'node:crypto'
import { join } from 'node:path'
import { jetstreamManager } from '@nats-io/jetstream'
import t, { type Test } from 'tap'
import { Calls } from '../../../src/cluster/nats/calls.ts'
import { Kv } from '../../../src/cluster/nats/kv.ts'
import { purgeJournals } from '../../../src/cluster/nats/purge.ts'
import type { PlacementRecord } from '../../../src/cluster/protocol/records.ts'
import { CONTROL_BUCKET, placementKey } from '../../../src/cluster/protocol/subjects.ts'
import { DAY_MS } from '../../../src/domain/exchange-time.ts'
import type { RemoteReply } from '../../../src/protocol/cluster.ts'
import { decode, encode } from '../../../src/protocol/codec.ts'
import type { PlaceOrder } from '../../../src/protocol/orders.ts'
import { randomKey } from '../../../src/service/process/random-key.ts'
import { SCHEMA_VERSION } from '../../../src/storage/migrations.ts'
import { commitsIn } from '../../../src/storage/snapshot.ts'
import { openLine } from '../../cluster/fixtures/nats-lines.ts'
import { type NatsServer, NO_SERVERS } from '../../cluster/fixtures/nats-servers.ts'
import { get, type Json, post, type Served, until } from '../fixture.ts'
import {
  at,
  clusterServer,
  ID,
  NODES,
  order,
  ordered,
  ordersAt,
  RESTING,
  startNode,
} from '../fixtures/cluster.ts'

const idOf = ({ body }: { readonly body: Json }) => String(body['data']?.['order_id'])

interface Desk {
  readonly server: NatsServer
  /** A node on its folder; again on the same one after it was stopped. */
  node(name: string, eligible?: readonly string[]): Promise<Served>
}

async function desk(t: Test, cluster: object = {}, runtime: object = {}): Promise<Desk> {
  const folder = t.testdir()
  const server = await clusterServer(t)
  const { url } = server
  return {
    server,
    node: (name, eligible = NODES) =>
      startNode(t, join(folder, name), name, { url, eligible, limits: { runtime, cluster } }),
  }
}

/** As a gateway that passes an order on and is killed with the answer. */
async function orderAndDie(t: Test, url: string): Promise<RemoteReply> {
  const line = await openLine(t, [url])
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

t.test(
  'one account, two computers: a client of either sees and orders the same',
  { skip: NO_SERVERS },
  async (t) => {
    const { node } = await desk(t)
    const one = await node('node-a')
    const first = await ordered(one.gateway, 'first')
    const two = await node('node-b')
    await ordersAt(two.gateway)
    const again = await order(two.gateway, 'first')
    t.equal(idOf(again), idOf(first), 'the same key is the same order, wherever it is asked for')
    const second = await order(two.gateway, 'second', 32.5)
    t.equal(second.status, 201)
    t.equal(ordersIn(await ordersAt(one.gateway)).length, 2)
  },
)

t.test(
  'a computer that stops hands over, and comes back as the other',
  { skip: NO_SERVERS },
  async (t) => {
    const { node } = await desk(t)
    const one = await node('node-a')
    await ordered(one.gateway, 'first')
    const two = await node('node-b')
    await ordersAt(two.gateway)
    await one.service.stop()
    const { body } = await until(
      () => get(`${at(two.gateway)}/status`),
      ({ status, body }) => status === 200 && String(body['data']?.['ready']) === 'true',
    )
    t.ok(body)
    t.equal(ordersIn(await ordersAt(two.gateway)).length, 1, 'what was decided there is known here')
    const back = await node('node-a')
    await ordersAt(back.gateway)
    t.equal((await get(`${at(back.gateway)}/orders`)).status, 200)
  },
)

t.test(
  'without the servers nothing is ordered, and afterwards it goes on',
  { skip: NO_SERVERS },
  async (t) => {
    const { node, server } = await desk(t)
    const one = await node('node-a', ['node-a'])
    await ordered(one.gateway, 'first')
    await server.kill()
    const refused = await until(
      () => order(one.gateway, 'second', 32.5),
      ({ body }) => String(body['code']) === 'NOT_CONNECTED',
    )
    t.equal(refused.status, 503)
    t.equal((await get(`${at(one.gateway)}/positions`)).status, 200, 'what is here can be read')
    await server.start()
    await ordered(one.gateway, 'third', 32.7)
    const prices = ordersIn(await ordersAt(one.gateway)).map(({ price }) => Number(price))
    t.equal(new Set(prices).size, prices.length, 'nothing was sent twice')
    t.ok(prices.includes(32) && prices.includes(32.7))
  },
)

t.test(
  'a journal without room takes no order, through whichever node it comes',
  { skip: NO_SERVERS },
  async (t) => {
    const { node, server } = await desk(t)
    const [owner, other] = [await node('node-a', ['node-a']), await node('node-b', ['node-a'])]
    const first = await ordered(other.gateway, 'first')
    const { connection } = await openLine(t, [server.url])
    const { streams } = await jetstreamManager(connection)
    const wholes = await streams.list().next()
    const journals = wholes.filter(({ config }) => /^J\d/.test(config.name))
    t.ok(journals.length > 0)
    for (const { config, state } of journals) {
      await streams.update(config.name, { max_bytes: Math.max(1, state.bytes) })
    }
    await until(
      () => order(owner.gateway, 'second', 32.5),
      ({ body }) => String(body['code']) === 'NOT_CONNECTED',
    )
    for (const { gateway } of [owner, other]) {
      const refused = await order(gateway, 'third', 32.7)
      t.match(refused, { status: 503, body: { code: 'NOT_CONNECTED' } })
      const again = await order(gateway, 'first')
      t.notMatch(again.body, { message: /nothing was sent/ }, 'it was, before')
      const changed = await post(`${at(gateway)}/orders/${idOf(first)}/amend`, { price: 31.9 })
      t.match(changed, { status: 503, body: { code: 'NOT_CONNECTED' } })
    }
    for (const { config } of journals) {
      await streams.update(config.name, { max_bytes: config.max_bytes })
    }
    await ordered(other.gateway, 'third', 32.7)
  },
)

t.test('a gateway runs nothing and reaches everything', { skip: NO_SERVERS }, async (t) => {
  const { node } = await desk(t)
  const one = await node('node-a', ['node-a'])
  await ordered(one.gateway, 'first')
  const gateway = await node('gate', ['node-a'])
  await ordersAt(gateway.gateway)
  t.equal((await order(gateway.gateway, 'second', 32.5)).status, 201)
  await one.service.stop()
  const refused = await order(gateway.gateway, 'third', 32.7)
  t.match(refused, { status: 503 }, 'nobody may run it')
  const again = await node('node-a', ['node-a'])
  await ordersAt(again.gateway)
  await ordered(gateway.gateway, 'third', 32.7)
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
    const later = await node('node-c', ['node-a'])
    for (const served of [again, two, later]) {
      await until(
        () => get(`${served.gateway}/api/v1/nodes`),
        ({ body }) => !JSON.stringify(body).includes('30000003'),
      )
    }
  },
)

t.test(
  'F206 the like of an order whose gateway died is refused elsewhere',
  { skip: NO_SERVERS },
  async (t) => {
    const { node, server } = await desk(t, { owner_timeout_ms: 1_500, health_poll_ms: 200 })
    const one = await node('node-a', ['node-a'])
    await ordered(one.gateway, 'first')
    const answer = await orderAndDie(t, server.url)
    t.match(answer, { value: { state: 'accepted' } }, 'it had its answer, and its client has not')
    const preview = { ...RESTING, price: 32.5 }
    await until(
      () => post(`${at(one.gateway)}/orders/preview`, preview),
      ({ body }) => String(body['data']?.['code']) === 'ORDER_UNTOLD',
    )
    t.match(await order(one.gateway, 'again', preview.price), {
      status: 409,
      body: { code: 'ORDER_UNTOLD' },
    })
  },
)

t.test('F205 a gateway shows what one message has no room for', { skip: NO_SERVERS }, async (t) => {
  const { node } = await desk(t, { record_bytes_max: 65_536 })
  const [one, gateway] = [await node('node-a', ['node-a']), await node('gate', ['node-a'])]
  await ordersAt(gateway.gateway)
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
    const { node, server } = await desk(t, { snapshot_records: 10 })
    const one = await node('node-a')
    await ordered(one.gateway, 'first')
    for (let i = 1; i <= 12; i++) {
      const placed = await order(one.gateway, `more-${i}`, 32 + i / 100)
      t.equal(placed.status, 201)
    }
    const line = await openLine(t, [server.url])
    const verify = (parts: readonly Uint8Array[]) => void commitsIn(parts, SCHEMA_VERSION)
    const purge = async () => {
      const wish = { keepFromMs: Date.now() + DAY_MS, timeoutMs: 5_000, verify }
      for await (const { removed = 0 } of purgeJournals(line, wish)) return removed
      return 0
    }
    await until(purge, (removed) => removed > 8)
    await one.service.stop()
    const two = await node('node-b')
    await ordered(two.gateway, 'after', 31.8)
    t.equal(ordersIn(await ordersAt(two.gateway)).length, 14)
    t.equal(idOf(await order(two.gateway, 'after', 31.8)) !== '', true)
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
        () => get(`${at(one.gateway)}/positions`),
        ({ status }) => status === 200,
      )
    }
    await isReadyAt(one, true)
    await isReadyAt(two, true)
    t.equal((await post(`${at(two.gateway)}/restart`)).status, 200, 'from there, too')
    await isReadyAt(two, false)
  },
)
