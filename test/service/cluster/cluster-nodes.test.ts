import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { NO_SERVERS } from '../../cluster/fixtures/nats-servers.ts'
import { account, get, type Json, serve, until } from '../fixture.ts'
import { clusterServer, LEASES, NODES } from '../fixtures/cluster.ts'

const [FIRST, SECOND] = ['10000001', '10000002'] as const
/** Short, so that what a person is told after seconds comes soon. */
const TIMES = {
  ...LEASES,
  census_age_ms: 50,
  // Not that of a busy computer.
  census_timeout_ms: 5_000,
}
const told = ({ body }: { readonly body: Json }) => body['data'] as Json

t.test('every node tells of all nodes, and who runs what', { skip: NO_SERVERS }, async (t) => {
  const folder = t.testdir()
  const server = await clusterServer(t)
  const node = (name: string) => {
    const own = join(folder, name)
    mkdirSync(own)
    return serve(t, {
      folder: own,
      overrides: {
        accounts: [
          { ...account(FIRST, []), eligible: NODES },
          { ...account(SECOND, []), eligible: ['node-b'] },
        ],
        cluster: { node: name, servers: [server.url], replicas: 1 },
        limits: { cluster: TIMES },
      },
    })
  }
  const nodesOf = async (url: string) => told(await get(`${url}/api/v1/nodes`))
  const standings = (data: Json) =>
    Object.fromEntries(
      (data['accounts'] as unknown as Json[]).map((one) => [
        String(one['account_id']),
        `${one['standing']} ${one['node']}`,
      ]),
    )

  const one = await node('node-a')
  const alone = await until(
    () => nodesOf(one.gateway),
    (data) => standings(data)[FIRST] === 'running node-a',
  )
  t.equal(standings(alone)[SECOND], 'no_owner null', 'nobody is there who may run it')
  t.match(alone['cluster'], {
    node: 'node-a',
    is_current: true,
    may_act: true,
    nodes: [{ node: 'node-a', standing: 'up', is_this: true, version: /^\d+\.\d+/ }],
  })

  const two = await node('node-b')
  for (const { gateway } of [one, two]) {
    const both = await until(
      () => nodesOf(gateway),
      (data) => standings(data)[SECOND] === 'running node-b',
    )
    t.equal(standings(both)[FIRST], 'running node-a')
    const nodes = (both['cluster'] as Json)['nodes'] as unknown as Json[]
    t.strictSame(
      nodes.map((each) => [each['node'], each['standing'], each['accounts']]),
      [
        ['node-a', 'up', [FIRST]],
        ['node-b', 'up', [SECOND]],
      ],
    )
  }
  const text = await (await fetch(`${one.gateway}/metrics`)).text()
  t.match(text, /^steward_cluster_may_act 1$/m)
  t.match(text, /^steward_cluster_is_current 1$/m)
  t.match(text, /^steward_cluster_nodes\{standing="up"\} 2$/m)
  t.match(text, /^steward_cluster_accounts\{standing="running"\} 2$/m)
  t.match(text, /^steward_cluster_node_accounts\{node="node-b"\} 1$/m)
  t.match(text, /^steward_cluster_lease_seconds [1-3]\.\d/m)
  t.match(text, /^steward_cluster_journal_append_seconds_count [1-9]/m)
  const all = await (await fetch(`${one.gateway}/metrics?nodes=all`)).text()
  t.match(all, /^steward_cluster_told\{node="node-b"\} 1$/m)
  for (const name of ['node-a', 'node-b']) {
    t.match(all, new RegExp(`^steward_cluster_may_act\\{told_by="${name}"\\} 1$`, 'm'))
    t.match(all, new RegExp(`^nodejs_eventloop_lag_seconds\\{told_by="${name}"\\} `, 'm'))
  }
  t.equal(all.match(/^# TYPE steward_cluster_may_act gauge$/gm)?.length, 1)

  await two.service.stop()
  const left = await until(
    () => nodesOf(one.gateway),
    (data) => standings(data)[SECOND] === 'no_owner null',
  )
  t.match((left['cluster'] as Json)['nodes'], [{ standing: 'up' }, { standing: 'gone' }])

  await server.kill()
  const away = await until(
    () => nodesOf(one.gateway),
    (data) => String((data['cluster'] as Json)['may_act']) === 'false',
  )
  t.match(away['cluster'], { is_current: false, nodes: [{ standing: 'unknown' }, {}] })
  t.strictSame(standings(away), { [FIRST]: 'unknown null', [SECOND]: 'unknown null' })
  await server.start()
  await until(
    () => nodesOf(one.gateway),
    (data) => standings(data)[FIRST] === 'running node-a',
  )
})
