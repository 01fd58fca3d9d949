import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import { NO_SERVERS } from '../../cluster/fixtures/nats-servers.ts'
import { account, get, type Json, type Position, post, serve, until } from '../fixture.ts'
import { at, clusterServer, LEASES } from '../fixtures/cluster.ts'

const [GIVER, TAKER] = ['10000001', '10000002']
/** It costs here what the other computer quotes it at, so that its prices are near that. */
const PRICED: Position = { stock_code: '600036', volume: 100, cost_price: 35 }
/** The same stock, far below its costs. */
const LOSING: Position = { stock_code: '600036', volume: 1_000, cost_price: 45 }
/** Wanted by this computer alone. */
const CALM: Position = { stock_code: '601318', volume: 500, cost_price: 48 }
/** Of quotes, and of the leases of those who give and take them: what is waited for comes in seconds. */
const LIMITS = {
  cluster: {
    quote_want_ms: 100,
    quote_forget_ms: 5_000,
    quote_silence_ms: 4_000,
    ...LEASES,
  },
}
const STRATEGY = {
  ENABLE_AUTO_OPERATION: true,
  ENABLE_AUTO_TRADING: true,
  MONITOR_LOOP_INTERVAL: 0.1, // three looks make a stock watched
}
const RISK = {
  max_orders_per_second: 0,
  max_orders_per_day: 0,
  max_rejects_in_row: 0,
  refuse_duplicates: false,
  stale_quote_seconds: 5,
}
const SALE = { stock_code: '601318', order_type: 24, order_volume: 100, price_type: 5, price: 0 }

async function cluster(t: Test) {
  const folder = t.testdir()
  const { url } = await clusterServer(t)
  return (node: string, accountId: string, positions: readonly Position[], market: object) => {
    const own = join(folder, node)
    mkdirSync(own, { recursive: true })
    return serve(t, {
      folder: own,
      overrides: {
        accounts: [{ ...account(accountId, positions), eligible: [node] }],
        cluster: { node, servers: [url], replicas: 1 },
        market,
        strategy: STRATEGY,
        risk: RISK,
        limits: LIMITS,
      },
    })
  }
}

const rows = ({ body }: { readonly body: Json }, name: string): readonly Json[] =>
  (body['data']?.[name] ?? []) as unknown as readonly Json[]

t.test(
  'F198 a stop falls by the quotes of another computer; without them they are stale and nothing is bought or sold by hand',
  { skip: NO_SERVERS },
  async (t) => {
    const start = await cluster(t)
    const simulated = { source: 'simulated', interval_ms: 50 }
    const giver = () => start('node-a', GIVER, [PRICED], simulated)
    const first = await giver()
    const taker = await start('node-b', TAKER, [LOSING, CALM], {
      source: 'cluster',
      quotes: 'simulated',
    })
    const { gateway } = taker
    const isStop = (row: Json) =>
      String(row['strategy']) === 'stop_loss' && String(row['state']) === 'filled'
    const orders = await until(
      () => get(`${at(gateway, TAKER)}/orders`),
      (answer) => rows(answer, 'orders').some(isStop),
    )
    const [sold] = rows(orders, 'orders').filter(isStop)
    t.match(sold, { stock_code: /600036/, trade_type: 'SELL', traded_volume: 1_000 })
    const price = Number(sold?.['traded_price'])
    t.ok(Math.abs(price - 35) < 3, `${price} is near the price of the other computer`)
    const sourceOf = (url: string, id: string) =>
      get(`${url}/api/v1/market/source?account_id=${id}`)
    const codesOf = ({ body }: { readonly body: Json }) =>
      Number(body['data']?.['from']?.['nodes']?.[0]?.['codes'])
    const both = await until(
      () => sourceOf(gateway, TAKER),
      (answer) => codesOf(answer) === 2,
    )
    t.match(both.body, {
      data: {
        source: 'cluster',
        from: { nodes: [{ node: 'node-a', source: 'simulated' }], silent: 0, is_connected: true },
        given: 0,
      },
    })
    const metrics = async (url: string) => (await fetch(`${url}/metrics`)).text()
    t.match(
      await metrics(gateway),
      /^steward_quotes_from_codes\{node="node-a",source="simulated"\} 2$/m,
    )
    t.match(await metrics(first.gateway), /^steward_quotes_given_codes 2$/m)
    t.match((await sourceOf(first.gateway, GIVER)).body, {
      data: { source: 'simulated', from: null, given: 2 },
    })

    const order = (key: string, change: object = {}) =>
      post(`${at(gateway, TAKER)}/orders`, { ...SALE, ...change }, { 'Idempotency-Key': key })
    t.equal((await order('quoted')).status, 201)
    await first.service.stop()
    const isHeld = (answer: { readonly body: Json }) =>
      rows(answer, 'holds').some(({ name }) => String(name) === 'stale_market')
    await until(() => get(`${at(gateway, TAKER)}/kill-switch`), isHeld)
    t.match((await order('stale')).body, { code: 'STALE_QUOTE' })
    t.match((await order('stale-buy', { order_type: 23 })).status, 409, 'nor is anything bought')
    const alone = await until(
      () => sourceOf(gateway, TAKER),
      ({ body }) => Number(body['data']?.['from']?.['silent']) === 2,
    )
    t.match(alone.body, { data: { from: { nodes: [] } } })

    await giver()
    await until(
      () => get(`${at(gateway, TAKER)}/kill-switch`),
      (answer) => !isHeld(answer),
    )
    t.equal((await order('again')).status, 201, 'with its quotes it goes on')
  },
)
