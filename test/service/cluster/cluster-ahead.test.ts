import { rmSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { createLogger } from '../../../src/observability/logger.ts'
import { NO_SERVERS } from '../../cluster/fixtures/nats-servers.ts'
import { account, get, post, serve, until } from '../fixture.ts'
import { at, clusterServer, HELD, ID, order, startNode } from '../fixtures/cluster.ts'

const ready = (url: string) =>
  until(
    async () => (await get(`${at(url)}/status`)).body,
    (body) => String(body['data']?.['ready']) === 'true',
  )

t.test(
  'F425 a trading client that has seen a later owner than the cluster gets one that is later still',
  { skip: NO_SERVERS },
  async (t) => {
    const folder = t.testdir()
    const { url } = await clusterServer(t)
    for (let life = 1; life <= 3; life++) {
      const overrides = { accounts: [account(ID, [HELD])] }
      const { service, gateway } = await serve(t, { folder, overrides })
      await ready(gateway)
      await service.stop()
    }
    // As docs/cluster.md says where the cluster is right; what the client has seen lies elsewhere.
    rmSync(join(folder, 'data', ID), { recursive: true })
    const lines: string[] = []
    const log = createLogger({ name: 'main', write: (line) => lines.push(line) })
    const { gateway } = await startNode(t, folder, 'node-a', {
      url,
      eligible: ['node-a'],
      serve: { log },
    })
    await ready(gateway)
    const reconciled = async () => (await get(`${at(gateway)}/reconcile`)).body['data']
    const restore = await until(
      async () => (await reconciled())?.['restore'],
      (found) => found?.['compared'] !== undefined,
    )
    t.match(restore, { epoch: 1, client_epoch: 3, compared: String })
    const said = lines.map((line) => JSON.parse(line) as Record<string, unknown>)
    const owned = said.filter(({ msg }) => msg === 'account owned').map(({ epoch }) => epoch)
    t.strictSame(owned, [1, 4], 'once more, and beyond what the client has seen')
    const mark = restore?.['mark']
    t.match(await post(`${at(gateway)}/reconcile/confirm`, { mark }), { status: 200 })
    const placed = await order(gateway, 'k')
    t.match(placed, { status: 201 }, 'and it trades')
  },
)
