import t from 'tap'
import { apply } from '../../../src/account/fold/apply.ts'
import { emptyState } from '../../../src/account/model/state.ts'
import type { StockCode } from '../../../src/domain/instrument.ts'
import { compare, connect, DEAL_KEY, fill, tell, together } from '../client.ts'
import { Bench, commands, MORNING_MS, policy } from '../fixture.ts'
import { count, dealt, gone, reborn, timer } from '../play.ts'

/** 2026-08-12 00:00:05 at the exchange. */
const NEXT_DAY_MS = Date.parse('2026-08-11T16:00:05Z')

/** Our day opens; the client still lists what it did on the day before. */
function openNextDay(bench: Bench): void {
  bench.nowMs = NEXT_DAY_MS
  bench.wallMs = NEXT_DAY_MS
  bench.input({ kind: 'dayOpened', day: '2026-08-12' })
}

t.test('a deal that the client still lists after our day has opened is booked once', async (t) => {
  const { bench, client } = together()
  fill(bench, client)
  tell(bench, client)
  t.equal(count(bench, 'dealBooked'), 1)
  openNextDay(bench)
  t.strictSame(compare(bench, client), [], 'a comparison finds it known')
  tell(bench, client)
  bench.input(gone)
  connect(bench, client, bench.input(timer('reconnect')))
  t.ok(bench.state.isReady)
  t.equal(count(bench, 'dealBooked'), 1, 'nor does a push or a new connection')
  t.strictSame([...bench.state.deals.keys()], [DEAL_KEY], 'under the day on which it was done')

  const next = reborn(bench)
  connect(next, client, next.input({ kind: 'started', incarnation: 2, day: '2026-08-12' }))
  t.ok(next.state.isReady)
  t.equal(count(next, 'dealBooked'), 0, 'nor does a start')
})

t.test('a deal of yesterday that nobody told of is booked under its day', async (t) => {
  const { bench, client } = together()
  fill(bench, client)
  for (const order of client.orders)
    bench.input({ kind: 'driver', event: { kind: 'orderPushed', order } })
  openNextDay(bench)
  compare(bench, client)
  t.strictSame([...bench.state.deals.keys()], [DEAL_KEY])
  compare(bench, client)
  t.equal(count(bench, 'dealBooked'), 1)
  t.strictSame(commands(bench.input({ kind: 'alarm' })), [])
})

t.test('deals of one number on two sides, two stocks or two days are two deals', async (t) => {
  const bench = new Bench().ready()
  const row = { clientOrderId: '', orderId: '900' }
  const rows = [
    row,
    { ...row, side: 'sell' },
    { ...row, code: '000001.SZ' as StockCode },
    { ...row, timeMs: MORNING_MS - 86_400_000 },
  ] as const
  for (const deal of [...rows, ...rows]) bench.input(dealt(deal))
  t.equal(count(bench, 'dealBooked'), rows.length)
})

t.test('F844 a deal whose number is told with zeros before it and without is one', async (t) => {
  const { bench, client } = together()
  fill(bench, client)
  client.deals = client.deals.map((deal) => ({ ...deal, dealId: '0104000010130023' }))
  tell(bench, client)
  client.deals = client.deals.map((deal) => ({ ...deal, dealId: '104000010130023' }))
  t.strictSame(compare(bench, client), [], 'nor is the other one missing')
  tell(bench, client)
  t.equal(count(bench, 'dealBooked'), 1)
  t.match([...bench.state.orders.values()], [{ filledQuantity: 100, status: 'filled' }])
  for (const dealId of ['0', '000'])
    bench.input(dealt({ dealId, orderId: '900', clientOrderId: '' }))
  t.equal(count(bench, 'dealBooked'), 2, 'nothing but zeros is a number too')
})

t.test('F844 one that an earlier version has booked with its zeros stays that one', async (t) => {
  const { bench, client } = together()
  fill(bench, client)
  client.deals = client.deals.map((deal) => ({ ...deal, dealId: '0104000010130023' }))
  tell(bench, client)
  const journal = bench.journal.map((event) =>
    event.event.kind === 'dealBooked'
      ? { ...event, event: { ...event.event, key: '2026-08-11|600036.SH|buy|0104000010130023' } }
      : event,
  )
  const next = new Bench(emptyState(policy))
  for (const event of journal) apply(next.state, event)
  connect(next, client, next.input({ kind: 'started', incarnation: 2, day: '2026-08-11' }))
  tell(next, client)
  t.equal(count(next, 'dealBooked'), 0)
})

t.test(
  'F844 it keeps the number as it was told first, which an earlier version knows',
  async (t) => {
    for (const [first, again] of [
      ['0104000010130023', '104000010130023'],
      ['104000010130023', '000104000010130023'],
    ] as const) {
      const { bench, client } = together()
      fill(bench, client)
      client.deals = client.deals.map((deal) => ({ ...deal, dealId: first }))
      tell(bench, client)
      t.strictSame([...bench.state.deals.keys()], [`2026-08-11|600036.SH|buy|${first}`])
      const next = reborn(bench)
      client.deals = client.deals.map((deal) => ({ ...deal, dealId: again }))
      connect(next, client, next.input({ kind: 'started', incarnation: 2, day: '2026-08-11' }))
      tell(next, client)
      t.equal(count(next, 'dealBooked'), 0)
    }
  },
)
