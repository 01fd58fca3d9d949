import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import { WATCHED } from '../../../src/service/watchdog/watched.ts'
import { NO_SERVERS } from '../../cluster/fixtures/nats-servers.ts'
import { account, configFile, get, type Json, serve } from '../fixture.ts'
import { Child, LAUNCHER } from '../fixtures/child.ts'
import {
  at,
  clusterServer,
  HELD,
  ID,
  LEASES,
  NODES,
  ordered,
  ordersAt,
} from '../fixtures/cluster.ts'
import { EventReader } from '../fixtures/event-stream.ts'

/** It looks by itself so seldom that what a test waits for has been told by the servers. */
const SELDOM = { sse_interval_ms: 60_000 }

async function desk(t: Test) {
  const folder = t.testdir()
  const { url } = await clusterServer(t)
  const settingsOf = (node: string, http: object) => ({
    accounts: [{ ...account(ID, [HELD]), eligible: NODES }],
    cluster: { node, servers: [url], replicas: 1 },
    limits: { cluster: LEASES, http },
  })
  const folderOf = (name: string) => {
    mkdirSync(join(folder, name))
    return join(folder, name)
  }
  return {
    serve: async (name: string, http: object = {}): Promise<string> => {
      const node = { folder: folderOf(name), overrides: settingsOf(name, http) }
      return (await serve(t, node)).gateway
    },
    /** A process of its own, without a watchdog that would start it again. */
    child: async (name: string) => {
      const own = folderOf(name)
      const file = configFile(own, settingsOf(name, {}))
      const env = { [WATCHED]: 'first' }
      const child = new Child(t, own, ['up', '--config', file], LAUNCHER, env)
      const [url = ''] = await child.ready()
      return { child, url }
    },
  }
}

t.test(
  'F195 a stream goes on when its account moves, and at another gateway: each entry once',
  { skip: NO_SERVERS },
  async (t) => {
    const nodes = await desk(t)
    const owner = await nodes.child('node-a')
    await ordered(owner.url, 'first', 32)
    const standby = await nodes.serve('node-b')
    const one = await nodes.serve('gate-1', SELDOM)
    await ordersAt(one)

    const stream = await EventReader.open(t, `${at(one)}/events`)
    await stream.until(({ id }) => id !== '', 'the first event')
    await ordered(one, 'second', 32.1)
    await stream.until((reader) => reader.count('orderSubmitted') === 1, 'the second order')

    await owner.child.kill()
    await ordered(one, 'third', 32.2)
    await stream.until((reader) => reader.count('orderSubmitted') === 2, 'the third order')
    stream.close()
    await ordered(standby, 'fourth', 32.3)

    const two = await nodes.serve('gate-2')
    const back = await EventReader.open(t, `${at(two)}/events`, stream.id)
    await back.until((reader) => reader.count('orderSubmitted') === 1, 'the fourth order')
    back.close()

    const heard = [...stream.events, ...back.events]
    t.notOk(
      heard.some(({ resync }) => resync),
      'nothing was missed',
    )
    const after = stream.events.find(({ journal_seq }) => journal_seq !== undefined)?.journal_seq
    const last = Number.parseInt(back.id, 10)
    const page = `${at(standby)}/audit?quiet=true&limit=500&after=${after}`
    const kept = (await get(page)).body['data']?.['entries'] as unknown as readonly Json[]
    t.strictSame(
      [...stream.entries, ...back.entries].map(({ hash }) => hash),
      kept.filter(({ seq }) => Number(seq) <= last).map(({ hash }) => String(hash)),
      'all of the journal, once and in its order',
    )
  },
)
