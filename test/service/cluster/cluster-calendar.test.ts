import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import { giveClosedDays } from '../../../src/market/closed-days.ts'
import type { Logger } from '../../../src/observability/logger.ts'
import { NO_SERVERS } from '../../cluster/fixtures/nats-servers.ts'
import { account, configFile, get, type Json, type Served, until } from '../fixture.ts'
import { Child } from '../fixtures/child.ts'
import { clusterServer, ID, NODES, startNode } from '../fixtures/cluster.ts'

const [A_DAY, ANOTHER] = ['2031-02-03', '2031-02-04'] as const

interface Said {
  readonly level: string
  readonly fields: Json
}

function listening(said: Said[]): Logger {
  const hear = (level: string) => (fields: object) =>
    void said.push({ level, fields: fields as unknown as Json })
  const log: Logger = {
    debug: hear('debug'),
    info: hear('info'),
    warn: hear('warn'),
    error: hear('error'),
    child: () => log,
  }
  return log
}

/** Of each node, as a node or a gateway tells it. */
async function calendars({ gateway }: Served): Promise<Record<string, unknown>> {
  const { body } = await get(`${gateway}/api/v1/nodes`)
  const nodes = (body['data']?.['cluster']?.['nodes'] ?? []) as unknown as Json[]
  return Object.fromEntries(nodes.map((one) => [String(one['node']), one['closed_days']]))
}

const differing = (said: readonly Said[]) =>
  said.filter(({ fields }) => String(fields['alert']) === 'closed_days_differ')

t.test(
  'F925 a node whose exchange is closed on other days is named to whoever looks, and by the check',
  { skip: NO_SERVERS },
  async (t: Test) => {
    t.teardown(() => giveClosedDays([])) // of this process, which later tests share
    const folder = t.testdir()
    const { url } = await clusterServer(t)
    const said: Said[] = []
    const own = { url, closedDays: [ANOTHER, A_DAY] }
    const one = await startNode(t, join(folder, 'a'), 'node-a', {
      ...own,
      serve: { log: listening(said) },
    })
    // The same days, told otherwise: a weekend is closed anyhow.
    const closedDays = [A_DAY, ANOTHER, '2031-02-08', A_DAY]
    const gateway = await startNode(t, join(folder, 'g'), 'gw', {
      url,
      role: 'gateway',
      closedDays,
    })
    for (const each of [one, gateway]) {
      t.strictSame(
        await until(
          () => calendars(each),
          (seen) => 'node-a' in seen,
        ),
        { 'node-a': 'same' },
      )
    }
    t.strictSame(differing(said), [])

    await startNode(t, join(folder, 'b'), 'node-b', { url, closedDays: [A_DAY] })
    for (const each of [one, gateway]) {
      t.strictSame(
        await until(
          () => calendars(each),
          (seen) => 'node-b' in seen,
        ),
        { 'node-a': 'same', 'node-b': 'other' },
      )
    }
    await until(
      async () => differing(said).length,
      (count) => count > 0,
    )
    t.match(differing(said), [{ level: 'error', fields: { node: 'node-b' } }])
    t.equal(differing(said).length, 1, 'once')

    const cluster = { node: 'node-a', servers: [url], replicas: 1 }
    const checking = join(folder, 'a-again')
    mkdirSync(checking)
    const accounts = [{ ...account(ID, []), eligible: NODES }]
    const file = configFile(checking, { accounts, cluster, closed_days: own.closedDays })
    const { stdout, stderr } = await new Child(t, checking, ['cluster', 'check', '--config', file])
      .exit
    t.strictSame(stderr, [])
    const [told = '', ...more] = stdout.filter((line) => line.includes('closed_days'))
    t.match(told, /^fail +closed_days .*node-b/)
    t.notMatch(told, /node-a/)
    t.notOk(
      more.some((line) => /^(ok|warn|fail) /.test(line)),
      'it is one thing',
    )
  },
)
