import { once } from 'node:events'
import { mkdirSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import t from 'tap'
import { HostileProxy, isOrder } from '../drivers/gateway/proxy.ts'
import { freePort } from '../free-ports.ts'
import { account, get, type Json, until } from './fixture.ts'
import { comingMorningMs } from './fixtures/coming-morning.ts'
import { CLOCK_LIMITS, Computer } from './fixtures/computer.ts'
import { playStopScene, type StopRig, type TerminalNews } from './fixtures/stop-scene.ts'

const ACCOUNT = '10000001'
const CODE = '600036'
const HELD = { stock_code: CODE, volume: 1_050, cost_price: 35.1, stock_name: '招商银行' }
const LOOK_MS = 20
const RISK = {
  max_orders_per_second: 0,
  max_orders_per_day: 0,
  max_rejects_in_row: 0,
  refuse_duplicates: false,
}

/** Where the peer has its quotes from. */
async function openQuotes(t: { teardown(then: () => unknown): void }) {
  let tick: object = {}
  const server = createServer((_, response) => {
    response.writeHead(200, { 'Content-Type': 'application/json' })
    response.end(JSON.stringify({ success: true, data: { [`${CODE}.SH`]: tick }, error: null }))
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.teardown(() => {
    server.closeAllConnections()
    server.close()
  })
  const set = (lastPrice: number): void => {
    const bidPrice = [lastPrice - 0.01, 0, 0, 0, 0]
    const levels = { bidVol: [9_000, 0, 0, 0, 0], askVol: [9_000, 0, 0, 0, 0] }
    const prices = { open: 36, high: 36, low: lastPrice, lastClose: 35.5, volume: 1, amount: 1 }
    const askPrice = [lastPrice, 0, 0, 0, 0]
    tick = { time: Date.now(), lastPrice, ...prices, bidPrice, askPrice, ...levels }
  }
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, set }
}

t.test('F104 a stop over two services, the other one restarted in the session', async (t) => {
  const folder = t.testdir({ peer: {}, desk: {} })
  const quotes = await openQuotes(t)
  const port = await freePort()
  const base = `http://127.0.0.1:${port}`
  const rightMs = comingMorningMs(Date.now()) - Date.now()
  mkdirSync(join(folder, 'peer'), { recursive: true })
  const peer = new Computer(t, {
    folder: join(folder, 'peer'),
    rightMs,
    overrides: {
      accounts: [{ ...account(ACCOUNT, [HELD]), driver: 'paper' }],
      market: { source: 'gateway', url: quotes.url },
      gateway: { host: '127.0.0.1', port, rate_limit: 0 },
      risk: RISK,
      limits: { market: CLOCK_LIMITS, gateway: { quotes_poll_ms: 50 } },
    },
  })
  const proxy = await HostileProxy.open(port)
  t.teardown(() => proxy.close())
  quotes.set(36)
  await peer.start()

  let tell: (news: TerminalNews) => void = () => undefined
  const keys = new Set<string>()
  proxy.mischief = (request) => {
    if (request.path.includes('/market/tick')) tell('subscribed')
    if (isOrder(request)) tell('order')
    return undefined
  }
  proxy.answered = (request, status) => {
    if (isOrder(request) && status === 201) keys.add(String(request.headers['idempotency-key']))
  }
  const filled = async (): Promise<number> => {
    const { body } = await get(`${base}/api/v1/accounts/${ACCOUNT}/orders`)
    const rows = (body['data']?.['orders'] ?? []) as unknown as Json[]
    return rows.filter((row) => Number(row['status']) === 56).length
  }
  let known = 0
  const looking = setInterval(() => {
    filled().then(
      (count) => {
        if (count > known) tell('filled')
        known = Math.max(known, count)
      },
      () => undefined, // it is away
    )
  }, LOOK_MS)
  t.teardown(() => clearInterval(looking))

  const gateway = { url: proxy.url }
  const rig: StopRig = {
    folder: join(folder, 'desk'),
    code: CODE,
    overrides: {
      accounts: [
        {
          ...account(ACCOUNT, []),
          paper: undefined,
          driver: 'gateway',
          gateway,
          call_timeout: 5,
          reconnect_interval: 0.1,
        },
      ],
      market: { source: 'gateway', url: proxy.url },
    },
    tick: quotes.set,
    restartTerminal: async (whileAway) => {
      await peer.stop()
      await whileAway()
      await peer.start()
    },
    orders: () => keys.size,
    watch: (listener) => {
      tell = listener
    },
  }
  const { measured } = await playStopScene(t, rig)
  for (const part of ['tick_to_step', 'tick_to_intent', 'step_to_durable', 'durable_to_submit']) {
    t.type(measured[part], 'number', `${part} was measured`)
  }
  const rows = await until(
    () => get(`${base}/api/v1/accounts/${ACCOUNT}/orders`),
    ({ status }) => status === 200,
  )
  const listed = (rows.body['data']?.['orders'] ?? []) as unknown as Json[]
  t.equal(listed.length, keys.size, 'as many orders there as keys were sent')
  await peer.stop()
})
