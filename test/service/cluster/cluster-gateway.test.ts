import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { jetstreamManager } from '@nats-io/jetstream'
import t from 'tap'
import { LINE_LIMITS } from '../../../bench/kit/nats-lines.ts'
import { bucketStream, Kv } from '../../../src/cluster/nats/kv.ts'
import { Line } from '../../../src/cluster/nats/line.ts'
import { CONTROL_BUCKET, IDENTITY_KEY } from '../../../src/cluster/protocol/subjects.ts'
import { type Logger, silentLogger } from '../../../src/observability/logger.ts'
import { deployedServers, NOT_DEPLOYABLE, type User } from '../../cluster/fixtures/deployed.ts'
import { makeStreams, openLine, streamSettings } from '../../cluster/fixtures/nats-lines.ts'
import { NO_SERVERS } from '../../cluster/fixtures/nats-servers.ts'
import { account, get, post, serve, until } from '../fixture.ts'
import {
  at,
  clusterServer,
  HELD,
  ID,
  order,
  ordered,
  ordersAt,
  startNode,
} from '../fixtures/cluster.ts'

const CALL_MS = 10_000

t.test(
  'F213 a gateway passes orders on with the rights of a gateway, and asks for no others',
  { skip: NOT_DEPLOYABLE },
  async (t) => {
    const deployed = await deployedServers(t)
    const line = await Line.open(deployed.settingsOf('provisioner'), LINE_LIMITS, () => undefined)
    await makeStreams(line, streamSettings(3))
    await line.close()
    const folder = t.testdir()
    const warned: string[] = []
    const log: Logger = {
      ...silentLogger,
      warn: (fields: object, text?: string) => void warned.push(JSON.stringify([fields, text])),
      child: () => log,
    }
    const start = (user: User, role: 'node' | 'gateway', more: object = {}) => {
      const own = join(folder, user)
      mkdirSync(own, { recursive: true })
      const { servers, nkeyFile } = deployed.settingsOf(user)
      return serve(t, {
        folder: own,
        ...more,
        overrides: {
          accounts: [{ ...account(ID, [HELD]), eligible: ['n1'] }],
          cluster: {
            node: user,
            role,
            servers,
            nkey_file: nkeyFile,
            ca_file: join(deployed.folder, 'ca.crt'),
            cert_file: join(deployed.folder, 'client.crt'),
            key_file: join(deployed.folder, 'client.key'),
          },
        },
      })
    }
    const node = await start('n1', 'node')
    const gateway = await start('gw1', 'gateway', { log })
    const placed = await ordered(gateway.gateway, 'once')
    const again = await order(node.gateway, 'once')
    t.equal(again.body['data']?.['order_id'], placed.body['data']?.['order_id'], 'one order')
    const { body } = await get(`${gateway.gateway}/api/v1/nodes`)
    t.match(JSON.stringify(body), /"n1"/)
    t.notMatch(JSON.stringify(body), /"node":"gw1","standing"/, 'it is none of those that run any')
    const nobody = await post(`${gateway.gateway}/api/v1/accounts`, {
      account_id: '10000009',
      qmt_path: 'D:/QMT',
    })
    t.equal(nobody.status, 400)
    t.match(JSON.stringify(nobody.body), /eligible/)
    await node.service.stop()
    const unowned = await until(
      () => get(`${at(gateway.gateway)}/orders`),
      ({ status }) => status === 503,
    )
    t.match(unowned.body, {
      code: 'ACTOR_RESTARTING',
      message: /is run by no computer of the cluster/,
    })
    await gateway.service.stop()
    t.strictSame(
      warned.filter((text) => /permission|violation/i.test(text)),
      [],
    )
  },
)

t.test(
  'F763 a gateway finds the account again behind a control bucket that was put back',
  { skip: NO_SERVERS },
  async (t) => {
    const folder = t.testdir()
    const { url } = await clusterServer(t)
    const start = (name: string, role: 'node' | 'gateway') =>
      startNode(t, join(folder, name), name, { url, role, eligible: ['node-a'] })
    const before = await start('node-a', 'node')
    const { gateway } = await start('gate-1', 'gateway')
    await ordered(gateway, 'before')
    await before.service.stop()
    // As a backup of the time before the first account was placed.
    const line = await openLine(t, [url])
    const identity = await new Kv(line, CONTROL_BUCKET).read(IDENTITY_KEY, CALL_MS)
    await (await jetstreamManager(line.connection)).streams.delete(bucketStream(CONTROL_BUCKET))
    await makeStreams(line, streamSettings(1))
    await new Kv(line, CONTROL_BUCKET).create(
      IDENTITY_KEY,
      identity?.bytes ?? new Uint8Array(),
      CALL_MS,
    )
    await start('node-a', 'node')
    await ordered(gateway, 'after', 32.5)
    t.match((await ordersAt(gateway)).body, { data: { orders: { length: 2 } } })
  },
)
