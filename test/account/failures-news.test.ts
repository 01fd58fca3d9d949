import t from 'tap'
import type { Money, Quantity } from '../../src/domain/money.ts'
import {
  BANK,
  Bench,
  brokerDeal,
  brokerOrder,
  brokerPosition,
  commands,
  KEY,
  policy,
  quote,
  refusals,
} from './fixture.ts'
import {
  accepted,
  count,
  dealt,
  doubtful,
  doubtPoll,
  gone,
  placed,
  pushed,
  said,
  settle,
  timer,
} from './play.ts'
import { acting } from './strategies/stop-profit/chain.ts'

/** Rows of the failure table, from F21 on: news that is late, doubled, missing or about somebody else. */
const order = (bench: Bench) => bench.state.orders.get(KEY)
const part = (quantity: number) => ({ quantity: quantity as Quantity })

t.test('F21 what comes twice or out of order changes nothing', async (t) => {
  const news = [
    pushed({ status: 50 }),
    dealt(part(40)),
    pushed({ status: 55, filledQuantity: 40 as Quantity }),
    dealt({ dealId: 'd2', ...part(60) }),
    pushed({ status: 56, filledQuantity: 100 as Quantity }),
  ]
  const orders = [news, [...news].reverse(), news.flatMap((each) => [each, each])]
  for (const sequence of orders) {
    const bench = new Bench().ready()
    bench.input(accepted(placed(bench)))
    for (const input of sequence) bench.input(input)
    t.match(order(bench), { status: 'filled', venueStatus: 56, filledQuantity: 100 })
    t.equal(count(bench, 'dealBooked'), 2)
  }
})

t.test('F21 a status of lower rank is ignored', async (t) => {
  const bench = new Bench().ready()
  bench.input(accepted(placed(bench)))
  bench.input(pushed({ status: 54, statusMessage: '已撤' }))
  const { length } = bench.journal
  bench.input(pushed({ status: 50, statusMessage: '已撤' }))
  t.match(order(bench), { status: 'canceled', venueStatus: 54 })
  t.ok(bench.journal.length <= length + 1)
})

t.test(
  'F22 a fill before the answer is booked, and the answer adds nothing but itself',
  async (t) => {
    const bench = new Bench().ready()
    const callId = placed(bench)
    bench.input(dealt())
    t.match(order(bench), { status: 'filled', orderId: '1001' }, 'the deal names the number')
    bench.input(accepted(callId))
    t.match(order(bench), { status: 'filled', filledQuantity: 100 })
  },
)

t.test('F22 a fill without a remark waits for the number, then is asked for', async (t) => {
  const bench = new Bench().ready()
  const callId = placed(bench)
  bench.input(dealt({ clientOrderId: '' }))
  t.equal(count(bench, 'dealBooked'), 0)
  const looks = commands(bench.input(accepted(callId)))
  t.match(looks, [{ what: 'orders' }, { what: 'deals' }])
  bench.answerQueries(looks, {
    orders: [brokerOrder({ clientOrderId: '', status: 56 })],
    deals: [brokerDeal({ clientOrderId: '' })],
  })
  t.match(order(bench), { status: 'filled', filledQuantity: 100 })
  t.equal(count(bench, 'orderAdopted'), 0)
})

t.test(
  'F23 a fill after the end is booked, corrects the order and is told to people',
  async (t) => {
    const ends = [
      [pushed({ status: 54 }), { status: 'canceled', filledQuantity: 40 }],
      [pushed({ status: 57 }), { status: 'partiallyFilled', filledQuantity: 40 }],
    ] as const
    for (const [end, expected] of ends) {
      const bench = new Bench().ready()
      bench.input(accepted(placed(bench)))
      bench.input(end)
      bench.input(dealt(part(40)))
      t.match(order(bench), expected)
      t.equal(count(bench, 'orderWarned'), 1)
    }
  },
)

t.test('an order that is voided after a part of it was filled has kept that part', async (t) => {
  const filled = (count: number) => ({ status: 57, filledQuantity: count as Quantity }) as const
  const ends = [
    // By its deals, by the row that voids it, and by both.
    [dealt(part(40)), filled(0), { status: 'canceled', filledQuantity: 40 }],
    [pushed(), filled(40), { status: 'canceled', venueFilledQuantity: 40 }],
    [dealt(part(40)), filled(40), { status: 'canceled', filledQuantity: 40 }],
    [pushed(), filled(0), { status: 'rejected', filledQuantity: 0 }],
  ] as const
  for (const [news, end, expected] of ends) {
    const bench = new Bench().ready()
    bench.input(accepted(placed(bench)))
    bench.input(news)
    bench.input(pushed(end))
    t.match(order(bench), expected)
    t.equal(bench.state.rejectsInRow, expected.status === 'rejected' ? 1 : 0)
  }
})

t.test('F23 an order that was absent and turns up is open again', async (t) => {
  const ways = [(bench: Bench) => bench.input(pushed()), (bench: Bench) => bench.input(accepted(2))]
  for (const find of ways) {
    const bench = doubtful()
    settle(bench)
    t.match(order(bench), { status: 'rejected' })
    find(bench)
    t.match(order(bench), { status: 'accepted', orderId: '1001' })
    t.equal(count(bench, 'orderWarned'), 1)
  }
})

t.test(
  'F23 fills beyond what was ordered are booked beside the order, with a warning',
  async (t) => {
    const bench = new Bench().ready()
    bench.input(accepted(placed(bench)))
    bench.input(dealt())
    bench.input(dealt({ dealId: 'd2', ...part(100) }))
    t.match(order(bench), { filledQuantity: 100 })
    t.equal(count(bench, 'dealBooked'), 2)
    t.equal(count(bench, 'orderWarned'), 1)
  },
)

t.test(
  'F24 canceled with more fills than are booked: deals are asked for until they are',
  async (t) => {
    const bench = new Bench().ready()
    bench.input(accepted(placed(bench)))
    bench.input(dealt(part(40)))
    const asked = commands(bench.input(pushed({ status: 53, filledQuantity: 60 as Quantity })))
    t.match(asked, [{ kind: 'query', what: 'deals' }])
    t.match(order(bench), { status: 'canceled', filledQuantity: 40, venueFilledQuantity: 60 })
    bench.answerQueries(asked, { deals: [brokerDeal(part(40))] })
    const again = commands(bench.input(timer('fills')))
    t.match(again, [{ kind: 'query', what: 'deals' }])
    bench.answerQueries(again, {
      deals: [brokerDeal(part(40)), brokerDeal({ dealId: 'd2', ...part(20) })],
    })
    t.match(order(bench), { status: 'canceled', filledQuantity: 60 })
    t.equal(count(bench, 'orderWarned'), 0, 'they were expected')
    t.strictSame(commands(bench.input(timer('fills'))), [])
  },
)

t.test('F24 deals that never come are not asked for forever', async (t) => {
  const bench = new Bench().ready()
  bench.input(accepted(placed(bench)))
  const asked = commands(bench.input(pushed({ status: 56, filledQuantity: 100 as Quantity })))
  bench.answerQueries(asked)
  let looks = 0
  for (; looks < 1_000; looks++) {
    const effects = bench.input(timer('fills'))
    bench.answerQueries(commands(effects))
    if (!effects.some((effect) => effect.kind === 'timer')) break
  }
  t.ok(looks < 1_000)
})

t.test('F25 the broker starts anew: four reports before anything is sent', async (t) => {
  const bench = new Bench().ready([brokerPosition()])
  bench.input(accepted(placed(bench)))
  bench.input(gone)
  t.strictSame(refusals(bench.place({ key: KEY.replace('01', '02') })), ['NOT_CONNECTED'])
  const [connect] = commands(bench.input(timer('reconnect')))
  const result = { ok: true, value: null } as const
  const queries = commands(
    bench.input(said({ kind: 'connectAnswered', callId: connect?.callId ?? 0, result })),
  )
  t.strictSame(
    queries.map((query) => query.kind === 'query' && query.what),
    ['orders', 'deals', 'positions', 'asset'],
  )
  bench.answerQueries(queries.slice(0, 3), {
    orders: [brokerOrder()],
    positions: [brokerPosition()],
  })
  t.strictSame(refusals(bench.place({ key: KEY.replace('01', '02') })), ['NOT_CONNECTED'])
  bench.answerQueries(queries.slice(3))
  t.equal(bench.state.isReady, true)
})

t.test(
  'F25 a client that lets us in and then answers nothing is not asked again at once',
  async (t) => {
    const bench = new Bench()
    bench.input({ kind: 'started', incarnation: 1, day: '2026-08-11' })
    const result = { ok: true, value: null } as const
    const [query] = commands(bench.input(said({ kind: 'connectAnswered', callId: 1, result })))
    const effects = bench.input({ kind: 'callTimedOut', callId: query?.callId ?? 0 })
    const wait = effects.find((effect) => effect.kind === 'timer' && effect.name === 'reconnect')
    t.ok(wait?.kind === 'timer' && wait.delayMs >= policy.limits.reconnectSessionWaitMsMax / 2)
  },
)

t.test('F26 a report that failed is no empty report', async (t) => {
  const bench = doubtful()
  for (let i = 0; i < 3; i++) {
    bench.wallMs += policy.limits.doubtSettleMs
    for (const query of commands(bench.input(timer('doubt')))) {
      const what = query.kind === 'query' ? query.what : 'orders'
      const result = { ok: false, error: { code: 'FAILED', message: 'busy' } } as const
      bench.input(said({ kind: 'queryAnswered', callId: query.callId, what, result }))
    }
  }
  t.match(order(bench), { status: 'inDoubt' })
})

t.test('F26 orders without deals, or deals without orders, conclude nothing', async (t) => {
  for (const answered of ['orders', 'deals']) {
    const bench = doubtful()
    for (let i = 0; i < 3; i++) {
      const queries = commands(bench.input(timer('doubt')))
      bench.answerQueries(
        queries.filter((query) => query.kind === 'query' && query.what === answered),
      )
      for (const { callId } of queries) bench.input({ kind: 'callTimedOut', callId })
      bench.wallMs += policy.limits.doubtSettleMs
    }
    t.match(order(bench), { status: 'inDoubt' }, answered)
  }
})

t.test(
  'F27 an order of somebody else is followed as external, its earlier deals too',
  async (t) => {
    const row = { orderId: '77', clientOrderId: '' }
    const bench = new Bench().ready()
    bench.input(dealt({ ...row, ...part(40) }))
    bench.input(pushed({ ...row, status: 55, filledQuantity: 40 as Quantity }))
    bench.input(dealt({ ...row, dealId: 'd2', ...part(60) }))
    const [only] = bench.state.orders.values()
    t.match(only, { strategy: 'external', status: 'filled', filledQuantity: 100, orderId: '77' })
  },
)

t.test(
  'F27 a remark that another number bears already was copied: that order is a stranger’s',
  async (t) => {
    const bench = new Bench().ready()
    bench.input(accepted(placed(bench)))
    bench.input(pushed({ orderId: '1002' }))
    t.match(order(bench), { orderId: '1001' })
    // Alone it might be ours under a new number: a list shows both.
    doubtPoll(bench, { orders: [brokerOrder(), brokerOrder({ orderId: '1002' })] })
    t.match(order(bench), { orderId: '1001' })
    t.equal(bench.state.orders.size, 2)
  },
)

t.test('F27 a number that is given again on another day is another order', async (t) => {
  const bench = new Bench().ready()
  bench.input(accepted(placed(bench)))
  bench.input(pushed({ status: 54 }))
  bench.nowMs += 86_400_000
  bench.input({ kind: 'dayOpened', day: '2026-08-12' })
  bench.input(pushed({ clientOrderId: '', timeMs: bench.nowMs }))
  t.match(order(bench), { status: 'canceled' })
  t.equal(bench.state.orders.size, 2)
})

t.test('F30 a cancel that is refused again and again is not repeated without end', async (t) => {
  const bench = acting().ready([brokerPosition()])
  bench.signal({
    signalType: 'stop_loss',
    code: BANK,
    side: 'sell',
    quantity: 100 as Quantity,
    priceType: 5,
    price: 0 as never,
    signalPrice: 0 as never,
  })
  const [sale] = bench.state.orders.values()
  const id = sale?.clientOrderId ?? ''
  const row = brokerOrder({ clientOrderId: id, side: 'sell' })
  bench.input(said({ kind: 'orderPushed', order: row }))
  bench.nowMs += policy.pending.stopLossTimeoutMs
  bench.quotes.set(BANK, quote(36, bench.nowMs)) // a cancel helps: the rest would get another price
  let [cancel] = commands(bench.input({ kind: 'alarm' }))
  let calls = 0
  while (cancel?.kind === 'cancel' && calls < 10) {
    calls += 1
    const refused = { code: 'FAILED', message: '跌停' } as const
    const { callId } = cancel
    bench.input(
      said({
        kind: 'cancelAnswered',
        callId,
        orderId: '1001',
        result: { ok: false, error: refused },
      }),
    )
    const looked = commands(bench.input(timer('cancels')))
    cancel = commands(bench.answerQueries(looked, { orders: [row] })).find(
      ({ kind }) => kind === 'cancel',
    )
  }
  t.equal(calls, policy.limits.cancelRetriesMax)
  t.equal(bench.state.orders.size, 1, 'and nothing is sent in its place')
  bench.nowMs += 3_600_000
  t.strictSame(commands(bench.input({ kind: 'alarm' })), [])
})

t.test('F31 what was bought today is not sold', async (t) => {
  const bench = new Bench().ready([brokerPosition({ sellable: 0 as Quantity })])
  t.strictSame(refusals(bench.place({ side: 'sell' })), ['INSUFFICIENT_SELLABLE'])
  t.equal(count(bench, 'orderSubmitted'), 0)
})

t.test(
  'F31 an open sale that is not in the reports yet counts against what may be sold',
  async (t) => {
    const bench = new Bench().ready([brokerPosition({ sellable: 150 as Quantity })])
    t.equal(commands(bench.place({ side: 'sell' })).length, 1)
    const second = bench.place({ side: 'sell', key: KEY.replace('01', '02') })
    t.strictSame(refusals(second), ['INSUFFICIENT_SELLABLE'])
  },
)

t.test(
  'F33 holdings that vanish from one report stay; cash and marks of the rest are kept',
  async (t) => {
    const bench = new Bench().ready([brokerPosition()])
    bench.answerQueries(commands(bench.input(timer('poll'))), { positions: [] })
    t.ok(bench.state.positions.has(BANK))
    bench.answerQueries(commands(bench.input(timer('poll'))), { positions: [brokerPosition()] })
    bench.answerQueries(commands(bench.input(timer('poll'))), { positions: [] })
    t.ok(bench.state.positions.has(BANK), 'the count begins again with every sight of it')
    t.match(bench.state.asset, { available: 10_000_000_000 as Money })
  },
)
