import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import t, { type Test } from 'tap'
import { type StoredEntry, TABLE } from '../../src/protocol/store.ts'
import { verifyChain } from '../../src/storage/journal-chain.ts'
import { type Answer, account, get, type Json, post, type Served, serve, until } from './fixture.ts'
import { Bystander } from './fixtures/bystander.ts'
import { accountTables, paperTables, rowsOf } from './fixtures/disk.ts'

const [VICTIM, OTHER] = ['10000001', '10000002'] as const
const [VICTIM_SLOT, OTHER_SLOT] = [1, 2]
const BANK = { stock_code: '600036', volume: 100_000, cost_price: 35.1 }

/** Back-off long enough to be seen, a heap that is soon full. */
const settings = (runtime: object = {}) => ({
  accounts: [VICTIM, OTHER].map((id) => account(id, [BANK], 100_000_000)),
  gateway: { host: '127.0.0.1', port: 0, rate_limit: 0 },
  risk: { max_orders_per_second: 0, max_orders_per_day: 0, max_rejects_in_row: 0 },
  log: { level: 'silent' },
  limits: {
    runtime: {
      account_heap_mb: 32,
      heartbeat_check_ms: 50,
      restart_backoff_min_ms: 400,
      restart_backoff_max_ms: 400,
      restart_intensity: 1_000,
      ...runtime,
    },
    account: { doubt_query_interval_ms: 50, doubt_settle_ms: 100 },
  },
})

const rows = ({ body }: Answer): readonly Json[] => (body['data'] ?? []) as unknown as Json[]
const url = ({ gateway }: Served, id: string) => `${gateway}/api/v1/accounts/${id}`
const isReady = ({ status, body }: Answer) =>
  status === 200 && String(body['data']?.['ready']) === 'true'
const ready = (served: Served, id: string) => until(() => get(`${url(served, id)}/status`), isReady)
const buy = { stock_code: '600036', order_type: 23, order_volume: 100, price_type: 5 }

/** Ready, with a price for what is held. */
async function begin(t: Test, runtime: object = {}): Promise<Served> {
  const served = await serve(t, { overrides: settings(runtime) })
  for (const id of [VICTIM, OTHER]) await ready(served, id)
  await until(
    () => get(`${served.gateway}/api/v1/market/tick?stock_codes=600036`),
    ({ body }) => body['data']?.['600036'] !== undefined,
  )
  return served
}

/** What an account knows, without what moves with the market. */
async function known({ direct }: Served, index: number): Promise<Json> {
  const read = async (name: string) => rows(await get(`${direct[index]}/api/${name}`))
  const positions = (await read('positions-all')).map(({ stock_code, volume, cost_price }) => ({
    stock_code,
    volume,
    cost_price,
  }))
  const [orders, records] = [await read('orders'), await read('trade-records')]
  return { orders, records, positions } as unknown as Json
}

t.test('a thread that throws, hangs or eats memory is restarted alone', async (t) => {
  const served = await begin(t)
  const { board, supervisor } = served.service.house
  const key = { 'Idempotency-Key': 'before' }
  t.equal((await post(`${url(served, VICTIM)}/orders`, buy, key)).status, 201)
  await until(
    () => get(`${served.direct[0]}/api/orders`),
    (answer) => String(rows(answer)[0]?.['status']) === '56',
  )
  const before = await known(served, 0)
  const lives = [VICTIM_SLOT, OTHER_SLOT].map((slot) => board.incarnation(slot))
  const bystander = new Bystander(`${url(served, OTHER)}/positions`)
  await bystander.answered(200)

  for (const [count, fault] of ['throw', 'loop', 'memory'].entries()) {
    bystander.enter(fault)
    supervisor.fault(`account/${VICTIM}`, fault)
    const [direct, gateway] = await until(
      () =>
        Promise.all([get(`${served.direct[0]}/api/orders`), get(`${url(served, VICTIM)}/asset`)]),
      (answers) => answers.every(({ status }) => status !== 200),
    )
    for (const refused of [direct, gateway]) {
      t.match(refused, { status: 503, body: { code: 'ACTOR_RESTARTING', success: false } }, fault)
      t.match(refused.headers.get('Retry-After'), /^[1-9]\d*$/, 'it says when to try again')
    }
    await ready(served, VICTIM)
    t.strictSame(await known(served, 0), before, 'it knows what it knew')
    const again = await post(`${url(served, VICTIM)}/orders`, buy, key)
    t.equal(again.status, 201)
    t.equal(again.headers.get('Idempotency-Replayed'), 'true', 'the same order, not another')
    t.equal(board.incarnation(VICTIM_SLOT), (lives[0] ?? 0) + count + 1)
  }
  t.equal(board.incarnation(OTHER_SLOT), lives[1], 'the other one lives on')
  await bystander.stop()
  t.strictSame(bystander.troubles, [], 'and has answered every request')
  for (const line of bystander.report()) t.comment(line)
})

t.test('the operator restarts one account; the other does not notice', async (t) => {
  const served = await begin(t)
  const { board } = served.service.house
  const [mine, other] = [board.incarnation(VICTIM_SLOT), board.incarnation(OTHER_SLOT)]
  const before = await known(served, 0)
  const bystander = new Bystander(`${url(served, OTHER)}/positions`)
  t.match(await post(`${url(served, VICTIM)}/restart`), { status: 200, body: { success: true } })
  await until(
    async () => board.incarnation(VICTIM_SLOT),
    (life) => life === mine + 1,
  )
  await ready(served, VICTIM)
  t.strictSame(await known(served, 0), before)
  await bystander.stop()
  t.strictSame(bystander.troubles, [])
  t.equal(board.incarnation(OTHER_SLOT), other)
  t.equal((await post(`${served.gateway}/api/v1/accounts/404/restart`)).status, 404)
})

t.test('an account that crashes too often is suspended alone until it is restarted', async (t) => {
  const often = { restart_intensity: 2, restart_backoff_min_ms: 1, restart_backoff_max_ms: 10 }
  const served = await begin(t, often)
  const { board, supervisor } = served.service.house
  const before = await known(served, 0)
  const bystander = new Bystander(`${url(served, OTHER)}/positions`)
  for (const crash of [1, 2, 3]) {
    const life = board.incarnation(VICTIM_SLOT)
    supervisor.fault(`account/${VICTIM}`, 'throw')
    await until(
      async () => board.incarnation(VICTIM_SLOT) > life || board.status(VICTIM_SLOT),
      (seen) => seen === (crash < 3 ? true : 'suspended'),
    )
    if (crash < 3) await ready(served, VICTIM)
  }
  const answers = [
    await get(`${served.direct[0]}/api/orders`),
    await get(`${url(served, VICTIM)}/positions`),
    await post(`${url(served, VICTIM)}/orders`, buy),
  ]
  for (const refused of answers) {
    t.match(refused, { status: 503, body: { code: 'ACCOUNT_SUSPENDED' } })
    t.match(refused.headers.get('Retry-After'), /^[1-9]\d*$/)
  }
  t.equal((await post(`${url(served, VICTIM)}/restart`)).status, 200)
  await ready(served, VICTIM)
  t.strictSame(await known(served, 0), before)
  t.equal((await post(`${url(served, VICTIM)}/orders`, buy)).status, 201)
  await bystander.stop()
  t.strictSame(bystander.troubles, [])
})

/** Places orders one after the other, each until it is known what became of it. */
class Caller {
  readonly #orders: string
  readonly #name: string
  /** Order numbers by key; empty for one that was certainly not taken. */
  readonly placed = new Map<string, string>()
  /** Answers that said neither, by code. */
  readonly retried = new Map<string, number>()

  constructor(served: Served, id: string, name: string) {
    this.#orders = `${url(served, id)}/orders`
    this.#name = name
  }

  async place(fields: object): Promise<void> {
    const key = `${this.#name}-${this.placed.size}`
    for (;;) {
      const { status, body } = await post(this.#orders, fields, { 'Idempotency-Key': key })
      if (status === 201) {
        const number = body['data']?.['order_id']
        this.placed.set(key, number === undefined ? '' : String(number))
        return
      }
      const why = String(body['code'] ?? body['data']?.['state'])
      if (status < 500 && !['unknown', 'ORDER_IN_DOUBT_HELD'].includes(why)) {
        throw new Error(`${key}: ${status} ${why}`)
      }
      this.retried.set(why, (this.retried.get(why) ?? 0) + 1)
      await delay(5)
    }
  }
}

const KILLS = 200
const VICTIMS = ['10000001', '10000002', '10000003'] as const
const STOCKS = ['600036', '601318', '601398'] as const

t.test('200 kills while orders are placed: no dead process, no lost write', async (t) => {
  t.setTimeout(120_000)
  const quick = { restart_backoff_min_ms: 1, restart_backoff_max_ms: 5 }
  const accounts = VICTIMS.map((id) => account(id, [BANK], 100_000_000))
  const folder = t.testdir()
  const served = await serve(t, { folder, overrides: { ...settings(quick), accounts } })
  const { board, supervisor } = served.service.house
  const startMs = Date.now()
  let kills = 0
  const callers: Caller[] = []
  await Promise.all(
    VICTIMS.map(async (id, index) => {
      const slot = index + 1
      let isOver = false
      const trading = STOCKS.map(async (stock_code, n) => {
        const caller = new Caller(served, id, stock_code)
        callers.push(caller)
        while (!isOver) await caller.place({ ...buy, stock_code, order_volume: 100 * (n + 1) })
      })
      while (kills < KILLS) {
        const how = kills++ % 3
        const life = board.incarnation(slot)
        if (how === 0) await supervisor.restartChild(`account/${id}`)
        else supervisor.fault(`account/${id}`, 'throw')
        await until(
          async () => board.incarnation(slot) > life && board.status(slot) === 'ready',
          Boolean,
        )
      }
      isOver = true
      await Promise.all(trading)
    }),
  )
  t.comment(`${kills} kills in ${Date.now() - startMs} ms`)
  t.comment(JSON.stringify(callers.map((c) => [c.placed.size, Object.fromEntries(c.retried)])))
})
