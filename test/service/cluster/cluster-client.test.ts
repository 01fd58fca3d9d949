import { join } from 'node:path'
import t, { type Test } from 'tap'
import { type Logger, silentLogger } from '../../../src/observability/logger.ts'
import { NO_SERVERS } from '../../cluster/fixtures/nats-servers.ts'
import { get, until } from '../fixture.ts'
import { clusterServer, ID, ordered, ordersAt, startNode } from '../fixtures/cluster.ts'

const NODES = ['node-a', 'node-b', 'node-c']
/** A real client, of which nothing answers. */
const REAL = {
  account: { driver: 'bigqmt', bigqmt: { port: 18_849 } },
  more: { market: { source: 'cluster' } },
}

t.test(
  'F982 a node whose file names another kind of trading client takes no account over, and says so',
  { skip: NO_SERVERS },
  async (t: Test) => {
    const folder = t.testdir()
    const { url } = await clusterServer(t)
    const node = (name: string, more: object = {}) =>
      startNode(t, join(folder, name), name, { url, eligible: NODES, ...more })
    const one = await node('node-a')
    await ordered(one.gateway, 'first')
    const told: object[] = []
    const error = (fields: object) => void told.push(fields)
    const log: Logger = { ...silentLogger, error, child: () => log }
    const two = await node('node-b', { ...REAL, serve: { log } })
    const alert = 'trading_client_differs'
    const [first] = await until(
      async () => told.filter((fields) => 'alert' in fields && fields.alert === alert),
      (all) => all.length > 0,
    )
    t.match(first, { account: ID, node: 'node-a' })
    const toldAt = (url: string) =>
      until(
        () => get(`${url}/api/v1/nodes`),
        ({ body }) => JSON.stringify(body).includes(`"other_client":["${ID}"]`),
      )
    const { body: nodes } = await toldAt(one.gateway)
    t.match(nodes['data']?.['cluster'], {
      nodes: [
        { node: 'node-a', other_client: [] },
        { node: 'node-b', other_client: [ID] },
      ],
    })
    await toldAt(two.gateway)
    await one.service.stop()
    const nobody = await until(
      () => get(`${two.gateway}/api/v1/nodes`),
      ({ body }) => !JSON.stringify(body).includes('"running"'),
    )
    t.match(nobody.body['data']?.['accounts'], [{ standing: 'no_owner', node: null }])
    const three = await node('node-c')
    await ordersAt(three.gateway)
    const { body } = await get(`${two.gateway}/api/v1/nodes`)
    t.match(body['data']?.['accounts'], [{ standing: 'running', node: 'node-c' }])
    t.match((await ordersAt(two.gateway)).body, { data: { orders: { length: 1 } } })
  },
)
