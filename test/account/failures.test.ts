import t from 'tap'
import type { Quantity } from '../../src/domain/money.ts'
import {
  Bench,
  brokerDeal,
  brokerOrder,
  commands,
  KEY,
  policy,
  refusals,
  replies,
} from './fixture.ts'
import {
  accepted,
  count,
  dealt,
  doubtful,
  gone,
  placed,
  pushed,
  reborn,
  recovered,
  said,
  settle,
  started,
  timer,
} from './play.ts'

/** Rows of the failure table that concern orders: what must happen when this breaks. */
const order = (bench: Bench) => bench.state.orders.get(KEY)
const part = (quantity: number) => ({ quantity: quantity as Quantity })
const submitsOf = (bench: Bench, input: Parameters<Bench['input']>[0]) =>
  commands(bench.input(input)).filter(({ kind }) => kind === 'submit')

t.test(
  'F1 a thread that ended begins with what is durable, and acts only once it has looked',
  async (t) => {
    const first = new Bench().ready()
    first.input(accepted(placed(first)))
    const second = reborn(first)
    t.match(order(second), { orderId: '1001', status: 'accepted' })
    t.strictSame(refusals(second.place({ key: KEY.replace('01', '02') })), ['NOT_CONNECTED'])
    started(second, { orders: [brokerOrder()] })
    const other = { key: KEY.replace('01', '02'), requestHash: 'h2', quantity: 200 }
    t.equal(commands(second.place(other)).length, 1)
  },
)

t.test('F7 killed at any point: the same journal gives the same orders again', async (t) => {
  const bench = new Bench().ready()
  bench.input(accepted(placed(bench)))
  bench.input(dealt(part(40)))
  bench.input(pushed({ status: 53, filledQuantity: 60 as Quantity }))
  for (let length = 0; length <= bench.journal.length; length++) {
    const cut = new Bench()
    cut.journal.push(...bench.journal.slice(0, length))
    const next = reborn(cut)
    started(next, {
      orders: [brokerOrder({ status: 53, filledQuantity: 60 as Quantity })],
      deals: [brokerDeal(part(40)), brokerDeal({ dealId: 'd2', ...part(20) })],
    })
    const [only] = next.state.orders.values()
    t.match(only, { orderId: '1001', status: 'canceled', filledQuantity: 60 })
    t.equal(next.state.orders.size, 1)
  }
})

t.test('F8 killed between intent and call: in doubt, then absent, never sent', async (t) => {
  const first = new Bench().ready()
  placed(first)
  const second = reborn(first)
  const calls = commands(started(second))
  t.match(order(second), { status: 'inDoubt' })
  settle(second)
  t.match(order(second), { status: 'rejected', orderId: '' })
  t.notOk(calls.some(({ kind }) => kind === 'submit'))
  t.match(
    replies(second.place()),
    [{ state: 'rejected', replayed: true }],
    'the key is still that order',
  )
})

t.test('F9 killed between the client’s yes and our note of it: bound by its remark', async (t) => {
  const first = new Bench().ready()
  placed(first)
  const second = reborn(first)
  started(second, {
    orders: [brokerOrder({ status: 56, filledQuantity: 100 as Quantity })],
    deals: [brokerDeal()],
  })
  t.match(order(second), { orderId: '1001', status: 'filled', filledQuantity: 100 })
})

t.test('F10 killed between a fill and its booking: booked once, from the list', async (t) => {
  const first = new Bench().ready()
  first.input(accepted(placed(first)))
  const second = reborn(first)
  const rows = { orders: [brokerOrder({ status: 55 })], deals: [brokerDeal(part(40))] }
  started(second, rows)
  second.input(gone)
  recovered(second, rows)
  t.equal(count(second, 'dealBooked'), 1)
  t.match(order(second), { status: 'partiallyFilled', filledQuantity: 40 })
})

t.test(
  'F19 disconnected while an order is on its way: in doubt, and late news still counts',
  async (t) => {
    const bench = new Bench().ready()
    const callId = placed(bench)
    t.match(replies(bench.input(gone)), [{ state: 'unknown', clientOrderId: KEY }])
    bench.input(dealt(part(40)))
    t.match(order(bench), { status: 'partiallyFilled', filledQuantity: 40, orderId: '1001' })
    t.equal(bench.state.connection.phase, 'disconnected', 'a push opens no connection')
    bench.input(accepted(callId))
    t.match(order(bench), { status: 'partiallyFilled' })
  },
)

t.test(
  'F19 a cancel on its way is answered when the connection breaks, and asked for again after it',
  async (t) => {
    const bench = new Bench().ready()
    bench.input(accepted(placed(bench)))
    const request = { kind: 'cancelOrder', orderId: '1001', source: 'test' } as const
    bench.input({ kind: 'request', ref: 9, request })
    t.strictSame(refusals(bench.input(gone)), ['NOT_CONNECTED'])
    recovered(bench, { orders: [brokerOrder()] })
    const query = commands(bench.input(timer('cancels')))
    t.match(commands(bench.answerQueries(query, { orders: [brokerOrder()] })), [
      { kind: 'cancel', orderId: '1001' },
    ])
  },
)

t.test(
  'F19 an attempt to connect that was given up is not answered by its late answer',
  async (t) => {
    const bench = new Bench()
    const [connect] = commands(bench.input({ kind: 'started', incarnation: 1, day: '2026-08-11' }))
    bench.input({ kind: 'callTimedOut', callId: connect?.callId ?? 0 })
    bench.input(timer('reconnect'))
    const result = { ok: true, value: null } as const
    bench.input(said({ kind: 'connectAnswered', callId: connect?.callId ?? 0, result }))
    t.equal(bench.state.connection.phase, 'connecting')
  },
)

t.test('F20 an answer that is lost is never asked for by sending again', async (t) => {
  const bench = doubtful()
  for (let i = 0; i < 20; i++) {
    bench.wallMs += 1_000
    t.strictSame(submitsOf(bench, timer('doubt')), [])
  }
  t.equal(count(bench, 'orderSubmitted'), 1)
})

t.test(
  'F20 a cancel whose answer is lost is looked after, then repeated, and given up after three',
  async (t) => {
    const bench = new Bench().ready()
    bench.input(accepted(placed(bench)))
    const request = { kind: 'cancelOrder', orderId: '1001', source: 'test' } as const
    let [cancel] = commands(bench.input({ kind: 'request', ref: 9, request }))
    let calls = 0
    for (; cancel !== undefined && calls < 10; calls++) {
      bench.input({ kind: 'callTimedOut', callId: cancel.callId })
      const looked = commands(bench.input(timer('cancels')))
      ;[cancel] = commands(bench.answerQueries(looked, { orders: [brokerOrder()] }))
    }
    t.equal(calls, policy.limits.cancelRetriesMax)
    t.match(order(bench), { status: 'accepted' }, 'it works on')
    t.equal(count(bench, 'orderWarned'), 1)
    t.strictSame(commands(bench.input(timer('cancels'))), [], 'nothing is left to look after')
  },
)

t.test('F20 a cancel that did its work although its answer is lost is found', async (t) => {
  const bench = new Bench().ready()
  bench.input(accepted(placed(bench)))
  const request = { kind: 'cancelOrder', orderId: '1001', source: 'test' } as const
  const [cancel] = commands(bench.input({ kind: 'request', ref: 9, request }))
  bench.input({ kind: 'callTimedOut', callId: cancel?.callId ?? 0 })
  const looked = commands(bench.input(timer('cancels')))
  t.match(looked, [{ kind: 'query', what: 'orders' }])
  const next = commands(bench.answerQueries(looked, { orders: [brokerOrder({ status: 54 })] }))
  const asked = [{ what: 'positions' }, { what: 'asset' }]
  t.match(next, asked, 'no cancel, but the question what it has freed')
  t.equal(next.length, asked.length)
  t.match(order(bench), { status: 'canceled' })
})

t.test('F20 a cancel that was said to be refused is looked after as well', async (t) => {
  const bench = new Bench().ready()
  bench.input(accepted(placed(bench)))
  bench.input(pushed({ status: 51 }))
  const request = { kind: 'cancelOrder', orderId: '1001', source: 'test' } as const
  const [cancel] = commands(bench.input({ kind: 'request', ref: 9, request }))
  const effects = bench.input(
    said({
      kind: 'cancelAnswered',
      callId: cancel?.callId ?? 0,
      orderId: '1001',
      result: { ok: false, error: { code: 'FAILED', message: '撤单失败' } },
    }),
  )
  t.match(replies(effects), [{ result: -1, message: '撤单失败' }])
  t.match(order(bench), { status: 'accepted', venueStatus: 50 }, 'no longer about to end')
  bench.answerQueries(commands(effects), { orders: [brokerOrder({ status: 54 })] })
  t.match(order(bench), { status: 'canceled' }, 'the refusal was wrong')
})
