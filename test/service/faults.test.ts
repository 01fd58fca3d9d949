import t from 'tap'
import { get, type Json, post, type Served, until } from './fixture.ts'
import { begin, ORDER, ready, rows, v1 } from './fixtures/breakable.ts'
import { Bystander } from './fixtures/bystander.ts'

const [VICTIM, OTHER] = ['10000001', '10000002'] as const
const IDS = [VICTIM, OTHER]
/** Rows of the actor board; 0 is the broker. */
const RESTS = { stock_code: '600036', order_type: 24, order_volume: 100, price_type: 11, price: 38 }
const [VICTIM_SLOT, OTHER_SLOT] = [1, 2]

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
  const served = await begin(t, { ids: IDS })
  const { board, supervisor } = served.service.system
  const key = { 'Idempotency-Key': 'before' }
  t.equal((await post(`${v1(served, VICTIM)}/orders`, ORDER, key)).status, 201)
  await until(
    () => get(`${served.direct[0]}/api/orders`),
    (answer) => String(rows(answer)[0]?.['status']) === '56',
  )
  const before = await known(served, 0)
  const lives = [VICTIM_SLOT, OTHER_SLOT].map((slot) => board.incarnation(slot))
  const bystander = new Bystander(`${v1(served, OTHER)}/positions`)
  await bystander.answered(200)

  for (const [count, fault] of ['throw', 'loop', 'memory'].entries()) {
    bystander.enter(fault)
    supervisor.fault(`account/${VICTIM}`, fault)
    const [direct, gateway] = await until(
      () =>
        Promise.all([get(`${served.direct[0]}/api/orders`), get(`${v1(served, VICTIM)}/asset`)]),
      // A read that waits for one that hangs may be over before it is found out.
      (answers) => answers.every(({ status }) => status !== 200 && status !== 504),
    )
    for (const refused of [direct, gateway]) {
      t.match(refused, { status: 503, body: { code: 'ACTOR_RESTARTING', success: false } }, fault)
      t.match(refused.headers.get('Retry-After'), /^[1-9]\d*$/, 'it says when to try again')
    }
    await ready(served, VICTIM)
    t.strictSame(await known(served, 0), before, 'it knows what it knew')
    const again = await post(`${v1(served, VICTIM)}/orders`, ORDER, key)
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
  const served = await begin(t, { ids: IDS })
  const { board } = served.service.system
  const [mine, other] = [board.incarnation(VICTIM_SLOT), board.incarnation(OTHER_SLOT)]
  const before = await known(served, 0)
  const bystander = new Bystander(`${v1(served, OTHER)}/positions`)
  t.match(await post(`${v1(served, VICTIM)}/restart`), { status: 200, body: { success: true } })
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
  const served = await begin(t, { ids: IDS, runtime: often })
  const { board, supervisor } = served.service.system
  const placed = await post(`${v1(served, VICTIM)}/orders`, RESTS)
  t.equal(placed.status, 201)
  const resting = String(placed.body['data']?.['order_id'])
  const before = await known(served, 0)
  const bystander = new Bystander(`${v1(served, OTHER)}/positions`)
  for (const crash of [1, 2, 3]) {
    const life = board.incarnation(VICTIM_SLOT)
    supervisor.fault(`account/${VICTIM}`, 'throw')
    await until(
      async () => board.incarnation(VICTIM_SLOT) > life,
      (isNext) => isNext,
    )
    if (crash < 3) await ready(served, VICTIM)
  }
  t.equal(board.status(VICTIM_SLOT), 'suspended')
  await t.test('a person can still look, cancel and set the kill switch', async (t) => {
    const mine = v1(served, VICTIM)
    for (const url of [`${served.direct[0]}/api/orders`, `${mine}/positions`]) {
      await until(
        () => get(url),
        ({ status }) => status === 200,
      )
    }
    t.strictSame(await known(served, 0), before)
    const refused = await post(`${mine}/orders`, ORDER)
    t.match(refused, { status: 503, body: { code: 'ACCOUNT_SUSPENDED' } })
    t.match(refused.headers.get('Retry-After'), /^[1-9]\d*$/)
    const config = await post(`${served.direct[0]}/api/config/save`, { allowBuy: false })
    t.match(config, { status: 503, body: { code: 'ACCOUNT_SUSPENDED' } })
    await until(
      () => fetch(`${mine}/orders/${resting}`, { method: 'DELETE' }),
      ({ status }) => status === 200,
    )
    const level = { level: 'entries', reason: 'it crashed' }
    t.match(await post(`${mine}/kill-switch`, level), { status: 200 })
    t.equal(board.status(VICTIM_SLOT), 'suspended', 'as which it is shown all along')
    const { body } = await get(`${served.gateway}/api/v1/health`)
    t.match(body['data'], { total: IDS.length, healthy: IDS.length - 1 })
    const metrics = await (await fetch(`${served.gateway}/metrics`)).text()
    t.strictSame(
      metrics.match(/^steward_account_resting\{.*\} 1$/gm),
      [`steward_account_resting{account="****${VICTIM.slice(-4)}"} 1`],
      'F496 Prometheus is told of it, and of no other',
    )
  })
  t.equal((await post(`${v1(served, VICTIM)}/restart`)).status, 200)
  await ready(served, VICTIM)
  const after = (await known(served, 0)) as unknown as { readonly orders: readonly Json[] }
  t.match(after.orders, [{ status: 54 }], 'canceled at the broker')
  const kept = await get(`${v1(served, VICTIM)}/kill-switch`)
  t.match(kept.body, { data: { level: 'entries', reason: 'it crashed' } }, 'and durable')
  await until(
    () => post(`${v1(served, VICTIM)}/kill-switch`, { level: 'off', reason: 'looked' }),
    ({ status }) => status === 200,
  )
  t.equal((await post(`${v1(served, VICTIM)}/orders`, ORDER)).status, 201)
  await bystander.stop()
  t.strictSame(bystander.troubles, [])
})
