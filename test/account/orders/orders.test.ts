import t from 'tap'
import { apply } from '../../../src/account/fold/apply.ts'
import { emptyState } from '../../../src/account/model/state.ts'
import type { Quantity } from '../../../src/domain/money.ts'
import {
  BANK,
  Bench,
  brokerDeal,
  brokerOrder,
  brokerPosition,
  commands,
  KEY,
  policy,
  refusals,
  replies,
} from '../fixture.ts'
import { doubtPoll } from '../play.ts'

const accepted = (callId: number) =>
  ({
    kind: 'driver',
    event: {
      kind: 'submitAnswered',
      callId,
      clientOrderId: KEY,
      outcome: { kind: 'accepted', orderId: '1001' },
    },
  }) as const
const deal = (row = {}) =>
  ({ kind: 'driver', event: { kind: 'dealPushed', deal: brokerDeal(row) } }) as const
const pushed = (row = {}) =>
  ({ kind: 'driver', event: { kind: 'orderPushed', order: brokerOrder(row) } }) as const
const submitOf = (bench: Bench) => commands(bench.place())[0]?.callId ?? 0

t.test('the intent is in the journal before the broker is called', async (t) => {
  const bench = new Bench().ready()
  const effects = bench.place()
  t.equal(bench.journal.at(-1)?.event.kind, 'orderSubmitted')
  t.match(commands(effects), [{ kind: 'submit', order: { clientOrderId: KEY, quantity: 100 } }])
  t.strictSame(replies(effects), [], 'nobody is answered before the trading client is')
})

t.test('the same key is one order and one answer', async (t) => {
  const bench = new Bench().ready()
  const callId = submitOf(bench)
  t.strictSame(commands(bench.place()), [], 'asked again while it is under way: nothing is sent')
  const both = replies(bench.input(accepted(callId)))
  t.match(both, [
    { orderId: '1001', replayed: false },
    { orderId: '1001', replayed: true },
  ])
  t.match(replies(bench.place()), [{ orderId: '1001', state: 'accepted', replayed: true }])
  t.strictSame(refusals(bench.place({ requestHash: 'other' })), ['IDEMPOTENCY_MISMATCH'])
  t.equal(bench.state.orders.size, 1)
})

t.test('a deal is booked once, whatever comes first and however often', async (t) => {
  const orders = [
    [accepted, deal, pushed],
    [deal, accepted, pushed],
    [deal, deal, accepted],
    [pushed, deal, accepted, deal],
  ]
  for (const sequence of orders) {
    const bench = new Bench().ready()
    const callId = submitOf(bench)
    for (const input of sequence)
      bench.input(input === accepted ? accepted(callId) : input(callId as never))
    const order = bench.state.orders.get(KEY)
    t.match(order, { status: 'filled', filledQuantity: 100, orderId: '1001' })
    t.equal(bench.journal.filter(({ event }) => event.kind === 'dealBooked').length, 1)
  }
})

t.test('partial fills accumulate and a cancel keeps what was filled', async (t) => {
  const bench = new Bench().ready()
  bench.input(accepted(submitOf(bench)))
  const part = 40 as Quantity
  bench.input(deal({ quantity: part }))
  t.match(bench.state.orders.get(KEY), { status: 'partiallyFilled', filledQuantity: 40 })
  bench.input(pushed({ status: 53, statusMessage: '部撤', filledQuantity: part }))
  t.match(bench.state.orders.get(KEY), { status: 'canceled', filledQuantity: 40 })
  bench.input(deal({ dealId: 'd2', quantity: 60 as Quantity }))
  t.match(
    bench.state.orders.get(KEY),
    { status: 'filled' },
    'a fill that overtook the cancel counts',
  )
})

t.test('a refusal by the broker is an order with its number and status 57', async (t) => {
  const bench = new Bench().ready()
  const callId = submitOf(bench)
  t.match(replies(bench.input(accepted(callId))), [{ state: 'accepted', orderId: '1001' }])
  bench.input(pushed({ status: 57, statusMessage: '资金不足' }))
  t.match(bench.state.orders.get(KEY), { status: 'rejected', statusMessage: '资金不足' })
})

t.test('a call that times out is in doubt, held, and found by looking', async (t) => {
  const bench = new Bench().ready([brokerPosition()])
  const callId = submitOf(bench)
  const effects = bench.input({ kind: 'callTimedOut', callId })
  t.match(replies(effects), [{ state: 'unknown', clientOrderId: KEY }])
  t.match(effects, [{ kind: 'timer', name: 'doubt' }, {}])
  t.strictSame(refusals(bench.place({ key: KEY.replace('01', '02') })), ['ORDER_IN_DOUBT_HELD'])
  const sale = bench.place({ key: KEY.replace('01', '03'), side: 'sell' })
  t.equal(commands(sale).length, 1, 'the other side is not held')
  const queries = commands(bench.input({ kind: 'timer', name: 'doubt' }))
  bench.answerQueries(queries, { orders: [brokerOrder()] })
  t.match(bench.state.orders.get(KEY), { status: 'accepted', orderId: '1001' })
})

t.test(
  'an order in doubt is absent only after complete lists have not shown it for long enough',
  async (t) => {
    const bench = new Bench().ready()
    bench.input({ kind: 'callTimedOut', callId: submitOf(bench) })
    doubtPoll(bench)
    bench.wallMs += 9_999
    doubtPoll(bench)
    t.match(bench.state.orders.get(KEY), { status: 'inDoubt' })
    bench.wallMs += 1
    doubtPoll(bench)
    t.match(bench.state.orders.get(KEY), { status: 'rejected', orderId: '' })
  },
)

t.test(
  'an intent of an earlier life that the broker does not know is in doubt, never sent again',
  async (t) => {
    const first = new Bench().ready()
    submitOf(first)
    const loaded = emptyState(policy)
    for (const event of first.journal) apply(loaded, event)
    const second = new Bench(loaded).ready()
    t.match(second.state.orders.get(KEY), { status: 'inDoubt' })
  },
)

t.test('an order of somebody else is adopted as external, and so are its deals', async (t) => {
  const bench = new Bench().ready()
  bench.input(pushed({ orderId: '77', clientOrderId: '', strategy: 'elsewhere' }))
  const row = { orderId: '77', clientOrderId: '' }
  bench.input(deal(row))
  const [order] = bench.state.orders.values()
  t.match(order, { strategy: 'external', status: 'filled', orderId: '77' })
  t.match(bench.journal.at(-1)?.event, { kind: 'dealBooked', record: { strategy: 'external' } })
})

t.test('permission and connection are asked before an intent exists', async (t) => {
  const bench = new Bench()
  bench.input({ kind: 'started', incarnation: 1, day: '2026-08-11' })
  t.strictSame(refusals(bench.place()), ['NOT_CONNECTED'])
  const ready = new Bench().ready()
  const request = { kind: 'saveConfig', changes: { allowBuy: false }, source: 'test' } as const
  ready.input({ kind: 'request', ref: 1, request })
  t.strictSame(refusals(ready.place()), ['BUY_NOT_ALLOWED'])
  t.equal(ready.state.orders.size, 0)
})

t.test('cancel: unknown 404, terminal −1, open asks the broker', async (t) => {
  const bench = new Bench().ready([brokerPosition()])
  const cancel = (orderId: string) =>
    bench.input({
      kind: 'request',
      ref: 9,
      request: { kind: 'cancelOrder', orderId, source: 'test' },
    })
  t.strictSame(refusals(cancel('404')), ['UNKNOWN_ORDER'])
  bench.input(accepted(submitOf(bench)))
  const [command] = commands(cancel('1001'))
  t.match(command, { kind: 'cancel', orderId: '1001' })
  const event = {
    kind: 'cancelAnswered',
    callId: command?.callId ?? 0,
    orderId: '1001',
    result: { ok: false, error: { code: 'FAILED', message: '已成交' } },
  } as const
  t.match(replies(bench.input({ kind: 'driver', event })), [{ result: -1, message: '已成交' }])
  t.match(bench.state.orders.get(KEY), { status: 'accepted' }, 'a refused cancel leaves it working')
  bench.input(deal())
  t.match(replies(cancel('1001')), [{ result: -1 }])
})

t.test(
  'F578 the cancel of an order that never had a number is answered by its own name',
  async (t) => {
    const bench = new Bench().ready()
    const callId = submitOf(bench)
    const outcome = { kind: 'rejected', orderId: '', message: '废单' } as const
    const event = { kind: 'submitAnswered', callId, clientOrderId: KEY, outcome } as const
    bench.input({ kind: 'driver', event })
    t.match(bench.state.orders.get(KEY), { status: 'rejected', orderId: '' })
    const request = { kind: 'cancelOrder', orderId: KEY, source: 'test' } as const
    const effects = bench.input({ kind: 'request', ref: 9, request })
    t.match(replies(effects), [{ result: -1, orderId: KEY }])
  },
)

t.test('a day that ends closes open orders; a late fill is still booked', async (t) => {
  const bench = new Bench().ready()
  bench.input(accepted(submitOf(bench)))
  bench.nowMs += 86_400_000
  bench.input({ kind: 'dayOpened', day: '2026-08-12' })
  t.match(bench.state.orders.get(KEY), { status: 'expired' })
  bench.input(deal({ timeMs: bench.nowMs }))
  t.match(bench.state.orders.get(KEY), { status: 'filled' })
  t.equal(bench.state.positions.has(BANK), false, 'holdings come from the trading client only')
})

t.test(
  'buying several stocks answers once with a count; a closed permission buys none',
  async (t) => {
    const bench = new Bench().ready()
    const { quote } = await import('../fixture.ts')
    bench.quotes.set(BANK, quote(35))
    const request = {
      kind: 'executeBuy',
      key: KEY,
      keys: [KEY, KEY.replace('01', '02')],
      requestHash: 'h',
      strategy: 'custom_stock',
      count: 2,
      codes: [BANK, '000001.SZ'],
      source: 'test',
    } as const
    const sent = commands(bench.input({ kind: 'request', ref: 1, request }))
    t.match(sent, [{ order: { code: BANK, quantity: 1_000, priceType: 5, strategy: 'M_real' } }])
    t.equal(sent.length, 1, 'no price, no order')
    const answer = replies(bench.input(accepted(sent[0]?.callId ?? 0)))
    t.match(answer, [{ successCount: 1, totalCount: 2 }])
    const off = { kind: 'saveConfig', changes: { allowBuy: false }, source: 'test' } as const
    bench.input({ kind: 'request', ref: 2, request: off })
    const blocked = bench.input({
      kind: 'request',
      ref: 3,
      request: { ...request, key: 'another', keys: ['a', 'b'] },
    })
    t.match(replies(blocked), [{ successCount: 0, totalCount: 2 }])
  },
)
