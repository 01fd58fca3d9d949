import t, { type Test } from 'tap'
import { type Answer, account, get, type Json, post, type Served, serve, until } from './fixture.ts'

const ID = '10000001'
const HELD = { stock_code: '600036', volume: 1_000, cost_price: 35.1 }
const SHENZHEN = { stock_code: '000001', volume: 1_000, cost_price: 11 }
const buy = { stock_code: '600036', order_type: 23, order_volume: 100, price_type: 5 }
const sell = { ...buy, order_type: 24 }
/** Nobody trades an index: the counter refuses it. */
const junk = { ...buy, stock_code: '399001.SZ' }

const overrides = {
  accounts: [account(ID, [HELD, SHENZHEN])],
  gateway: { host: '127.0.0.1', port: 0, rate_limit: 0 },
  log: { level: 'silent' },
  risk: {
    max_orders_per_second: 0,
    max_orders_per_day: 0,
    max_rejects_in_row: 2,
    max_daily_loss: 1_000_000,
    refuse_duplicates: false,
  },
  limits: {
    runtime: { restart_backoff_min_ms: 1, restart_backoff_max_ms: 10, restart_intensity: 1_000 },
    account: { reconcile_interval_ms: 100, position_query_interval_ms: 100, ping_interval_ms: 100 },
  },
}

const v1 = ({ gateway }: Served) => `${gateway}/api/v1/accounts/${ID}`
const orders = (served: Served, order: object) => post(`${v1(served)}/orders`, order)
const level = async (served: Served): Promise<Json> =>
  (await get(`${v1(served)}/kill-switch`)).body['data'] ?? {}
const set = (served: Served, body: object) => post(`${served.direct[0]}/api/kill-switch`, body)
const listed = async ({ direct }: Served): Promise<readonly Json[]> =>
  ((await get(`${direct[0]}/api/orders`)).body['data'] ?? []) as unknown as Json[]
const isReady = ({ status, body }: Answer) =>
  status === 200 && String(body['data']?.['ready']) === 'true'

async function begin(
  t: Test,
  folder = t.testdir(),
  changed: Partial<typeof overrides> = {},
): Promise<Served> {
  const served = await serve(t, { folder, overrides: { ...overrides, ...changed } })
  await ready(served)
  return served
}

async function ready(served: Served): Promise<void> {
  await until(() => get(`${v1(served)}/status`), isReady)
  await until(
    () => get(`${served.gateway}/api/v1/market/tick?stock_codes=600036,000001`),
    ({ body }) => body['data']?.['600036'] !== undefined && body['data']['000001'] !== undefined,
  )
}

/** A purchase far below the price, which rests. Returns its number. */
async function resting(t: Test, served: Served): Promise<number> {
  const quoted = await get(`${served.gateway}/api/v1/market/tick?stock_codes=600036`)
  const last = Number(quoted.body['data']?.['600036']?.['lastPrice'])
  const price = Math.round(last * 95) / 100
  const placed = await orders(served, { ...buy, price_type: 11, price })
  t.equal(placed.status, 201, JSON.stringify(placed.body))
  return Number(placed.body['data']?.['order_id'])
}

t.test('the switch stops what its level says, on both backends, over restarts', async (t) => {
  const folder = t.testdir()
  const served = await begin(t, folder)
  t.match(await level(served), { level: 'off', since: null, level_in_force: 'off' })
  const order = await resting(t, served)
  const answered = await set(served, { level: 'entries', reason: 'drill' })
  t.match(answered, {
    status: 200,
    body: { status: 'success', level: 'entries', reason: 'drill', source: /^http\/direct\// },
  })
  t.match(await orders(served, buy), { status: 409, body: { code: 'KILL_SWITCH' } })
  t.equal((await orders(served, sell)).status, 201)
  t.equal((await post(`${v1(served)}/restart`)).status, 200)
  await ready(served)
  const again = await level(served)
  t.match(again, { level: 'entries', reason: 'drill' })
  t.equal(again['since'], answered.body['since'])
  const canceled = await post(`${served.direct[0]}/api/orders/${order}/cancel`)
  t.match(canceled, { status: 200, body: { result: 0 } })
  await served.service.stop()

  const next = await begin(t, folder)
  t.match(await level(next), { level: 'entries', reason: 'drill', since: answered.body['since'] })
  t.match(await post(`${v1(next)}/kill-switch`, { level: 'off' }), {
    status: 200,
    body: { success: true, data: { level: 'off' } },
  })
  t.equal((await orders(next, buy)).status, 201)
})

t.test('cancel_all cancels what is open', async (t) => {
  const served = await begin(t)
  await Promise.all([resting(t, served), resting(t, served)])
  t.match(await set(served, { level: 'cancel_all' }), { body: { level: 'cancel_all' } })
  const rows = await until(
    () => listed(served),
    (all) => all.every(({ status }) => String(status) === '54'),
  )
  t.equal(rows.length, 2)
  t.match(await orders(served, sell), { status: 409, body: { code: 'KILL_SWITCH' } })
  t.match(await level(served), { open_orders: 0 })
})

t.test(
  "the counter's words stand in the list, with code and meaning; two in a row stop everything",
  async (t) => {
    const served = await begin(t)
    t.equal((await orders(served, junk)).status, 201)
    await orders(served, junk)
    const rows = await until(
      () => listed(served),
      (all) => all.length === 2 && all.every(({ status }) => String(status) === '57'),
    )
    for (const row of rows) {
      t.match(row, {
        status_desc: '证券代码不可交易：399001.SZ',
        refusal_code: 'CODE_NOT_TRADABLE',
        refusal_explanation: /does not trade this code/,
      })
    }
    t.match(await level(served), { level: 'all', source: 'trigger:max_rejects_in_row' })
    t.match(await orders(served, sell), { status: 409, body: { code: 'KILL_SWITCH' } })
  },
)

t.test('both sides are compared again and again while orders fill, and agree', async (t) => {
  const served = await begin(t)
  const rounds = Array.from({ length: 30 }, (_, i) => (i % 3 === 0 ? sell : buy))
  for (const order of rounds) t.equal((await orders(served, order)).status, 201)
  const { body } = await until(
    () => get(`${served.direct[0]}/api/reconcile`),
    (answer) => String(answer.body['last_run']?.['cause']) === 'periodic',
  )
  t.match(body, { status: 'success', result: 'ok' })
  t.strictSame([body['differences'], body['orders_in_doubt']], [[], []])
  const mirrored = await get(`${v1(served)}/reconcile`)
  t.match(mirrored, { status: 200, body: { success: true, data: { result: 'ok' } } })
})

t.test(
  'prices that fall past the loss of the day stop purchases at once, without any request',
  async (t) => {
    const hourMs = 3_600_000
    const served = await begin(t, t.testdir(), {
      risk: { ...overrides.risk, max_daily_loss: 5 },
      limits: {
        ...overrides.limits,
        account: {
          reconcile_interval_ms: hourMs,
          position_query_interval_ms: hourMs,
          ping_interval_ms: hourMs,
        },
      },
    })
    const raised = await until(
      () => level(served),
      (shown) => String(shown['level']) !== 'off',
      10_000,
    )
    t.match(raised, { level: 'entries', source: 'trigger:max_daily_loss' })
    t.match(await orders(served, buy), { status: 409, body: { code: 'KILL_SWITCH' } })
    t.equal((await orders(served, sell)).status, 201)
  },
)
