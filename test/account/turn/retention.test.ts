import fc from 'fast-check'
import t from 'tap'
import { emptyState } from '../../../src/account/model/state.ts'
import { exchangeDay } from '../../../src/domain/exchange-time.ts'
import { BANK, Bench, brokerOrder, commands, KEY, policy, quote, replies } from '../fixture.ts'

const HOUR_MS = 3_600_000
const DAY_MS = 24 * HOUR_MS
/** Friday evening at the exchange. */
const FRIDAY_MS = Date.parse('2026-08-14T12:00:00Z')

/** An account on which an order ended at `atMs` under the one key. */
function ended(atMs: number, ordersKeepDays = 2): Bench {
  const limits = { ...policy.limits, ordersKeepDays }
  const bench = new Bench(emptyState({ ...policy, limits, isAlwaysOpen: true })).ready()
  move(bench, atMs)
  bench.quotes.set(BANK, quote(36.5, atMs))
  accept(bench, KEY)
  const order = brokerOrder({ status: 54, timeMs: atMs })
  bench.input({ kind: 'driver', event: { kind: 'orderPushed', order } })
  return bench
}

/** The broker takes the order under its number 1001. */
function accept(bench: Bench, key: string): void {
  const [submit] = commands(bench.place({ key }))
  if (submit?.kind !== 'submit') throw new Error('the order was not sent')
  const { callId } = submit
  const outcome = { kind: 'accepted', orderId: '1001' } as const
  bench.input({
    kind: 'driver',
    event: { kind: 'submitAnswered', callId, clientOrderId: key, outcome },
  })
}

/** The clock goes on; days open at midnight, one after the other. */
function move(bench: Bench, toMs: number): void {
  for (;;) {
    const midnightMs = Date.parse(`${exchangeDay(bench.nowMs)}T00:00:00+08:00`) + DAY_MS
    if (midnightMs > toMs) break
    bench.nowMs = midnightMs
    bench.wallMs = midnightMs
    bench.input({ kind: 'dayOpened', day: exchangeDay(midnightMs) })
  }
  bench.nowMs = toMs
  bench.wallMs = toMs
}

/** Whether the key still means the order that it made. */
function isKept(bench: Bench): boolean {
  if (!bench.state.orders.has(KEY)) return false
  const before = bench.state.seq
  const [answer] = replies(bench.place())
  return before === bench.state.seq && (answer as { replayed: boolean }).replayed
}

t.test('a key of Friday evening is known on Saturday evening', async (t) => {
  for (const keepDays of [1, 2, 7]) {
    const bench = ended(FRIDAY_MS, keepDays)
    for (const hours of [0, 1, 4, 12, 23, 24]) {
      move(bench, FRIDAY_MS + hours * HOUR_MS)
      t.ok(isKept(bench), `${hours} hours later, with ${keepDays} days to keep`)
    }
  }
  const bench = ended(FRIDAY_MS)
  move(bench, FRIDAY_MS + 4 * DAY_MS)
  t.notOk(bench.state.orders.has(KEY), 'and not for ever')
})

t.test('no key is forgotten within 24 hours, whatever day is opened and whenever', async () => {
  const young = fc.property(
    fc.integer({ min: 0, max: 30 * DAY_MS }),
    fc.integer({ min: 0, max: DAY_MS }),
    fc.integer({ min: 1, max: 3 }),
    fc.integer({ min: 0, max: 400 }),
    (startMs, ageMs, keepDays, daysAhead) => {
      const bench = ended(FRIDAY_MS + startMs, keepDays)
      move(bench, bench.nowMs + ageMs)
      // A day from far ahead, as a feed with a wrong date would open it.
      bench.input({ kind: 'dayOpened', day: exchangeDay(bench.nowMs + daysAhead * DAY_MS) })
      return isKept(bench)
    },
  )
  fc.assert(young, { numRuns: 200 })
})

t.test('an old order goes without the number of a new one', async (t) => {
  const bench = ended(FRIDAY_MS)
  move(bench, FRIDAY_MS + DAY_MS)
  bench.quotes.set(BANK, quote(36.5, bench.nowMs))
  const other = `${KEY.slice(0, -1)}W`
  accept(bench, other)
  t.equal(bench.state.orderIds.get('1001'), other, 'a trading client may number anew every day')
  move(bench, FRIDAY_MS + 3 * DAY_MS)
  t.notOk(bench.state.orders.has(KEY))
  t.equal(bench.state.orderIds.get('1001'), other)
})
