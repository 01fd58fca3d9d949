import { mkdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { createLogger } from '../../src/observability/logger.ts'
import { makeStreams, openLine, streamSettings } from '../cluster/fixtures/nats-lines.ts'
import { NO_SERVERS, natsServers } from '../cluster/fixtures/nats-servers.ts'
import { account, get, post, serve, until } from './fixture.ts'

const ID = '10000001'
const HELD = { stock_code: '600036', volume: 1_000, cost_price: 35.1 }
const TIMES = {
  lease_ttl_ms: 4_000,
  lease_renew_ms: 600,
  lease_margin_ms: 200,
  engine_timeout_ms: 500,
  claim_rank_delay_ms: 600,
}
const V1 = (url: string) => `${url}/api/v1/accounts/${ID}`
const ready = (url: string) =>
  until(
    async () => (await get(`${V1(url)}/status`)).body,
    (body) => String(body['data']?.['ready']) === 'true',
  )

t.test(
  'F425 a trading client that has seen a later owner than the cluster gets one that is later still',
  { skip: NO_SERVERS },
  async (t) => {
    const root = t.testdir()
    const servers = await natsServers(t, { count: 1 })
    const urls = servers.map(({ url }) => url)
    const folder = join(root, 'node-a')
    mkdirSync(folder, { recursive: true })
    for (let life = 1; life <= 3; life++) {
      const overrides = { accounts: [account(ID, [HELD])] }
      const { service, gateway } = await serve(t, { folder, overrides })
      await ready(gateway)
      await service.stop()
    }
    // As docs/cluster.md says where the cluster is right; what the client has seen lies elsewhere.
    rmSync(join(folder, 'data', ID), { recursive: true })
    await makeStreams(await openLine(t, urls), streamSettings(1))
    const lines: string[] = []
    const log = createLogger({ name: 'main', write: (line) => lines.push(line) })
    const { gateway } = await serve(t, {
      folder,
      log,
      overrides: {
        accounts: [{ ...account(ID, [HELD]), eligible: ['node-a'] }],
        cluster: { node: 'node-a', servers: urls, replicas: 1 },
        limits: { cluster: TIMES },
      },
    })
    await ready(gateway)
    const reconciled = async () => (await get(`${V1(gateway)}/reconcile`)).body['data']
    const restore = await until(
      async () => (await reconciled())?.['restore'],
      (found) => found?.['compared'] !== undefined,
    )
    t.match(restore, { epoch: 1, client_epoch: 3, compared: String })
    const said = lines.map((line) => JSON.parse(line) as Record<string, unknown>)
    const owned = said.filter(({ msg }) => msg === 'account owned').map(({ epoch }) => epoch)
    t.strictSame(owned, [1, 4], 'once more, and beyond what the client has seen')
    const mark = restore?.['mark']
    t.match(await post(`${V1(gateway)}/reconcile/confirm`, { mark }), { status: 200 })
    const body = {
      stock_code: '600036',
      order_type: 23,
      order_volume: 100,
      price_type: 11,
      price: 32,
    }
    const placed = await post(`${V1(gateway)}/orders`, body, { 'Idempotency-Key': 'k' })
    t.match(placed, { status: 201 }, 'and it trades')
  },
)
