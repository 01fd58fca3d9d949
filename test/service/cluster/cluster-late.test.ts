import { join } from 'node:path'
import t from 'tap'
import { natsProxy } from '../../cluster/fixtures/nats-proxy.ts'
import { NO_SERVERS } from '../../cluster/fixtures/nats-servers.ts'
import type { Json } from '../fixture.ts'
import { clusterServer, order, ordered, ordersAt, startNode } from '../fixtures/cluster.ts'

const NODE = 'node-a'
/** An order must be begun within this. Its caller waits not much longer. */
const START_MS = 300
const LIMITS = {
  http: { order_start_ms: START_MS, order_grace_ms: 500 },
  account: { paced_wait_ms: 0 },
}

t.test(
  'an order that the servers of a cluster deliver too late is not executed',
  { skip: NO_SERVERS },
  async (t) => {
    const folder = t.testdir()
    const server = await clusterServer(t)
    const proxy = await natsProxy(t, server.url)
    const start = (name: string, role: 'node' | 'gateway', url: string) =>
      startNode(t, join(folder, name), name, {
        url,
        role,
        eligible: [NODE],
        account: { call_timeout: 0.5 },
        limits: LIMITS,
      })
    await start(NODE, 'node', server.url)
    const { gateway } = await start('gw', 'gateway', proxy.url)
    const placed = async (): Promise<number> => {
      const { body } = await ordersAt(gateway)
      return ((body['data']?.['orders'] ?? []) as unknown as Json[]).length
    }
    await ordered(gateway, 'first')
    t.equal(await placed(), 1)
    proxy.hold()
    const late = await order(gateway, 'late')
    t.equal(late.status, 202, 'nobody knows what becomes of it')
    proxy.proceed()
    // Behind all that was sent before.
    await ordered(gateway, 'last', 32.5)
    t.equal(await placed(), 2)
  },
)
