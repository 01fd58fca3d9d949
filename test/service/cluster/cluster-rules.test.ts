import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import { NO_SERVERS } from '../../cluster/fixtures/nats-servers.ts'
import { account, configFile, get, type Json, post, type Served, until } from '../fixture.ts'
import { Child } from '../fixtures/child.ts'
import { clusterServer, ID, NODES, startNode } from '../fixtures/cluster.ts'

/** By node, as a node or a gateway tells it. */
async function rules({ gateway }: Served): Promise<Record<string, unknown>> {
  const { body } = await get(`${gateway}/api/v1/nodes`)
  const nodes = (body['data']?.['cluster']?.['nodes'] ?? []) as unknown as Json[]
  return Object.fromEntries(nodes.map((one) => [String(one['node']), one['other_rules']]))
}

t.test(
  'F963 nodes that would trade an account by other settings are named, at a gateway and by the check',
  { skip: NO_SERVERS },
  async (t: Test) => {
    const folder = t.testdir()
    const { url } = await clusterServer(t)
    const risk = { max_order_value: 50_000 }
    const one = await startNode(t, join(folder, 'a'), 'node-a', { url, more: { risk } })
    const gateway = await startNode(t, join(folder, 'g'), 'gw', { url, role: 'gateway' })
    const strategy = { STOP_LOSS_RATIO: -0.05 }
    await startNode(t, join(folder, 'b'), 'node-b', { url, more: { risk, strategy } })
    const fields = ['strategy.STOP_LOSS_RATIO']
    for (const each of [one, gateway]) {
      t.strictSame(
        await until(
          () => rules(each),
          (seen) => 'node-a' in seen && 'node-b' in seen,
        ),
        { 'node-a': [{ node: 'node-b', fields }], 'node-b': [{ node: 'node-a', fields }] },
      )
    }

    const cluster = { node: 'node-a', servers: [url], replicas: 1 }
    const checking = join(folder, 'a-again')
    mkdirSync(checking)
    const accounts = [{ ...account(ID, []), eligible: NODES }]
    const file = configFile(checking, { accounts, cluster, risk })
    const toldWith = async (named: string) => {
      const { stdout, stderr } = await new Child(t, checking, [
        'cluster',
        'check',
        '--config',
        named,
      ]).exit
      t.strictSame(stderr, [])
      return stdout.filter((line) => /^\w+ +rules /.test(line))
    }
    const apart = /^fail +rules .*node-a.*node-b.*strategy\.STOP_LOSS_RATIO/
    const told = await toldWith(file)
    t.equal(told.length, 1)
    t.match(told[0], apart)

    const none = configFile(checking, { accounts: [], cluster, risk })
    t.match((await toldWith(none))[0], /^ok +rules /, 'nodes that share no account')
    const registered = await post(`${one.gateway}/api/v1/accounts`, {
      account_id: '10000009',
      qmt_path: '/qmt',
      eligible: NODES,
    })
    t.equal(registered.status, 201, JSON.stringify(registered.body))
    t.match((await toldWith(none))[0], apart, 'one that was registered while they ran')
  },
)
