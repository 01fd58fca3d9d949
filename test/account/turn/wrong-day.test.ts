import t from 'tap'
import { dayOrders } from '../../../src/account/answers/rows.ts'
import { dayInForce, keepFromMs } from '../../../src/account/model/days.ts'
import { emptyState } from '../../../src/account/model/state.ts'
import { exchangeDayStartMs } from '../../../src/domain/exchange-time.ts'
import {
  BANK,
  Bench,
  brokerDeal,
  brokerPosition,
  commands,
  driver,
  KEY,
  keyOf,
  MORNING_MS,
  ORDER,
  policy,
  push,
  quote,
  refusals,
  replies,
  withRisk,
  yuan,
} from '../fixture.ts'
import { gone } from '../play.ts'

const DAY_MS = 86_400_000
const TODAY = '2026-08-11'
const SATURDAY = '2026-08-15'

/** A purchase of today that is filled, on an account that may place two orders a day and lose 5,000 yuan. */
function trader(): Bench {
  const risk = { ...policy.risk, maxOrdersPerDay: 2, maxDailyLoss: 5_000 }
  const bench = new Bench(emptyState({ ...policy, risk, isAlwaysOpen: true }))
  bench.quotes.set(BANK, quote(36.5))
  bench.ready([brokerPosition()])
  const [submit] = commands(bench.place())
  driver(bench, {
    kind: 'submitAnswered',
    callId: submit?.callId ?? 0,
    clientOrderId: KEY,
    outcome: { kind: 'accepted', orderId: '1001' },
  })
  driver(bench, { kind: 'dealPushed', deal: brokerDeal() })
  push(bench, { status: 56, filledQuantity: ORDER.quantity as never })
  return bench
}

/** The clock jumps four days ahead, a day opens by it, and it comes back. */
function openTooEarly(bench: Bench, price = 36.5): void {
  bench.nowMs += 4 * DAY_MS
  bench.quotes.set(BANK, quote(price, bench.nowMs))
  bench.input({ kind: 'dayOpened', day: SATURDAY })
  bench.nowMs += 5_000 - 4 * DAY_MS
  bench.quotes.set(BANK, quote(36.5, bench.nowMs))
}
const shown = ({ state, nowMs }: Bench) =>
  dayOrders({ state, nowMs }).map(({ clientOrderId }) => clientOrderId)

/** Between the day that came too early and its being taken back, and afterwards. */
const STAGES = [
  ['while the wrong day is open', () => {}],
  [
    'when it was taken back',
    (bench: Bench) => bench.input({ kind: 'dayOpened', day: TODAY, isSure: true }),
  ],
] as const

for (const [stage, takeBack] of STAGES) {
  t.test(`F17 a day that came too early changes no key, count or list, ${stage}`, async (t) => {
    const bench = trader()
    openTooEarly(bench)
    takeBack(bench)
    const before = bench.state.seq
    t.match(replies(bench.place()), [{ replayed: true }], 'the same key is the same order')
    t.equal(bench.state.seq, before)
    t.strictSame(shown(bench), [KEY], 'the orders of today are of today')
    t.strictSame(refusals(bench.place({ key: keyOf(2), quantity: 200 })), [])
    t.strictSame(refusals(bench.place({ key: keyOf(3), quantity: 300 })), ['ORDER_COUNT'])
  })
}

t.test('F17 the loss of the day is measured from where the day began', async (t) => {
  const bench = withRisk({ maxDailyLoss: 5_000 })
  bench.quotes.set(BANK, quote(36.5))
  bench.ready([brokerPosition()])
  const { dayTotal } = bench.state
  openTooEarly(bench, 33)
  t.equal(bench.state.dayTotal.day, SATURDAY)
  bench.input({ kind: 'dayOpened', day: TODAY, isSure: true })
  t.strictSame(bench.state.dayTotal, dayTotal)
  t.equal(bench.state.dayTotal.day, TODAY)
})

t.test('F17 also where nobody has measured the day that came too early', async (t) => {
  const bench = withRisk({ maxDailyLoss: 5_000 })
  bench.quotes.set(BANK, quote(36.5))
  bench.ready([brokerPosition()])
  const { dayTotal } = bench.state
  bench.input(gone)
  openTooEarly(bench, 33)
  t.equal(bench.state.dayTotal.day, TODAY, 'nobody could')
  bench.input({ kind: 'dayOpened', day: TODAY, isSure: true })
  t.strictSame(bench.state.dayTotal, dayTotal)
})

t.test('a day is taken back by a clock that was checked, and by no other', async (t) => {
  const bench = trader()
  openTooEarly(bench)
  bench.input({ kind: 'dayOpened', day: TODAY })
  t.equal(bench.state.day, SATURDAY, 'a replay that repeats')
  bench.input({ kind: 'started', incarnation: 2, day: TODAY, isSure: true })
  t.equal(bench.state.day, TODAY)
  t.strictSame(bench.state.days, [TODAY])
  bench.nowMs += DAY_MS
  bench.input({ kind: 'dayOpened', day: '2026-08-12', isSure: true })
  t.strictSame(bench.state.days, [TODAY, '2026-08-12'], 'and the next day opens as ever')
})

t.test('ticks that were acted upon under times to come keep nobody from acting now', async (t) => {
  const bench = trader()
  const holding = bench.state.positions.get(BANK)
  if (holding === undefined) throw new Error('nothing is held')
  bench.state.positions.set(BANK, { ...holding, actedTickMs: bench.nowMs + 4 * DAY_MS })
  openTooEarly(bench)
  bench.input({ kind: 'dayOpened', day: TODAY, isSure: true })
  t.ok((bench.state.positions.get(BANK)?.actedTickMs ?? 0) <= bench.nowMs)
})

t.test('an order is of the day on which it was made, whatever day is open', async (t) => {
  const bench = trader()
  bench.nowMs += 4 * DAY_MS
  bench.quotes.set(BANK, quote(36.5, bench.nowMs))
  bench.place({ key: keyOf(5), price: yuan(36) })
  t.equal(bench.state.orders.get(keyOf(5))?.day, SATURDAY)
  t.equal(dayInForce(bench.state, bench.nowMs), TODAY, 'a weekend belongs to the day before it')
  t.strictSame(shown(bench), [keyOf(5), KEY])
})

t.test('what is kept as a day opens: days of the calendar, and days lived through', async (t) => {
  const nowMs = exchangeDayStartMs('2026-08-15')
  const kept = (days: readonly string[], day: string, keepDays: number) => {
    const before = days.at(-1) ?? ''
    const fromMs = keepFromMs({ day: before, days }, { day, nowMs, keepDays })
    return (fromMs - nowMs) / DAY_MS
  }
  const lived = ['2026-08-11', '2026-08-12', '2026-08-13', '2026-08-14']
  t.equal(kept(lived, '2026-08-15', 2), -2)
  t.equal(kept(lived, '2026-08-15', 1), -1)
  t.equal(kept(lived.slice(0, 1), '2026-08-15', 1), -4, 'the day before, however long ago')
  t.equal(kept(lived.slice(0, 1), '2026-08-15', 2), -5)
  t.equal(kept(lived, '2026-08-15', 30), -30)
  t.equal(kept(lived, '2027-08-15', 2), -2, 'a year ahead')
  t.equal(kept([], '2026-08-15', 2), -2, 'the first day of all')
})

t.test('F17 an order that a wrong day ended, and the broker did not, is open again', async (t) => {
  const bench = new Bench(emptyState({ ...policy, isAlwaysOpen: true }))
  bench.quotes.set(BANK, quote(36.5))
  bench.ready([brokerPosition()])
  const [submit] = commands(bench.place())
  const outcome = { kind: 'accepted', orderId: '1001' } as const
  driver(bench, {
    kind: 'submitAnswered',
    callId: submit?.callId ?? 0,
    clientOrderId: KEY,
    outcome,
  })
  openTooEarly(bench)
  push(bench, { status: 55, filledQuantity: 40 as never })
  t.match(bench.state.orders.get(KEY), { status: 'expired' })
  bench.input({ kind: 'dayOpened', day: TODAY, isSure: true })
  t.match(bench.state.orders.get(KEY), { status: 'accepted', venueStatus: 55 })
})

t.test(
  'F17 nor is the row of the day before its news, by a clock that is a day behind',
  async (t) => {
    const bench = new Bench(emptyState({ ...policy, isAlwaysOpen: true }))
    bench.nowMs -= DAY_MS
    bench.quotes.set(BANK, quote(36.5, bench.nowMs))
    bench.ready([brokerPosition()])
    bench.place()
    push(bench, { timeMs: MORNING_MS })
    t.match(bench.state.orders.get(KEY), { orderId: '1001', day: TODAY, status: 'accepted' })
    const before = { clientOrderId: '', timeMs: MORNING_MS - DAY_MS }
    push(bench, { ...before, status: 53, filledQuantity: 40 as never })
    t.match(bench.state.orders.get(KEY), { status: 'accepted', venueStatus: 50 })
  },
)

/** Bought by a clock that is a day ahead; the call is answered as the clock of the computer is set right. */
function boughtAhead(first?: object): Bench {
  const bench = new Bench(emptyState({ ...policy, isAlwaysOpen: true }))
  bench.quotes.set(BANK, quote(36.5))
  bench.ready([brokerPosition()])
  if (first !== undefined) push(bench, { clientOrderId: '', ...first })
  bench.nowMs += DAY_MS
  bench.quotes.set(BANK, quote(36.5, bench.nowMs))
  bench.input({ kind: 'dayOpened', day: '2026-08-12' })
  const [submit] = commands(bench.place())
  bench.clockDoubt = { sinceMs: bench.nowMs, offMs: -DAY_MS }
  bench.input({ kind: 'clockDoubted', offMs: -DAY_MS })
  const outcome = { kind: 'accepted', orderId: '1001' } as const
  driver(bench, {
    kind: 'submitAnswered',
    callId: submit?.callId ?? 0,
    clientOrderId: KEY,
    outcome,
  })
  return bench
}
const strangers = ({ state }: Bench) =>
  [...state.orders.values()].filter(({ strategy }) => strategy === 'external')

t.test(
  'F453 while nobody knows the day a row without a remark is ours by number, terms and moment',
  async (t) => {
    for (const isDealFirst of [false, true]) {
      const bench = boughtAhead()
      const deal = brokerDeal({ clientOrderId: '', timeMs: MORNING_MS + 40_000 })
      if (isDealFirst) driver(bench, { kind: 'dealPushed', deal })
      push(bench, { clientOrderId: '', timeMs: MORNING_MS + 1_000 })
      if (!isDealFirst) driver(bench, { kind: 'dealPushed', deal })
      t.match(bench.state.orders.get(KEY), { status: 'filled', filledQuantity: 100, day: TODAY })
      t.strictSame(strangers(bench), [])
      bench.clockDoubt = undefined
      bench.nowMs -= DAY_MS
      bench.input({ kind: 'dayOpened', day: TODAY, isSure: true })
      push(bench, { clientOrderId: '', timeMs: MORNING_MS + 1_000, status: 56 })
      driver(bench, { kind: 'dealPushed', deal })
      t.match(bench.state.orders.get(KEY), { status: 'filled', venueStatus: 56 })
      t.strictSame(strangers(bench), [], 'and once the day is taken back')
      t.equal(bench.state.deals.size, 1)
    }
  },
)

t.test('F453 other terms, another moment or another day are not ours', async (t) => {
  const others = [
    { quantity: 200 as never },
    { price: yuan(36.4) },
    { timeMs: MORNING_MS - 6_000 },
    { timeMs: MORNING_MS + 31_000 },
    { timeMs: MORNING_MS - DAY_MS },
  ]
  for (const other of others) {
    const bench = boughtAhead()
    push(bench, { clientOrderId: '', timeMs: MORNING_MS, ...other })
    t.match(bench.state.orders.get(KEY), { status: 'accepted', day: '2026-08-12' })
    t.equal(strangers(bench).length, 1, JSON.stringify(other))
  }
  const known = boughtAhead({ timeMs: MORNING_MS })
  push(known, { clientOrderId: '', timeMs: MORNING_MS, status: 54 })
  t.match(known.state.orders.get(KEY), { status: 'accepted', venueStatus: 48 })
  t.match(strangers(known), [{ venueStatus: 54 }], 'had the number first, on that day')
})

t.test(
  'F453 nor is a fill of another day than that of the order by the clock of now',
  async (t) => {
    for (const days of [2, 400]) {
      const bench = boughtAhead()
      const offMs = -days * DAY_MS
      bench.clockDoubt = { sinceMs: bench.nowMs, offMs }
      driver(bench, { kind: 'dealPushed', deal: brokerDeal({ clientOrderId: '' }) })
      t.match(bench.state.orders.get(KEY), { status: 'accepted', filledQuantity: 0 }, `${days}`)
      t.equal(bench.state.deals.size, 1, 'somebody else had the number on that day')
    }
  },
)
