import t from 'tap'
import { apply } from '../../../src/account/fold/apply.ts'
import { emptyState } from '../../../src/account/model/state.ts'
import type { Quantity } from '../../../src/domain/money.ts'
import {
  Client,
  cashOf,
  compare,
  connect,
  DEAL_KEY,
  driver,
  fill,
  found,
  shown,
  tell,
  together,
} from '../client.ts'
import { Bench, brokerOrder, brokerPosition, commands, KEY, policy, yuan } from '../fixture.ts'

const MINUTE_MS = 60_000

t.test(
  'a comparison asks for all four reports, sets the next one, and writes nothing when all agree',
  async (t) => {
    const { bench, client } = together()
    fill(bench, client)
    tell(bench, client)
    const journal = bench.journal.length
    bench.nowMs += MINUTE_MS
    const effects = bench.input({ kind: 'timer', name: 'reconcile' })
    t.strictSame(
      commands(effects).map((command) => (command.kind === 'query' ? command.what : '')),
      ['orders', 'deals', 'positions', 'asset'],
    )
    t.match(effects, [{ kind: 'timer', name: 'reconcile', delayMs: 60_000 }])
    bench.wallMs += 12
    client.answer(bench, commands(effects))
    t.equal(bench.journal.length, journal)
    t.match(shown(bench), {
      result: 'ok',
      is_running: false,
      last_run: {
        time: '2026-08-11 10:01:00',
        duration_ms: 12,
        cause: 'periodic',
        failed_reports: [],
      },
      differences: [],
    })
  },
)

t.test('the first look at an account without books finds no differences', async (t) => {
  const { bench } = together()
  t.equal(bench.state.positions.size, 1)
  t.strictSame(found(bench), [])
  t.match(shown(bench), { result: 'ok', last_run: { cause: 'first' } })
})

t.test('after a restart the same things count as having happened while away', async (t) => {
  const { bench, client } = together()
  fill(bench, client)
  client.orders.push(brokerOrder({ orderId: '77', clientOrderId: '', price: yuan(30) }))
  // Another life: what only the broker knows is unknown again.
  const next = new Bench(emptyState(policy))
  for (const event of bench.journal) apply(next.state, event)
  connect(next, client, next.input({ kind: 'started', incarnation: 2, day: '2026-08-11' }))
  const seen = found(next)
  t.match(seen, [
    { kind: 'order', key: '1001', resolution: 'followed', whileAway: true },
    { kind: 'order', key: '77', resolution: 'adopted', whileAway: true },
    { kind: 'deal', key: DEAL_KEY, resolution: 'booked_late', whileAway: true },
  ])
  t.equal(seen.length, 3, 'the deal explains the holding')
  t.match(shown(next), { result: 'differences', last_run: { cause: 'start' } })
})

t.test('after a lost connection the account compares again', async (t) => {
  const { bench, client } = together()
  driver(bench, { kind: 'disconnected', reason: 'gone' })
  client.positions = [brokerPosition({ quantity: 400 as Quantity })]
  connect(bench, client, bench.input({ kind: 'timer', name: 'reconnect' }))
  t.match(found(bench), [{ kind: 'position', ours: '1000', theirs: '400', whileAway: true }])
  t.match(shown(bench), { last_run: { cause: 'reconnect' } })
})

t.test('a failed report is unavailable, not empty; the others still count', async (t) => {
  const { bench, client } = together()
  client.broken.set('positions', 'client is busy')
  client.asset = cashOf(1)
  t.match(compare(bench, client), [{ kind: 'cash' }])
  t.equal(bench.state.positions.size, 1)
  t.equal(bench.state.connection.phase, 'connected')
  t.match(shown(bench), {
    result: 'unavailable',
    last_run: { failed_reports: [{ report: 'positions', reason: 'client is busy' }] },
  })
  client.broken.clear()
  compare(bench, client)
  t.equal(shown(bench).result, 'ok')
})

t.test('a report that does not come in time is unavailable', async (t) => {
  const { bench, client } = together()
  const queries = commands(bench.input({ kind: 'timer', name: 'reconcile' }))
  client.answer(bench, queries.slice(1))
  t.match(shown(bench), { is_running: true })
  bench.input({ kind: 'callTimedOut', callId: queries[0]?.callId ?? 0 })
  t.match(shown(bench), {
    result: 'unavailable',
    is_running: false,
    last_run: { failed_reports: [{ report: 'orders', reason: /call_timeout/ }] },
  })
})

t.test(
  'an empty report where our books have rows is unavailable, and unbooks nothing',
  async (t) => {
    const { bench, client } = together()
    fill(bench, client)
    tell(bench, client)
    Object.assign(client, { orders: [], deals: [], positions: [] })
    t.strictSame(compare(bench, client), [])
    const failed = ['orders', 'deals', 'positions'].map((report) => ({ report, reason: /empty/ }))
    t.match(shown(bench), { result: 'unavailable', last_run: { failed_reports: failed } })
    t.equal(bench.state.positions.size, 1)
    t.equal(bench.state.orders.size, 1)
    t.equal(bench.state.deals.size, 1)
    t.match(compare(bench, client), [{ kind: 'position', ours: '1100', resolution: 'closed' }])
  },
)

t.test('a connection lost in between ends the comparison as unavailable', async (t) => {
  const { bench } = together()
  bench.input({ kind: 'timer', name: 'reconcile' })
  driver(bench, { kind: 'disconnected', reason: 'gone' })
  t.match(shown(bench), { result: 'unavailable', is_running: false })
  t.strictSame(bench.input({ kind: 'timer', name: 'reconcile' }), [], 'no look without connection')
})

t.test('a recovery that fails says which report it was', async (t) => {
  const [bench, client] = [new Bench(), new Client()]
  client.broken.set('orders', 'not ready')
  connect(bench, client, bench.input({ kind: 'started', incarnation: 1, day: '2026-08-11' }))
  t.match(shown(bench), {
    result: 'unavailable',
    last_run: { cause: 'first', failed_reports: [{ report: 'orders', reason: 'not ready' }] },
  })
})

t.test('only the newest differences are kept and shown, newest first', async (t) => {
  const { bench, client } = together()
  for (let n = 1; n <= 8; n++) {
    client.asset = cashOf(1_000_000 + n)
    compare(bench, client)
  }
  t.strictSame(
    shown(bench).differences.map(({ id }) => id),
    [8, 7, 6, 5, 4],
  )
})

t.test('orders in doubt are shown with the time since when', async (t) => {
  const { bench } = together()
  t.strictSame(shown(bench).orders_in_doubt, [])
  const [submit] = commands(bench.place())
  bench.nowMs += 3_000
  bench.input({ kind: 'callTimedOut', callId: submit?.callId ?? 0 })
  t.match(shown(bench).orders_in_doubt, [
    { client_order_id: KEY, stock_code: '600036', trade_type: 'BUY', since: '2026-08-11 10:00:03' },
  ])
})

t.test('an order in doubt that is found is no difference', async (t) => {
  const { bench, client } = together()
  const [submit] = commands(bench.place())
  bench.input({ kind: 'callTimedOut', callId: submit?.callId ?? 0 })
  client.orders = [brokerOrder()]
  t.strictSame(compare(bench, client), [])
  t.equal(bench.state.orders.get(KEY)?.status, 'accepted')
})

t.test(
  'what is found between two comparisons is written down by the look that finds it',
  async (t) => {
    const { bench, client } = together()
    client.positions = [brokerPosition({ quantity: 900 as Quantity })]
    client.answer(bench, commands(bench.input({ kind: 'timer', name: 'poll' })))
    t.match(found(bench), [{ kind: 'position', ours: '1000', theirs: '900', whileAway: false }])
    t.equal(shown(bench).result, 'ok', 'the last comparison found nothing')
  },
)
