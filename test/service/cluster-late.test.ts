import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { makeStreams, openLine, streamSettings } from '../cluster/fixtures/nats-lines.ts'
import { natsProxy } from '../cluster/fixtures/nats-proxy.ts'
import { NO_SERVERS, natsServers } from '../cluster/fixtures/nats-servers.ts'
import { account, get, type Json, post, serve, until } from './fixture.ts'

const ID = '10000001'
const NODE = 'node-a'
/** Far below the market: it rests. */
const RESTING = {
  stock_code: '600036',
  order_type: 23,
  order_volume: 100,
  price_type: 11,
  price: 32,
}
const HELD = { stock_code: '600036', volume: 1_000, cost_price: 35.1 }
/** An order must be begun within this. Its caller waits not much longer. */
const START_MS = 300
const LIMITS = {
  cluster: {
    lease_ttl_ms: 4_000,
    lease_renew_ms: 600,
    lease_margin_ms: 200,
    engine_timeout_ms: 500,
    claim_rank_delay_ms: 600,
  },
  http: { order_start_ms: START_MS, order_grace_ms: 500 },
  account: { paced_wait_ms: 0 },
}

t.test(
  'an order that the servers of a cluster deliver too late is not executed',
  { skip: NO_SERVERS },
  async (t) => {
    const folder = t.testdir()
    const [server] = await natsServers(t, { count: 1 })
    if (server === undefined) throw new Error('there is no server')
    await makeStreams(await openLine(t, [server.url]), streamSettings(1))
    const proxy = await natsProxy(t, server.url)
    const start = (name: string, role: 'node' | 'gateway', url: string) => {
      const own = join(folder, name)
      mkdirSync(own)
      return serve(t, {
        folder: own,
        overrides: {
          accounts: [{ ...account(ID, [HELD]), call_timeout: 0.5, eligible: [NODE] }],
          cluster: { node: name, role, servers: [url], replicas: 1 },
          limits: LIMITS,
        },
      })
    }
    await start(NODE, 'node', server.url)
    const gateway = await start('gw', 'gateway', proxy.url)
    const orders = `${gateway.gateway}/api/v1/accounts/${ID}/orders`
    const order = (key: string, price = RESTING.price) =>
      post(orders, { ...RESTING, price }, { 'Idempotency-Key': key })
    const placed = async (): Promise<number> => {
      const { body } = await get(orders)
      return ((body['data']?.['orders'] ?? []) as unknown as Json[]).length
    }
    await until(
      () => order('first'),
      ({ status }) => status === 201,
    )
    t.equal(await placed(), 1)
    proxy.hold()
    const late = await order('late')
    t.equal(late.status, 202, 'nobody knows what becomes of it')
    proxy.proceed()
    // Behind all that was sent before.
    await until(
      () => order('last', 32.5),
      ({ status }) => status === 201,
    )
    t.equal(await placed(), 2)
  },
)
