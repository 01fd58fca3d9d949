import t, { type Test } from 'tap'
import { type Answer, get, type Json, post, type Served, until } from './fixture.ts'
import { begin, ORDER, ready, rows, v1 } from './fixtures/breakable.ts'

const ID = '10000001'
const AT_ONCE = 20

/** A way to order: where to send it, its body, and a body that means something else. */
interface Way {
  readonly name: string
  readonly url: (served: Served) => string
  readonly status: number
  readonly body: object
  readonly other: object
}
const direct = (path: string) => (served: Served) => `${served.direct[0]}/api/actions/${path}`
const WAYS: readonly Way[] = [
  {
    name: 'gateway',
    url: (served) => `${v1(served, ID)}/orders`,
    status: 201,
    body: ORDER,
    other: { ...ORDER, order_volume: 200 },
  },
  {
    name: 'execute_buy',
    url: direct('execute_buy'),
    status: 200,
    body: { strategy: 'custom_stock', quantity: 2, stocks: ['600036.SH', '000001.SZ'] },
    other: { strategy: 'custom_stock', quantity: 1, stocks: ['601318.SH'] },
  },
  {
    name: 'execute_sell',
    url: direct('execute_sell'),
    status: 200,
    body: { stock_code: '600036.SH', quantity: 300 },
    other: { stock_code: '600036.SH', quantity: 400 },
  },
]

const headerOf = (key: string) => ({ 'Idempotency-Key': key })
const isReplayed = ({ headers }: Answer) => headers.get('Idempotency-Replayed') === 'true'
const MISMATCH = { status: 409, body: { code: 'IDEMPOTENCY_MISMATCH', success: false } }

/** All orders of the day, each with its numbers. */
async function orders({ direct }: Served): Promise<readonly Json[]> {
  return rows(await get(`${direct[0]}/api/orders`))
}
const numbers = async (served: Served): Promise<ReadonlySet<string>> => {
  const all = (await orders(served)).map(({ client_order_id }) => String(client_order_id))
  if (new Set(all).size !== all.length) throw new Error(`twice in the list: ${all}`)
  return new Set(all)
}
/** Our own numbers of the orders that an answer names, whichever way it came. */
const named = ({ body }: Answer): readonly string[] => {
  const many = body['orders'] as unknown as readonly Json[] | undefined
  // An order that a crash kept from leaving is told without data, but by name.
  const one = (body['data'] as Json | null) ?? body
  return (many ?? [one]).map(({ client_order_id }) => String(client_order_id))
}
/** What two equal requests must be told alike. */
const told = ({ status, body }: Answer) => {
  const { timestamp: _, ...rest } = body as unknown as Record<string, unknown>
  const data = rest['data'] as Record<string, unknown> | undefined
  return { status, ...rest, data }
}

async function restartAccount(served: Served): Promise<void> {
  const { board, supervisor } = served.service.system
  const life = board.incarnation(1)
  supervisor.fault(`account/${ID}`, 'throw')
  await until(
    async () => board.incarnation(1),
    (now) => now > life,
  )
  await ready(served, ID)
}

/** Sends the request again and expects the first answer, and no order more than before. */
async function isSame(t: Test, served: Served, first: Answer, send: () => Promise<Answer>) {
  const before = await orders(served)
  const again = await send()
  t.strictSame(told(again), told(first))
  t.ok(isReplayed(again), 'it says so')
  t.equal((await orders(served)).length, before.length, 'no order more')
}

const quick = { restart_backoff_min_ms: 1, restart_backoff_max_ms: 10 }
const begun = (t: Test, folder?: string) =>
  begin(t, { ids: [ID], runtime: quick, ...(folder !== undefined && { folder }) })

/** Equal requests are answered alike, others are refused; neither orders anything. */
async function isKnown(t: Test, served: Served, { way, first }: { way: Way; first: Answer }) {
  const { name, url, body, other } = way
  await isSame(t, served, first, () => post(url(served), body, headerOf(name)))
  const known = (await orders(served)).length
  t.match(await post(url(served), other, headerOf(name)), MISMATCH, name)
  t.equal((await orders(served)).length, known, 'a refusal orders nothing')
}

t.test('the same key is the same order, for every way to order', async (t) => {
  const folder = t.testdir()
  const served = await begun(t, folder)
  const taken: { way: Way; first: Answer }[] = []
  for (const way of WAYS) {
    const { name, url, status, body, other } = way
    const before = (await orders(served)).length
    const count = named(await post(url(served), other)).length
    t.equal((await orders(served)).length, before + count, 'without a key it is an order')

    const first = await post(url(served), body, headerOf(name))
    t.equal(first.status, status)
    t.notOk(isReplayed(first))
    t.ok(named(first).length > 0)
    taken.push({ way, first })
    await isKnown(t, served, { way, first })
    const inBody = { ...body, client_order_id: name }
    await isSame(t, served, first, () => post(url(served), inBody))
    await isSame(t, served, first, () => post(url(served), inBody, { 'IDEMPOTENCY-KEY': name }))
    t.match(await post(url(served), { ...other, client_order_id: name }), MISMATCH)
    for (const { url, body } of WAYS.filter((one) => one !== way)) {
      t.match(await post(url(served), body, headerOf(name)), MISMATCH, 'nor by another way')
    }
  }
  await restartAccount(served)
  t.comment('after a restart of the account')
  for (const one of taken) await isKnown(t, served, one)
  await served.service.stop()
  const again = await begun(t, folder)
  t.comment('after a restart of everything')
  for (const one of taken) await isKnown(t, again, one)
})

t.test('equal requests at once are one order', async (t) => {
  const served = await begun(t)
  const wanted = Array.from({ length: AT_ONCE }, (_, i) => i)
  const seen = new Set<string>()
  for (const { name, url, status, body, other } of WAYS) {
    const send = (what: object, key: string) => post(url(served), what, headerOf(key))
    const answers = await Promise.all(wanted.map(() => send(body, name)))
    for (const answer of answers) t.strictSame(told(answer), told(answers[0] as Answer), name)
    t.equal(answers.filter(isReplayed).length, AT_ONCE - 1, 'one of them was the first')
    for (const number of named(answers[0] as Answer)) seen.add(number)
    t.strictSame(await numbers(served), seen)

    const mixed = await Promise.all(
      wanted.map((i) => send(i % 2 === 0 ? body : other, `mixed/${name}`)),
    )
    const taken = mixed.filter((answer) => answer.status === status)
    const refused = mixed.filter((answer) => answer.status === 409)
    t.equal(taken.length, AT_ONCE / 2, 'one of the two bodies has the key')
    t.equal(refused.length, AT_ONCE / 2)
    for (const number of taken.flatMap(named)) seen.add(number)
    t.strictSame(await numbers(served), seen)
  }
})

t.test('equal requests around a crash are one order', async (t) => {
  const served = await begun(t)
  const seen = new Set<string>()
  for (const { name, url, status, body } of WAYS) {
    const send = () => post(url(served), body, headerOf(name))
    for (let crash = 0; crash < 3; crash++) {
      const asked = [send(), send(), send(), send()]
      if (crash > 0) await Promise.race(asked) // the first time nobody is answered before it
      served.service.system.supervisor.fault(`account/${ID}`, 'throw')
      asked.push(send(), send(), send(), send())
      for (const { status: got } of await Promise.all(asked)) {
        t.ok([status, 202, 503].includes(got), `an answer, or nobody knows, or try again: ${got}`)
      }
      await ready(served, ID)
    }
    const settled = await until(send, (answer) => answer.status === status)
    for (const number of named(settled)) seen.add(number)
    t.strictSame(await numbers(served), seen)
  }
})

t.test('what may be a key', async (t) => {
  const served = await begun(t)
  const url = `${v1(served, ID)}/orders`
  const place = (key: string) => post(url, ORDER, headerOf(key))
  const first = await place('Key')
  const lower = await place('key')
  t.notOk(isReplayed(lower), 'another case is another key')
  t.not(named(lower)[0], named(first)[0])

  const long = 'k'.repeat(64)
  t.equal((await place(long)).status, 201)
  t.ok(isReplayed(await place(long)))
  const bad = { status: 400, body: { code: 'VALIDATION', details: { client_order_id: [/key/] } } }
  t.match(await place(`${long}k`), bad)
  t.match(await post(url, { ...ORDER, client_order_id: '' }), bad)
  t.match(await post(url, { ...ORDER, client_order_id: '钥匙' }), bad)
  t.match(await post(url, { ...ORDER, client_order_id: 'one' }, headerOf('two')), {
    status: 400,
    body: { details: { client_order_id: [/one and equal/] } },
  })
  t.equal((await orders(served)).length, 3)

  const answer = await post(url, ORDER)
  const own = String(answer.body['data']?.['client_order_id'])
  t.match(own, /^[0-9A-HJKMNP-TV-Z]{26}$/, 'without a key the answer names ours')
  const again = await place(own)
  t.ok(isReplayed(again), 'and it is a key')
  t.strictSame(told(again), told(answer))
})

t.test('who has nothing but the key asks for its order by it', async (t) => {
  const served = await begun(t)
  const list = `${v1(served, ID)}/orders`
  const placed = await post(list, ORDER, headerOf('my-first/order'))
  const [own] = named(placed)
  const number = String(placed.body['data']?.['order_id'])
  for (const base of [list, `${served.direct[0]}/api/orders`]) {
    for (const id of ['my-first%2Forder', String(own), number]) {
      const one = await get(`${base}/${id}`)
      t.match(one, { status: 200, body: { data: { client_order_id: own, outcome: 'accepted' } } })
    }
    const none = { status: 404, body: { code: 'UNKNOWN_ORDER' } }
    t.match(await get(`${base}/my-second-order`), none)
  }
  const body = { ...ORDER, order_volume: 200, client_order_id: number }
  const [other] = named(await post(list, body))
  t.not(other, own)
  t.match((await get(`${list}/${number}`)).body, { data: { client_order_id: own } }, 'names first')
})

t.test('a choice at random is made once', async (t) => {
  const served = await begun(t)
  const stocks = ['600036.SH', '000001.SZ', '601318.SH', '000002.SZ', '600519.SH', '300750.SZ']
  const body = { strategy: 'random_pool', quantity: 2, stocks }
  const buy = () => post(`${served.direct[0]}/api/actions/execute_buy`, body, headerOf('random'))
  const first = await buy()
  t.match(first, { status: 200, body: { total_count: 2 } })
  for (let again = 0; again < 3; again++) await isSame(t, served, first, buy)
})

t.test('one stock named twice is bought once', async (t) => {
  const served = await begun(t)
  const stocks = ['600036.SH', '600036', '600036.SH']
  const body = { strategy: 'custom_stock', quantity: 3, stocks }
  const bought = await post(`${served.direct[0]}/api/actions/execute_buy`, body)
  t.match(bought, { status: 200, body: { success_count: 1, total_count: 1 } })
  t.equal((await orders(served)).length, 1)
})

t.test('what a rule has refused stays refused under its key', async (t) => {
  const served = await begun(t)
  const allow = (allowBuy: boolean) => post(`${served.direct[0]}/api/config/save`, { allowBuy })
  const place = (key: string) => post(`${v1(served, ID)}/orders`, ORDER, headerOf(key))
  await allow(false)
  const refused = await place('late')
  t.match(refused, { status: 409, body: { code: 'BUY_NOT_ALLOWED' } })
  await allow(true)
  const again = await place('late')
  t.strictSame(told(again), told(refused), 'a copy that arrives late becomes no order')
  t.equal((await place('new')).status, 201)
  t.equal((await orders(served)).length, 1)
})
