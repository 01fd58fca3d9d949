import t from 'tap'
import { SH } from '../drivers/fixtures/paper.ts'
import type { Terminal } from '../drivers/xt/terminal.ts'
import { get, type Json, post, until } from './fixture.ts'
import { openTerminal, ordersOf, serveAt } from './fixtures/terminal.ts'

/** 400 of 1,050 shares, at any price. */
const SELL = { stock_code: SH, order_type: 24, order_volume: 400, price_type: 5, price: 0 }
const LOOKS = 12

/** Resolves when the order list was asked for so many times: with 50 ms between them, far beyond the settle time. */
function looks(terminal: Terminal, wanted: number): Promise<void> {
  return new Promise((resolve) => {
    let seen = 0
    terminal.onRequest = (method, when) => {
      if (method !== 'orders' || when !== 'after') return
      seen += 1
      if (seen < wanted) return
      terminal.onRequest = () => undefined
      resolve()
    }
  })
}
const soldAt = (terminal: Terminal) =>
  terminal.counter.books.deals.reduce((sum, { row }) => sum + row.quantity, 0)

t.test('a client whose order call is slow sells once', async (t) => {
  const folder = t.testdir()
  const terminal = await openTerminal(t, folder)
  const { service, v1 } = await serveAt(terminal, folder)
  t.teardown(() => service.stop())
  const sell = (key: string) => post(`${v1}/orders`, SELL, { 'Idempotency-Key': key })
  await until(
    () => get(`${v1}/positions`),
    ({ status, body }) => status === 200 && JSON.stringify(body).includes('招商银行'),
  )
  const gate = Promise.withResolvers<void>()
  terminal.fault = (method) => (method === 'order' ? { until: gate.promise } : undefined)
  const first = await sell('first')
  t.match(first, { status: 202, body: { data: { state: 'unknown' } } })
  await Promise.race([
    looks(terminal, LOOKS),
    until(
      () => sell('first'),
      ({ status }) => status !== 202,
    ).catch(() => undefined),
  ])
  const asked = await sell('first')
  t.equal(asked.status, 202, 'lists of another lane prove nothing')
  // A person, or a strategy, who is told that it was not received sells again.
  if (asked.status !== 202) await sell('again')
  gate.resolve()
  await until(
    () => sell('first'),
    ({ status, body }) => status === 201 && body['data']?.['order_id'] !== undefined,
  )
  await until(
    () => ordersOf(v1),
    (rows) => rows.length > 0 && rows.every((row) => Number(row['委托状态']) === 56),
  )
  t.equal(soldAt(terminal), 400)
})

t.test(
  'an order call that never comes back ends the sidecar, and the next one settles it',
  async (t) => {
    const folder = t.testdir()
    const terminal = await openTerminal(t, folder)
    const xt = { stuck_order_call_ms: 3_000 }
    const { service, v1 } = await serveAt(terminal, folder, { xt })
    t.teardown(() => service.stop())
    const sell = (key: string) => post(`${v1}/orders`, SELL, { 'Idempotency-Key': key })
    await until(
      () => get(`${v1}/positions`),
      ({ status, body }) => status === 200 && JSON.stringify(body).includes('招商银行'),
    )
    const before = terminal.pid
    terminal.fault = (method) => (method === 'order' ? 'hang' : undefined)
    t.equal((await sell('stuck')).status, 202)
    const { body } = await until(
      () => sell('stuck'),
      ({ status }) => status === 201,
    )
    t.match(body, { success: false, data: null }, 'it was never taken')
    t.not(terminal.pid, before, 'the process that held it has ended')
    terminal.fault = () => undefined
    await until(
      () => sell('again'),
      ({ status }) => status === 201,
    )
    t.equal(terminal.orders, 1)
  },
)

t.test(
  'what the library took without a word is for a person, and not before it cannot come',
  async (t) => {
    const folder = t.testdir()
    const terminal = await openTerminal(t, folder)
    const account = { doubt_quarantine_ms: 3_000 }
    const { service, v1, direct } = await serveAt(terminal, folder, { account })
    t.teardown(() => service.stop())
    const sell = (key: string) => post(`${v1}/orders`, SELL, { 'Idempotency-Key': key })
    await until(
      () => get(`${v1}/positions`),
      ({ status, body }) => status === 200 && JSON.stringify(body).includes('招商银行'),
    )
    // It gives the number of a request, and nothing is ever heard of it.
    terminal.fault = (method) => (method === 'order' ? { answer: 5 } : undefined)
    const { body } = await sell('lost')
    const id = String(body['data']?.['client_order_id'])
    const row = async () => {
      const { body: listed } = await get(`${direct}/api/orders`)
      const rows = (listed['data'] ?? []) as unknown as Json[]
      return rows.find((each) => String(each['client_order_id']) === id)
    }
    const found = await until(row, (each) => String(each?.['quarantined']) === 'true')
    t.match(String(found?.['status_desc']), /尚无任何应答/, 'what stands')
    const resolve = () => post(`${direct}/api/orders/${id}/resolve`, { as: 'absent' })
    t.match(await resolve(), {
      status: 409,
      body: { code: 'ORDER_IN_DOUBT_HELD', error: /重启交易客户端/ },
    })
    terminal.fault = () => undefined
    terminal.disconnect() // as a client that is restarted
    t.match((await until(resolve, ({ status }) => status !== 409 && status !== 503)).status, 200)
    t.equal(terminal.orders, 0)
  },
)
