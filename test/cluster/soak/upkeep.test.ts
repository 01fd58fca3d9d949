import { cpSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import { account, get, type Json, post, until } from '../../service/fixture.ts'
import { HELD, ID, LEASES, NODES, RESTING } from '../../service/fixtures/cluster.ts'
import { makeStreams, openLine, streamSettings } from '../fixtures/nats-lines.ts'
import { type NatsServer, NO_SERVERS, natsServers } from '../fixtures/nats-servers.ts'
import { onLoopback } from '../fixtures/network.ts'
import { DeskNode, TOKEN } from './fixtures/desk-node.ts'
import { Witness } from './fixtures/witness.ts'

interface Desk {
  readonly server: NatsServer
  readonly witness: Witness
  /** Of this name, started. */
  node(name: string): DeskNode
}

async function desk(t: Test): Promise<Desk> {
  const folder = t.testdir()
  const [server] = await natsServers(t, { count: 1 })
  if (server === undefined) throw new Error('no server')
  const line = await openLine(t, [server.url])
  await makeStreams(line, streamSettings(1))
  const witness = await Witness.open(line, [line], [ID])
  t.teardown(() => witness.close().catch(() => undefined)) // the server may be gone
  return {
    server,
    witness,
    node(name) {
      const overrides = {
        accounts: [{ ...account(ID, [HELD]), eligible: NODES }],
        gateway: { host: '127.0.0.1', port: 0, rate_limit: 0 },
        cluster: { node: name, servers: [server.url], replicas: 1 },
        limits: { cluster: LEASES },
      }
      const place = onLoopback.here
      const node = new DeskNode(join(folder, name), { name, place, overrides, skewMs: 0 })
      t.teardown(() => node.kill())
      node.start()
      return node
    },
  }
}

const AS_CLIENT = { 'X-API-Token': TOKEN }
const V1 = ({ url }: DeskNode) => `${url}/api/v1/accounts/${ID}`
const order = (node: DeskNode, price: number) =>
  post(
    `${V1(node)}/orders`,
    { ...RESTING, price },
    { ...AS_CLIENT, 'Idempotency-Key': `at-${price}` },
  )
/** While it starts, nobody answers. */
const ordered = (node: DeskNode, price: number) =>
  until(
    () => order(node, price).catch(() => undefined),
    (answer) => answer?.status === 201 || answer?.status === 200,
  )
const regressed = (node: DeskNode) =>
  until(
    () => get(`${V1(node)}/status`, AS_CLIENT).catch(() => undefined),
    (answer) => String(answer?.body['data']?.['problem']).includes('JOURNAL_REGRESSED'),
  )

async function pricesAt(node: DeskNode): Promise<readonly number[]> {
  const { body } = await until(
    () => get(`${V1(node)}/orders`, AS_CLIENT),
    ({ status }) => status === 200,
  )
  const orders = (body['data']?.['orders'] ?? []) as unknown as readonly Json[]
  return orders.map(({ price }) => Number(price)).sort()
}

t.test(
  'F188 full journals: orders are refused with a reason, nothing is forgotten, and with room it goes on',
  { skip: NO_SERVERS },
  async (t) => {
    const { node, witness } = await desk(t)
    const one = node('node-a')
    await ordered(one, 32)
    const makeRoom = await witness.fillJournals()
    const refused = await until(
      () => order(one, 32.5),
      ({ body }) => String(body['code']) === 'NOT_CONNECTED',
    )
    t.equal(refused.status, 503)
    t.match(String(refused.body['message']), /journal/)
    t.equal((await get(`${V1(one)}/positions`, AS_CLIENT)).status, 200, 'what is here can be read')
    await makeRoom()
    await ordered(one, 32.7)
    const prices = await pricesAt(one)
    t.equal(new Set(prices).size, prices.length, 'nothing was sent twice')
    t.ok(prices.includes(32) && prices.includes(32.7), 'and nothing is forgotten')
    const two = node('node-b')
    await one.stop()
    await ordered(two, 32.9)
    t.strictSame(await pricesAt(two), [...prices, 32.9], 'nor by the next owner')
  },
)

t.test(
  'F186 servers that were put back to an older store: JOURNAL_REGRESSED, and nothing is ordered',
  { skip: NO_SERVERS },
  async (t) => {
    const { node, server } = await desk(t)
    const one = node('node-a')
    await ordered(one, 32)
    await server.kill()
    cpSync(server.folder, `${server.folder}-copy`, { recursive: true })
    await server.start()
    await ordered(one, 32.5)
    await server.kill()
    rmSync(server.folder, { recursive: true })
    cpSync(`${server.folder}-copy`, server.folder, { recursive: true })
    await server.start()
    const answer = await regressed(one)
    t.equal(String(answer?.body['data']?.['ready']), 'false')
    t.match(await order(one, 32.7), { status: 503 })
    await one.stop()
    one.start()
    await regressed(one)
    t.match(await order(one, 32.9), { status: 503 }, 'not after a start anew either')
  },
)
