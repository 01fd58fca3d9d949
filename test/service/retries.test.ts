import { request as httpRequest } from 'node:http'
import t, { type Test } from 'tap'
import { inTime } from '../in-time.ts'
import { account, configFile, get, type Json, post, until } from './fixture.ts'
import { Child } from './fixtures/child.ts'
import { openTerminal, ordersOf, serveAt } from './fixtures/terminal.ts'

/**
 * A script that sends anew whatever it does not read as a success, against the whole service: processes
 * that are killed, connections that are dropped, a trading client that is slow or stands still.
 */

const ID = '10000001'
/** Long enough to leave, or to die, while an order is under way; short of `call_timeout`. */
const LATENCY_MS = 700
/** With a price of the simulated market. */
const HELD = {
  cash: 1_000_000,
  positions: [{ stock_code: '600036', volume: 1_000, cost_price: 35.1 }],
}
const SLOW = {
  accounts: [{ ...account(ID, []), call_timeout: 5, paper: { ...HELD, latency_ms: LATENCY_MS } }],
  gateway: { host: '127.0.0.1', port: 0, rate_limit: 0 },
  limits: { account: { doubt_query_interval_ms: 50, doubt_settle_ms: 200 } },
}
/** Out of reach of the market; another price for another intent. */
const intent = (n: number) => ({
  stock_code: '600036',
  order_type: 23,
  order_volume: 100,
  price_type: 11,
  price: 32 + n / 100,
})

/** The service on one data directory, through all its lives. */
class Lives {
  readonly #t: Test
  readonly #folder: string
  readonly #config: string
  #child: Child | undefined
  gateway = ''

  constructor(t: Test) {
    this.#t = t
    this.#folder = t.testdir()
    this.#config = configFile(this.#folder, SLOW)
  }

  async start(): Promise<this> {
    this.#child = new Child(this.#t, this.#folder, ['up', '--config', this.#config])
    ;[this.gateway = ''] = await this.#child.ready()
    await this.ready()
    return this
  }

  async ready(): Promise<void> {
    await until(
      () => get(`${this.v1}/status`),
      ({ body }) => String(body['data']?.['ready']) === 'true',
    )
  }

  async kill(): Promise<void> {
    await this.#child?.kill()
  }

  get v1(): string {
    return `${this.gateway}/api/v1/accounts/${ID}`
  }

  send(n: number, key?: string) {
    return post(`${this.v1}/orders`, intent(n), key === undefined ? {} : { 'Idempotency-Key': key })
  }

  /** Orders of an intent, whoever placed them. */
  async of(n: number): Promise<readonly Json[]> {
    const rows = await ordersOf(this.v1)
    return rows.filter((row) => Number(row['price']) === intent(n).price)
  }

  /** The order is written down, and on its way. */
  async sent(n: number): Promise<Json> {
    const [row] = await until(
      () => this.of(n),
      (rows) => rows.length > 0,
    )
    if (row === undefined) throw new Error('no order')
    return row
  }

  /** Sends it again as scripts do until one is taken, and then as they should. */
  async mustBeOne(t: Test, n: number, key: string): Promise<void> {
    for (const again of [`again-${n}`, undefined]) {
      const { status, body } = await this.send(n, again)
      // The first one was given up before it left, or lost on its way: it came to nothing.
      if (status === 201) break
      t.equal(status, 409, JSON.stringify(body))
      t.match(String(body['code']), /^ORDER_UNTOLD$|^ORDER_IN_DOUBT_HELD$/)
      const ids = (await this.of(n)).map((row) => String(row['client_order_id']))
      t.ok(ids.includes(String(body['details']?.['client_order_id']?.[0])), 'names the first')
    }
    const told = await until(
      () => this.send(n, key),
      ({ status }) => status === 201 || status === 504,
    )
    t.ok('error' in told.body, 'the same key tells')
    const live = await this.live(n)
    t.ok(live <= 1, `one order: ${JSON.stringify(await this.of(n))}`)
    let i = 0
    // The news of it goes its own way to the account.
    await until(
      () => this.send(n, `meant-${n}-${i++}`),
      ({ status }) => status === 201,
    )
    t.equal(await this.live(n), live + 1, 'who was told may order the same')
  }

  /** Orders of an intent that did not come to nothing. */
  async live(n: number): Promise<number> {
    return (await this.of(n)).filter((row) => !isNothing(row)).length
  }
}
const isNothing = ({ state }: Json): boolean => String(state) === 'rejected'

t.test('one intent is one order, whatever the script takes for a failure', async (t) => {
  const lives = await new Lives(t).start()

  await t.test('its own patience was shorter than the trading client', async (t) => {
    const request = httpRequest(`${lives.v1}/orders`, {
      method: 'POST',
      agent: false,
      headers: { 'Content-Type': 'application/json', 'Idempotency-Key': 'left' },
    })
    request.on('error', () => undefined)
    request.end(JSON.stringify(intent(1)))
    await lives.sent(1)
    request.destroy()
    await lives.mustBeOne(t, 1, 'left')
  })

  await t.test('the account was restarted while it waited', async (t) => {
    const answer = lives.send(2, 'restarted')
    await lives.sent(2)
    await post(`${lives.v1}/restart`)
    t.equal((await inTime(answer, 'an answer')).status, 202)
    await lives.ready()
    await lives.mustBeOne(t, 2, 'restarted')
  })

  await t.test('the service was killed before the answer', async (t) => {
    const answer = lives.send(3, 'killed').catch(() => 'none')
    await lives.sent(3)
    await lives.kill()
    t.equal(await inTime(answer, 'the end of the request'), 'none')
    await lives.start()
    await lives.mustBeOne(t, 3, 'killed')
  })

  await t.test('the service was killed right after it', async (t) => {
    t.equal((await lives.send(4, 'answered')).status, 201)
    await lives.kill()
    await lives.start()
    await lives.mustBeOne(t, 4, 'answered')
  })

  await t.test('slices of one size go out one after the other, each under its key', async (t) => {
    for (const key of ['slice-1', 'slice-2', 'slice-3']) {
      t.equal((await lives.send(5, key)).status, 201)
    }
    t.equal((await lives.send(5)).status, 201)
    t.equal((await lives.of(5)).length, 4)
  })
})

t.test('a call that stands in the trading client is one order, in doubt and after', async (t) => {
  const folder = t.testdir()
  const terminal = await openTerminal(t, folder)
  const { service, v1 } = await serveAt(terminal, folder)
  t.teardown(() => service.stop())
  const sale = {
    stock_code: '600036',
    order_type: 24,
    order_volume: 300,
    price_type: 11,
    price: 38,
  }
  const sell = (key?: string) =>
    post(`${v1}/orders`, sale, key === undefined ? {} : { 'Idempotency-Key': key })
  await until(
    () => get(`${v1}/positions`),
    ({ status, body }) => status === 200 && JSON.stringify(body).includes('招商银行'),
  )
  const gate = Promise.withResolvers<void>()
  terminal.fault = (method) => (method === 'order' ? { until: gate.promise } : undefined)
  const first = await sell()
  t.equal(first.status, 202, JSON.stringify(first.body))
  const id = String(first.body['data']?.['client_order_id'])
  t.equal(first.headers.get('location'), `/api/v1/accounts/${v1.split('/').at(-1)}/orders/${id}`)
  t.equal(first.headers.get('retry-after'), '1')
  terminal.fault = () => undefined
  for (const key of ['second', undefined]) {
    const { status, body } = await sell(key)
    t.match({ status, code: body['code'] }, { status: 409, code: 'ORDER_IN_DOUBT_HELD' })
    t.match(String(body['error']), id)
  }
  const asked = await get(`${v1}/orders/${id}`)
  t.match(asked.body, { data: { order_id: null, outcome: 'unknown', client_order_id: id } })
  gate.resolve()
  await until(
    () => ordersOf(v1),
    (rows) => rows.some((row) => String(row['state']) === 'accepted'),
  )
  const after = await sell('third')
  t.match({ status: after.status, code: after.body['code'] }, { status: 409, code: 'ORDER_UNTOLD' })
  t.equal(terminal.orders, 1)
  const told = await get(`${v1}/orders/${id}`)
  t.ok(Number(told.body['data']?.['order_id']) > 0)
  let n = 0
  // The news of it goes its own way to the account.
  await until(
    () => sell(`meant-${n++}`),
    ({ status }) => status === 201,
  )
  t.equal(terminal.orders, 2)
})
