import t from 'tap'
import { price, SH, shares } from '../drivers/fixtures/paper.ts'
import { ACCOUNT, FAKE, PYTHON } from '../drivers/xt/rig.ts'
import { positionFields } from '../drivers/xt/terminal-rows.ts'
import { get, type Json, post, until } from './fixture.ts'
import { openTerminal, ordersOf, serveAt } from './fixtures/terminal.ts'

/** Of the only account on the actor board. */
const SLOT = 1
const BUY = { stock_code: SH, order_type: 23, order_volume: 100, price_type: 5, price: 0 }
/** After a crash nobody knows which answers arrived, and the like of an order would be its repetition. */
const ANOTHER = { ...BUY, order_volume: 200 }
const isFilled = (rows: readonly Json[]) => rows.every((row) => Number(row['委托状态']) === 56)

t.test('an account trades at the real client, through crashes of its thread', async (t) => {
  const folder = t.testdir()
  const terminal = await openTerminal(t, folder)
  const { service, direct, v1 } = await serveAt(terminal, folder)
  t.teardown(() => service.stop())
  const { body } = await until(
    () => get(`${v1}/positions`),
    (answer) => answer.status === 200 && JSON.stringify(answer.body).includes('招商银行'),
  )
  t.match(body, { data: { positions: [{ 证券代码: '600036', 股票余额: 1_050 }] } })

  const first = await post(`${v1}/orders`, BUY, { 'Idempotency-Key': 'first' })
  t.equal(first.status, 201, JSON.stringify(first.body))
  await until(() => ordersOf(v1), isFilled)

  const { board, supervisor } = service.system
  const lives = async () => board.incarnation(SLOT)
  const before = await lives()
  supervisor.fault(`account/${ACCOUNT}`, 'throw')
  // An order that the dying thread still took might be certain not to have left.
  await until(lives, (now) => now > before)
  const second = await until(
    () => post(`${v1}/orders`, ANOTHER, { 'Idempotency-Key': 'second' }),
    ({ status }) => status === 201,
  )
  t.ok(second.body['data']?.['order_id'])
  const again = await post(`${v1}/orders`, BUY, { 'Idempotency-Key': 'first' })
  t.equal(
    String(again.body['data']?.['order_id']),
    String(first.body['data']?.['order_id']),
    'the same key is the same order',
  )
  const rows = await until(() => ordersOf(v1), isFilled)
  t.equal(rows.length, 2)
  t.equal(terminal.orders, 2, 'nothing was sent twice')
  t.equal(terminal.sessions.length, 1, 'the sidecar and its session outlived the thread')
  const records = await get(`${direct}/api/trade-records`)
  t.equal((records.body['data'] as unknown as Json[]).length, 2)
})

t.test(
  'half of a holding twice within a second, where holdings are not pushed and their lists are behind',
  async (t) => {
    const folder = t.testdir()
    const terminal = await openTerminal(t, folder)
    const [costPrice, all] = [price(35.1), shares(1_050)]
    const before = { code: SH, name: '招商银行', quantity: all, sellable: all, costPrice }
    const answer = [positionFields(ACCOUNT, before)]
    terminal.fault = (method) => (method === 'positions' ? { answer } : undefined)
    const { service, direct, v1 } = await serveAt(terminal, folder)
    t.teardown(() => service.stop())
    const sell = () =>
      post(`${direct}/api/actions/execute_sell`, { stock_code: SH, ratio: 0.5, price_type: 5 })
    await until(sell, ({ body }) => Number(body['success_count']) === 1)
    t.match(await sell(), { body: { success_count: 1 } })
    const rows = await until(
      () => ordersOf(v1),
      (found) => found.length === 2 && isFilled(found),
    )
    const volumes = rows.map((row) => Number(row['成交数量'] ?? row['委托数量']))
    t.strictSame(
      volumes.toSorted((a, b) => a - b),
      [200, 500],
      'of 1,050, and of the 550 that are left',
    )
  },
)

t.test('a restart of the service finds what was filled while it was away', async (t) => {
  const folder = t.testdir()
  const terminal = await openTerminal(t, folder)
  const before = await serveAt(terminal, folder)
  // The service's own simulated market begins at the costs of a holding, else anywhere.
  await until(
    () => get(`${before.v1}/positions`),
    ({ status, body }) => status === 200 && JSON.stringify(body).includes('招商银行'),
  )
  const patient = { ...BUY, price_type: 11, price: 35 }
  await until(
    () => post(`${before.v1}/orders`, patient, { 'Idempotency-Key': 'patient' }),
    ({ status }) => status === 201,
  )
  await before.service.stop()
  const [bid, ask] = [[[34.9, 9_000]], [[34.95, 9_000]]] as const
  terminal.tick(SH, { last: 34.95, lastClose: 35.5, bid, ask })
  const after = await serveAt(terminal, folder)
  t.teardown(() => after.service.stop())
  const rows = await until(
    () => ordersOf(after.v1),
    (found) => found.length > 0 && isFilled(found),
  )
  t.equal(rows.length, 1)
  t.equal(terminal.orders, 1)
  t.equal(new Set(terminal.sessions).size, 2, 'a session number of its own each time')
})

/** Windows freezes no process: there it dies once more. */
const FREEZE = process.platform === 'win32' ? 'SIGKILL' : 'SIGSTOP'

t.test('a sidecar that dies or freezes in the middle of an order costs no order', async (t) => {
  const folder = t.testdir()
  const terminal = await openTerminal(t, folder)
  const { service, v1 } = await serveAt(terminal, folder, { xt: { beats_missed_max: 10 } })
  t.teardown(() => service.stop())
  const place = (key: string, order: object) =>
    post(`${v1}/orders`, order, { 'Idempotency-Key': key })
  await until(
    () => place('before', BUY),
    ({ status }) => status === 201,
  )
  terminal.onRequest = (method, when) => {
    if (method !== 'order' || when !== 'after') return
    terminal.onRequest = () => undefined
    process.kill(terminal.pid, 'SIGKILL')
  }
  const doubtful = await place('killed', ANOTHER)
  t.ok(doubtful.status === 202 || doubtful.status === 201, 'known, or in doubt')
  const found = await until(
    () => ordersOf(v1),
    (rows) => rows.length === 2 && isFilled(rows),
  )
  t.equal(found.length, 2)
  process.kill(terminal.pid, FREEZE) // and ended by the service, once it was silent too long
  const { body } = await until(
    () => place('frozen', { ...BUY, order_volume: 300 }),
    ({ status }) => status === 201,
  )
  // It was lost with the frozen sidecar, or placed through the next one; the answer says which.
  const count = String(body['success']) === 'true' ? 3 : 2
  await until(
    () => ordersOf(v1),
    (rows) => rows.filter((row) => isFilled([row])).length === count,
  )
  t.equal(terminal.orders, count, 'every order once')
})

t.test('quotes of the real market reach whoever asks', async (t) => {
  const folder = t.testdir()
  const terminal = await openTerminal(t, folder)
  const market = { source: 'xt', xtquant_path: FAKE, python: PYTHON, quote_port: terminal.port }
  const { service, gateway } = await serveAt(terminal, folder, { overrides: { market } })
  t.teardown(() => service.stop())
  const url = `${gateway}/api/v1/market/tick?stock_codes=${SH}&account_id=${ACCOUNT}`
  const { body } = await until(
    () => get(url), // waits for the first quote, but not for ever
    (answer) => answer.body['data']?.[SH] !== undefined,
  )
  t.match(body['data']?.[SH], { lastPrice: 36, lastClose: 35.5, askPrice: [36, 0, 0, 0, 0] })
  t.match(body['data']?.[SH], { volume: 1_200, askVol: [9_000, 0, 0, 0, 0] }, 'lots are shares')
  const wanted = { stock_code: SH, period: '1d', start_time: '20260801', end_time: '20260831' }
  const accepted = await post(`${gateway}/api/v1/market/download`, wanted)
  t.match(accepted.body, { success: true })
  const query = new URLSearchParams({ ...wanted, account_id: ACCOUNT })
  const history = await until(
    () => get(`${gateway}/api/v1/market/history?${query}`),
    (answer) => JSON.stringify(answer.body['data']).includes('20260811000000000'),
  )
  t.match(history.body['data']?.[SH], [
    { time: 20260810000000000, open: 35, close: 36, volume: 12_000_000 },
    { high: 37, low: 35.9, volume: 9_800_000 },
  ])
  terminal.tick(SH, { last: 36.01, lastClose: 35.5 })
  await until(
    () => get(url),
    (answer) => Number(answer.body['data']?.[SH]?.['lastPrice']) === 36.01,
  )
})
