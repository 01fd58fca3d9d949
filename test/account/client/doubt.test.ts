import t from 'tap'
import type { Quantity } from '../../../src/domain/money.ts'
import {
  Bench,
  brokerDeal,
  brokerOrder,
  brokerPosition,
  commands,
  KEY,
  keyOf,
  MORNING_MS,
  policy,
  refusals,
  replies,
  yuan,
} from '../fixture.ts'
import { count, dealt, doubtful, doubtPoll, placed, pushed, said, settle, timer } from '../play.ts'

const REMARKLESS = { clientOrderId: '' } as const
const order = (bench: Bench) => bench.state.orders.get(KEY)
const resolve = (bench: Bench, orderId: string) =>
  bench.input({
    kind: 'request',
    ref: 7,
    request: { kind: 'resolveDoubt', clientOrderId: KEY, orderId, source: 'operator' },
  })

t.test('an order is found by its remark at once, in a list, a push or a deal', async (t) => {
  const ways: readonly ((bench: Bench) => unknown)[] = [
    (bench) => doubtPoll(bench, { orders: [brokerOrder()] }),
    (bench) => bench.input(pushed()),
    (bench) => bench.input(dealt({ quantity: 40 as Quantity })),
  ]
  for (const find of ways) {
    const bench = doubtful()
    find(bench)
    t.match(order(bench), { orderId: '1001', status: /accepted|partiallyFilled/ })
    t.equal(count(bench, 'orderWarned'), 0)
  }
})

t.test('a number tells that the order is there, whatever status comes with it', async (t) => {
  for (const status of [48, 49, 50, 55, 56, 255] as const) {
    const bench = doubtful()
    bench.input(pushed({ status }))
    t.equal(order(bench)?.status, 'accepted', String(status))
  }
})

t.test(
  'without a remark it is the one row like it, once two looks have settled that',
  async (t) => {
    const bench = doubtful()
    const rows = {
      orders: [brokerOrder({ ...REMARKLESS, status: 55 })],
      deals: [brokerDeal({ ...REMARKLESS, quantity: 40 as Quantity })],
    }
    doubtPoll(bench, rows)
    t.match(order(bench), { status: 'inDoubt' }, 'one look decides nothing')
    t.equal(bench.state.orders.size, 1, 'the row is nobody’s meanwhile')
    t.equal(count(bench, 'dealBooked'), 0, 'and so is its deal')
    bench.wallMs += policy.limits.doubtSettleMs
    doubtPoll(bench, rows)
    t.match(order(bench), { orderId: '1001', status: 'partiallyFilled', filledQuantity: 40 })
    t.equal(count(bench, 'orderWarned'), 1)
    t.equal(count(bench, 'orderAdopted'), 0)
  },
)

t.test('F981 a sleep of the computer is no time for which lists lacked an order', async (t) => {
  const { doubtQuarantineMs, doubtQueryIntervalMs, doubtSettleMs } = policy.limits
  for (const sleepMs of [2 * doubtSettleMs, doubtQuarantineMs / 2]) {
    const bench = doubtful()
    doubtPoll(bench)
    bench.wallMs += sleepMs // its client has slept as well, and its lists are those of before
    doubtPoll(bench)
    t.equal(order(bench)?.status, 'inDoubt', 'it is looked for anew')
    for (let ms = doubtQueryIntervalMs; ms < doubtSettleMs; ms += doubtQueryIntervalMs) {
      bench.wallMs += doubtQueryIntervalMs
      doubtPoll(bench)
      t.equal(order(bench)?.status, 'inDoubt')
    }
    bench.wallMs += doubtQueryIntervalMs
    doubtPoll(bench)
    t.equal(order(bench)?.status, 'rejected')
  }
})

t.test('a row that differs is somebody else’s, and then ours is absent', async (t) => {
  const differences = [
    { quantity: 200 as Quantity },
    { side: 'sell' as const },
    { price: yuan(36.4) },
    { timeMs: MORNING_MS - policy.limits.matchBeforeMs - 1 },
    { clientOrderId: KEY.replace('01', '02') },
  ]
  for (const difference of differences) {
    const bench = doubtful()
    settle(bench, { orders: [brokerOrder({ ...REMARKLESS, ...difference })] })
    t.match(order(bench), { status: 'rejected', orderId: '' }, JSON.stringify(difference))
    t.equal(count(bench, 'orderAdopted'), 1)
  }
})

t.test('the price counts only where the order names one', async (t) => {
  const bench = new Bench().ready()
  const [submit] = commands(bench.place({ priceType: 5, price: 0 }))
  bench.input({ kind: 'callTimedOut', callId: submit?.callId ?? 0 })
  settle(bench, { orders: [brokerOrder({ ...REMARKLESS, price: yuan(36.7) })] })
  t.match(order(bench), { orderId: '1001', status: 'accepted' })
})

t.test('several candidates, or a late one, are for the operator', async (t) => {
  const late = MORNING_MS + policy.limits.matchAfterMs + 1
  const cases = [
    [brokerOrder(REMARKLESS), brokerOrder({ ...REMARKLESS, orderId: '1002' })],
    [brokerOrder({ ...REMARKLESS, timeMs: late })],
  ]
  for (const orders of cases) {
    const bench = doubtful()
    settle(bench, { orders })
    t.match(order(bench), { status: 'inDoubt', isQuarantined: true })
    t.match(order(bench)?.statusMessage, orders[0]?.orderId)
    t.equal(count(bench, 'orderAdopted'), 0)
    t.strictSame(
      refusals(bench.place({ key: KEY.replace('01', '03') })),
      ['ORDER_IN_DOUBT_HELD'],
      'stock and side stay held',
    )
    bench.wallMs += 3_600_000
    doubtPoll(bench, { orders })
    t.match(order(bench), { isQuarantined: true }, 'no machine decides it any more')
  }
})

t.test('two orders that one row could be are not told apart by machine', async (t) => {
  const bench = new Bench().ready([brokerPosition()])
  const other = KEY.replace('01', '02')
  const calls = [KEY, other].flatMap((key) => commands(bench.place({ key })))
  for (const { callId } of calls) bench.input({ kind: 'callTimedOut', callId })
  settle(bench, { orders: [brokerOrder(REMARKLESS)] })
  for (const id of [KEY, other]) t.match(bench.state.orders.get(id), { isQuarantined: true })
})

t.test('looks that never succeed end with the operator too', async (t) => {
  const bench = doubtful()
  bench.input(timer('doubt'))
  bench.wallMs += policy.limits.doubtQuarantineMs
  bench.input(timer('doubt'))
  t.match(order(bench), { status: 'inDoubt', isQuarantined: true })
})

t.test('the operator says that it never came, or which row it is', async (t) => {
  const orders = [brokerOrder(REMARKLESS), brokerOrder({ ...REMARKLESS, orderId: '1002' })]
  const deals = [brokerDeal({ ...REMARKLESS, orderId: '1002' })]
  const cases = [
    ['', { status: 'rejected', orderId: '' }, 2],
    ['1002', { status: 'filled', orderId: '1002' }, 1],
  ] as const
  for (const [orderId, expected, adopted] of cases) {
    const bench = doubtful()
    settle(bench, { orders, deals })
    const effects = resolve(bench, orderId)
    t.match(replies(effects), [{ clientOrderId: KEY, orderId }])
    bench.answerQueries(commands(effects), { orders, deals })
    t.match(order(bench), expected)
    t.equal(order(bench)?.isQuarantined, undefined)
    t.equal(count(bench, 'orderAdopted'), adopted, 'the rest was somebody else’s')
    t.equal(count(bench, 'dealBooked'), 1)
    t.match(
      bench.journal.find(({ event }) => event.kind === 'doubtDecided')?.event,
      { source: 'operator' },
      'audited',
    )
  }
})

t.test(
  'the operator decides only what is quarantined, and names only a row of the list',
  async (t) => {
    const unknown = new Bench().ready()
    t.strictSame(refusals(resolve(unknown, '')), ['UNKNOWN_ORDER'])
    const fresh = doubtful()
    t.strictSame(refusals(resolve(fresh, '')), ['ORDER_IN_DOUBT_HELD'])
    fresh.input(pushed())
    t.strictSame(refusals(resolve(fresh, '')), ['CONFLICT'])
    const stuck = doubtful()
    settle(stuck, {
      orders: [brokerOrder(REMARKLESS), brokerOrder({ ...REMARKLESS, orderId: '1002' })],
    })
    t.strictSame(refusals(resolve(stuck, '9999')), ['CONFLICT'])
  },
)

t.test('a stranger’s number that turns out to be ours takes its fills along', async (t) => {
  const bench = new Bench().ready()
  const callId = placed(bench)
  bench.input({ kind: 'callTimedOut', callId })
  doubtPoll(bench) // cleared: it cannot arrive any more, says the driver
  bench.input({ kind: 'dayOpened', day: '2026-08-12' })
  // Closed with its day, so the row without a remark looks like somebody else’s …
  bench.input(pushed({ ...REMARKLESS, status: 55, filledQuantity: 40 as Quantity }))
  bench.input(dealt({ ...REMARKLESS, quantity: 40 as Quantity }))
  t.equal(count(bench, 'orderAdopted'), 1)
  // … until the late answer says whose number it is.
  bench.input(
    said({
      kind: 'submitAnswered',
      callId,
      clientOrderId: KEY,
      outcome: { kind: 'accepted', orderId: '1001' },
    }),
  )
  t.match(order(bench), { orderId: '1001', filledQuantity: 40, status: 'partiallyFilled' })
  t.equal(bench.state.orders.size, 1)
})

t.test('a stranger of the day before who had the same number stays a stranger', async (t) => {
  const bench = new Bench().ready()
  bench.input(pushed({ ...REMARKLESS, status: 54 }))
  bench.nowMs += 86_400_000
  bench.input({ kind: 'dayOpened', day: '2026-08-12' })
  // Numbers begin anew, and the first order of today is like the first of yesterday.
  const callId = placed(bench)
  const outcome = { kind: 'accepted', orderId: '1001' } as const
  bench.input(said({ kind: 'submitAnswered', callId, clientOrderId: KEY, outcome }))
  t.match(order(bench), { orderId: '1001', status: 'accepted' })
  t.match(bench.state.orders.get('external-2026-08-11-1001'), { status: 'canceled' })
})

t.test('a row of ours that is still listed stays ours when its number is given anew', async (t) => {
  const bench = new Bench().ready()
  const accept = (callId: number, clientOrderId: string) =>
    bench.input(
      said({
        kind: 'submitAnswered',
        callId,
        clientOrderId,
        outcome: { kind: 'accepted', orderId: '1001' },
      }),
    )
  accept(placed(bench), KEY)
  const yesterday = { ...REMARKLESS, status: 54 } as const
  bench.input(pushed(yesterday))
  bench.nowMs += 86_400_000
  bench.input({ kind: 'dayOpened', day: '2026-08-12' })
  const [submit] = commands(bench.place({ key: keyOf(2), code: '000001.SZ' }))
  accept(submit?.callId ?? 0, keyOf(2))
  bench.input(pushed(yesterday))
  t.equal(count(bench, 'orderAdopted'), 0)
  t.equal(bench.state.orders.size, 2)
})

t.test(
  'a row that is still listed from the day before is not the order that has its number today',
  async (t) => {
    const bench = new Bench().ready()
    const yesterday = brokerOrder({ ...REMARKLESS, status: 54 })
    bench.nowMs += 86_400_000
    bench.input({ kind: 'dayOpened', day: '2026-08-12' })
    const callId = placed(bench)
    const outcome = { kind: 'accepted', orderId: '1001' } as const
    bench.input(said({ kind: 'submitAnswered', callId, clientOrderId: KEY, outcome }))
    bench.input(pushed(yesterday))
    t.match(order(bench), { orderId: '1001', status: 'accepted' })
    t.match(bench.state.orders.get('external-2026-08-11-1001'), { status: 'canceled' })
  },
)

t.test('F92 a row of financing like an order in doubt is somebody else’s', async (t) => {
  const bench = doubtful()
  const foreign = { ...REMARKLESS, isOtherBusiness: true } as const
  const rows = {
    orders: [brokerOrder({ ...foreign, status: 55 })],
    deals: [brokerDeal({ ...foreign, quantity: 40 as Quantity })],
  }
  doubtPoll(bench, rows)
  t.match(order(bench), { status: 'inDoubt', orderId: '' })
  const shown = [...bench.state.orders.values()].filter(({ strategy }) => strategy === 'external')
  t.match(shown, [{ orderId: '1001', side: 'buy' }], 'shown at once, as an external order')
  settle(bench, rows)
  t.match(order(bench), { status: 'rejected' }, 'ours never arrived')
})
