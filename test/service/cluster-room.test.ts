import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import { makeStreams, openLine, streamSettings } from '../cluster/fixtures/nats-lines.ts'
import { NO_SERVERS, natsServers } from '../cluster/fixtures/nats-servers.ts'
import { account, get, post, type Served, serve, until } from './fixture.ts'

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
/** Short, so that a change of nodes is waited for in seconds. */
const TIMES = {
  lease_ttl_ms: 4_000,
  lease_renew_ms: 600,
  lease_margin_ms: 200,
  engine_timeout_ms: 500,
  claim_rank_delay_ms: 600,
  room_ms: 1_000,
  room_again_ms: 2_000,
}

const V1 = (url: string) => `${url}/api/v1/accounts/${ID}`
const order = (url: string, key: string, price: number) =>
  post(`${V1(url)}/orders`, { ...RESTING, price }, { 'Idempotency-Key': key })
const runs = async ({ gateway }: Served): Promise<string> => {
  const { body } = await get(`${gateway}/api/v1/nodes`)
  return JSON.stringify(body['data']?.['accounts'] ?? body)
}

interface Node extends Served {
  isFull: boolean
}

async function node(t: Test, folder: string, name: string, urls: readonly string[]): Promise<Node> {
  const own = join(folder, name)
  mkdirSync(own, { recursive: true })
  const disk = { isFull: false }
  const served = await serve(t, {
    folder: own,
    freeBytes: async () => (disk.isFull ? 0 : Number.POSITIVE_INFINITY),
    overrides: {
      accounts: [{ ...account(ID, [HELD]), eligible: NODES }],
      cluster: { node: name, servers: urls, replicas: 1 },
      limits: { cluster: TIMES, store: { free_space_check_ms: 100 } },
    },
  })
  return Object.assign(disk, served)
}

t.test(
  'F463 an account whose node has no room is run by one that has, and stays where none has',
  { skip: NO_SERVERS },
  async (t) => {
    const folder = t.testdir()
    const urls = (await natsServers(t, { count: 1 })).map(({ url }) => url)
    await makeStreams(await openLine(t, urls), streamSettings(1))
    const one = await node(t, folder, 'node-a', urls)
    await until(
      () => order(one.gateway, 'first', 32),
      ({ status }) => status === 201,
    )
    const two = await node(t, folder, 'node-b', urls)
    await until(
      () => get(`${V1(two.gateway)}/orders`),
      ({ status }) => status === 200,
    )
    one.isFull = true
    await until(
      () => runs(one),
      (places) => places.includes('node-b'),
    )
    await until(
      () => order(one.gateway, 'second', 32.5),
      ({ status }) => status === 201,
    )
    const { body } = await get(`${V1(two.gateway)}/orders`)
    t.match(body, { data: { orders: { length: 2 } } })
    two.isFull = true
    let attempts = 0
    await until(
      () => order(two.gateway, `attempt-${attempts++}`, 32.2),
      ({ body }) => String(body['code']) === 'DISK_FULL',
    )
    t.match(await runs(two), /node-b/, 'the other one has no room either')
    t.equal((await get(`${V1(one.gateway)}/orders`)).status, 200, 'it is read all the same')
    one.isFull = false
    await until(
      () => runs(two),
      (places) => places.includes('node-a'),
    )
    await until(
      () => order(two.gateway, 'third', 32.7),
      ({ status }) => status === 201,
    )
  },
)
