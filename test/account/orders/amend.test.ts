import t from 'tap'
import { emptyState } from '../../../src/account/model/state.ts'
import type { Effect } from '../../../src/account/turn/turn.ts'
import { remarkTail } from '../../../src/domain/ids.ts'
import type { Price, Quantity } from '../../../src/domain/money.ts'
import type { BrokerOrder } from '../../../src/domain/order.ts'
import type { AmendOrder } from '../../../src/protocol/orders.ts'
import {
  BANK,
  Bench,
  brokerDeal,
  brokerOrder,
  brokerPosition,
  commands,
  driver,
  KEY,
  keyOf,
  policy,
  push,
  quote,
  refusals,
  replies,
  set,
  yuan,
} from '../fixture.ts'
import { count, reborn, started, timer } from '../play.ts'

const NEW = keyOf(77)
const { amendMs, amendFreezeMs, amendRetryMs, amendTriesMax } = policy.limits
const shares = (count: number) => count as Quantity

const amend = (bench: Bench, request: Partial<AmendOrder> = {}): readonly Effect[] =>
  bench.input({
    kind: 'request',
    ref: 55,
    request: {
      kind: 'amendOrder',
      orderId: '1001',
      key: NEW,
      requestHash: 'amended',
      price: yuan(36.2),
      source: 'desk',
      ...request,
    },
  })
/** An open purchase of 1,000 shares at 36.50 under the number 1001. */
function buyer(): Bench {
  const bench = new Bench().ready()
  bench.quotes.set(BANK, quote(36.4))
  bench.place({ quantity: 1_000 })
  show(bench, {})
  return bench
}
const show = (bench: Bench, row: Partial<BrokerOrder>): readonly Effect[] =>
  push(bench, { quantity: shares(1_000), ...row })
const deal = (bench: Bench, quantity: number, row = {}) =>
  driver(bench, {
    kind: 'dealPushed',
    deal: brokerDeal({
      quantity: shares(quantity),
      amount: yuan(36.5 * quantity) as never,
      ...row,
    }),
  })
const submits = (effects: readonly Effect[]) =>
  commands(effects).flatMap((command) => (command.kind === 'submit' ? [command.order] : []))
const ending = (bench: Bench) =>
  bench.journal.findLast(({ event }) => event.kind === 'amendmentEnded')?.event
const pass = (bench: Bench, ms: number) => {
  bench.nowMs += ms
  bench.wallMs += ms
  bench.quotes.set(BANK, quote(36.4, bench.nowMs))
}

t.test('an order is canceled first, and what is left of it is sent anew once', async (t) => {
  const bench = buyer()
  const effects = amend(bench, { quantity: 800 })
  t.match(commands(effects), [{ kind: 'cancel', orderId: '1001' }])
  t.match(replies(effects), [
    { orderId: '1001', clientOrderId: NEW, outcome: 'canceling', replayed: false },
  ])
  t.strictSame(submits(deal(bench, 300)), [], 'a fill meanwhile')
  const sent = submits(show(bench, { status: 53, filledQuantity: shares(300) }))
  t.match(sent, [
    {
      clientOrderId: NEW,
      code: BANK,
      side: 'buy',
      quantity: 500,
      priceType: 11,
      price: yuan(36.2),
      strategy: 'manual',
    },
  ])
  t.match(ending(bench), { clientOrderId: KEY, outcome: 'sent' })
  t.strictSame(submits(show(bench, { status: 53, filledQuantity: shares(300) })), [], 'once')
  t.equal(count(bench, 'orderSubmitted'), 2)
  t.match(replies(amend(bench, { quantity: 800 })), [
    { outcome: 'sent', replayed: true, order: { clientOrderId: NEW } },
  ])
})

t.test('nothing is sent before every share that the counter filled is booked', async (t) => {
  const bench = buyer()
  amend(bench)
  t.strictSame(submits(show(bench, { status: 53, filledQuantity: shares(400) })), [])
  t.match(submits(deal(bench, 400)), [{ quantity: 600 }])
})

t.test(
  'a kill switch that is raised and lowered again lets nothing of before through',
  async (t) => {
    for (const level of ['entries', 'all', 'cancel_all'] as const) {
      const bench = buyer()
      amend(bench)
      set(bench, level)
      t.match(ending(bench), { outcome: 'dropped', reason: /急停/ }, level)
      pass(bench, 2_000)
      set(bench, 'off')
      t.strictSame(submits(show(bench, { status: 54 })), [], level)
      t.match(replies(amend(bench)), [{ outcome: 'dropped', replayed: true }])
    }
  },
)

t.test('a level that stops purchases leaves the change of a sale alone', async (t) => {
  const bench = new Bench().ready([brokerPosition()])
  bench.quotes.set(BANK, quote(36.4))
  bench.place({ side: 'sell', quantity: 1_000 })
  show(bench, { side: 'sell' })
  amend(bench)
  set(bench, 'entries')
  t.match(submits(show(bench, { side: 'sell', status: 54 })), [{ side: 'sell' }])
})

t.test('a change is taken up again after a crash, and carried out once', async (t) => {
  const before = buyer()
  amend(before)
  const bench = reborn(before)
  bench.quotes.set(BANK, quote(36.4))
  t.ok(bench.state.amending.has(KEY))
  const row = brokerOrder({ quantity: shares(1_000), status: 54 })
  const effects = started(bench, { orders: [row] })
  t.strictSame(submits(effects), [], 'what the order had frozen is asked for first')
  bench.answerQueries(commands(effects))
  pass(bench, amendFreezeMs)
  const sent = submits(bench.input(timer('amend')))
  t.match(sent, [{ clientOrderId: NEW, quantity: 1_000 }])
  bench.journal.unshift(...before.journal)
  const again = reborn(bench)
  again.quotes.set(BANK, quote(36.4))
  const rows = [row, brokerOrder({ orderId: '1002', clientOrderId: NEW, quantity: shares(1_000) })]
  const after = started(again, { orders: rows })
  t.strictSame(submits([...after, ...again.answerQueries(commands(after))]), [])
  t.equal(again.state.amending.size, 0)
})

t.test('what filled meanwhile is not bought a second time', async (t) => {
  const bench = buyer()
  amend(bench, { quantity: 600 })
  t.strictSame(submits(deal(bench, 600)), [])
  t.strictSame(submits(show(bench, { status: 53, filledQuantity: shares(600) })), [])
  t.match(ending(bench), { outcome: 'dropped' })
  t.strictSame(refusals(bench.place({ key: NEW, requestHash: 'amended' })), ['ORDER_NOT_REPLACED'])
  const filled = buyer()
  amend(filled)
  deal(filled, 1_000)
  t.strictSame(submits(show(filled, { status: 56, filledQuantity: shares(1_000) })), [])
  t.match(ending(filled), { outcome: 'dropped' })
})

t.test('nobody waits for ever: too late, nothing takes its place', async (t) => {
  const bench = buyer()
  const timers = amend(bench).filter((effect) => effect.kind === 'timer')
  t.match(
    timers.find(({ name }) => name === 'amend'),
    { delayMs: amendMs + 1 },
  )
  pass(bench, amendMs)
  bench.input(timer('amend'))
  t.equal(ending(bench), undefined)
  pass(bench, 1)
  bench.input(timer('amend'))
  t.match(ending(bench), { outcome: 'dropped', reason: /确认撤单/ })
  t.equal(bench.state.orders.get(KEY)?.status, 'pendingCancel', 'the cancel goes on')
  t.strictSame(submits(show(bench, { status: 54 })), [])
})

t.test('an order that cannot be canceled works on, and nothing takes its place', async (t) => {
  const bench = buyer()
  let [call] = commands(amend(bench)).filter(({ kind }) => kind === 'cancel')
  for (let tries = 0; call !== undefined && tries < 10; tries++) {
    const { callId } = call
    driver(bench, {
      kind: 'cancelAnswered',
      callId,
      orderId: '1001',
      result: { ok: false, error: { code: 'FAILED', message: 'no' } },
    })
    const effects = bench.input(timer('cancels'))
    const rows = { orders: [brokerOrder({ quantity: shares(1_000) })] }
    const after = [...effects, ...bench.answerQueries(commands(effects), rows)]
    call = commands(after).find(({ kind }) => kind === 'cancel')
  }
  t.match(ending(bench), { outcome: 'dropped', reason: /继续有效/ })
  t.equal(bench.state.orders.get(KEY)?.status, 'accepted')
})

t.test('who cancels it afterwards wants nothing in its place', async (t) => {
  const bench = buyer()
  amend(bench)
  bench.input({
    kind: 'request',
    ref: 56,
    request: { kind: 'cancelOrder', orderId: '1001', source: 'desk' },
  })
  t.match(ending(bench), { outcome: 'dropped' })
  t.strictSame(submits(show(bench, { status: 54 })), [])
})

t.test('what no rule lets pass is refused at once, and the order stays', async (t) => {
  const bench = buyer()
  const cases: readonly [Partial<AmendOrder>, string][] = [
    [{ quantity: 1_050 }, 'LOT_SIZE'],
    [{ price: yuan(36.205) }, 'TICK_SIZE'],
    [{ price: yuan(50) }, 'PRICE_LIMIT'],
    [{ quantity: 1_000_000 }, 'INSUFFICIENT_CASH'],
  ]
  for (const [n, [request, code]] of cases.entries()) {
    const effects = amend(bench, { key: keyOf(n), requestHash: `h${n}`, ...request })
    t.strictSame([refusals(effects), commands(effects)], [[code], []], code)
  }
  set(bench, 'all')
  t.strictSame(refusals(amend(bench)), ['KILL_SWITCH'])
  t.equal(bench.state.orders.get(KEY)?.status, 'accepted')
})

t.test('what it had frozen counts for the order in its place, and is waited for', async (t) => {
  const bench = new Bench().ready([brokerPosition()])
  bench.quotes.set(BANK, quote(36.4))
  bench.place({ side: 'sell', quantity: 1_000 })
  const sale = { side: 'sell', quantity: shares(1_000) } as const
  push(bench, sale)
  const holding = brokerPosition({ sellable: shares(0) })
  driver(bench, { kind: 'positionPushed', position: holding })
  t.match(commands(amend(bench)), [{ kind: 'cancel' }], 'all its shares are in that order')
  const effects = push(bench, { ...sale, status: 54 })
  t.strictSame(submits(effects), [], 'the client has not said that they are free')
  const free = submits(driver(bench, { kind: 'positionPushed', position: brokerPosition() }))
  t.match(free, [{ side: 'sell', quantity: 1_000 }])
})

t.test('a refusal that may pass is tried again, and then it is over', async (t) => {
  const halt = (bench: Bench) => bench.quotes.set(BANK, quote(0, bench.nowMs))
  const bench = buyer()
  amend(bench)
  halt(bench)
  t.strictSame(submits(show(bench, { status: 54 })), [])
  t.equal(ending(bench), undefined)
  for (let tries = 1; tries < amendTriesMax; tries++) {
    pass(bench, amendRetryMs)
    halt(bench)
    t.strictSame(submits(bench.input(timer('amend'))), [])
  }
  t.match(ending(bench), { outcome: 'dropped' })
  const passing = buyer()
  amend(passing)
  halt(passing)
  show(passing, { status: 54 })
  pass(passing, amendRetryMs)
  t.match(submits(passing.input(timer('amend'))), [{ clientOrderId: NEW }])
})

t.test(
  'one change at a time, one meaning to a key, and none of what cannot be changed',
  async (t) => {
    const bench = buyer()
    amend(bench)
    t.match(replies(amend(bench)), [{ outcome: 'canceling', replayed: true }])
    t.strictSame(refusals(amend(bench, { requestHash: 'other' })), ['IDEMPOTENCY_MISMATCH'])
    t.strictSame(refusals(amend(bench, { key: keyOf(1) })), ['CONFLICT'])
    t.strictSame(refusals(amend(bench, { orderId: '9' })), ['UNKNOWN_ORDER'])
    const other = buyer()
    t.strictSame(refusals(amend(other, { key: KEY })), ['IDEMPOTENCY_MISMATCH'])
    t.strictSame(refusals(amend(other, { price: yuan(36.5) })), ['VALIDATION'], 'no change')
    deal(other, 300)
    t.strictSame(refusals(amend(other, { quantity: 300 })), ['VALIDATION'], 'filled already')
    show(other, { status: 53, filledQuantity: shares(300) })
    t.strictSame(refusals(amend(other)), ['CONFLICT'], 'it has ended')
    t.strictSame(count(other, 'orderAmended'), 0)
  },
)

t.test('an order that a strategy follows can only be canceled', async (t) => {
  const bench = new Bench().ready([brokerPosition()])
  bench.quotes.set(BANK, quote(36.4))
  const [sale] = submits(
    bench.signal({
      code: BANK,
      side: 'sell',
      quantity: shares(1_000),
      priceType: 5,
      price: 0 as Price,
      signalType: 'stop_loss',
      signalPrice: yuan(36.4),
    }),
  )
  push(bench, { clientOrderId: sale?.clientOrderId ?? '', side: 'sell', quantity: shares(1_000) })
  t.strictSame(refusals(amend(bench)), ['CONFLICT'])
})

/** Another open purchase, of 500 shares under the number 1005. */
function placeOther(bench: Bench): void {
  const quantity = shares(500)
  bench.place({ key: keyOf(5), quantity })
  push(bench, { quantity, orderId: '1005', clientOrderId: keyOf(5) })
}

t.test('F325 no other order has the key of one that is to come', async (t) => {
  const bench = buyer()
  placeOther(bench)
  amend(bench)
  const taken = ['IDEMPOTENCY_MISMATCH']
  t.strictSame(refusals(bench.place({ key: NEW, quantity: 300 })), taken)
  t.strictSame(refusals(bench.place({ key: NEW, quantity: 300, requestHash: 'amended' })), taken)
  t.strictSame(refusals(amend(bench, { orderId: '1005', requestHash: 'second' })), taken)
  t.equal(bench.state.orders.get(keyOf(5))?.status, 'accepted', 'and that one stays')
  t.match(submits(show(bench, { status: 54 })), [{ clientOrderId: NEW, quantity: 1_000 }])
  t.equal(count(bench, 'orderSubmitted'), 3)
})

t.test('F325 books from before an order was sent anew do not send it again', async (t) => {
  const before = buyer()
  amend(before)
  for (const remark of [NEW, remarkTail(NEW)]) {
    const bench = reborn(before)
    bench.quotes.set(BANK, quote(36.4))
    const orders = [
      brokerOrder({ quantity: shares(1_000), status: 54 }),
      brokerOrder({ orderId: '1002', clientOrderId: remark, quantity: shares(1_000) }),
    ]
    const effects = started(bench, { orders })
    t.strictSame(submits([...effects, ...bench.answerQueries(commands(effects))]), [])
    pass(bench, amendFreezeMs)
    t.strictSame(submits(bench.input(timer('amend'))), [])
    t.match(ending(bench), { clientOrderId: KEY, outcome: 'sent' })
    const replay = { outcome: 'sent', replayed: true, order: { orderId: '1002' } }
    t.match(replies(amend(bench)), [replay])
  }
})

t.test('F325 nor when the change itself is not in them and is asked for again', async (t) => {
  const bench = reborn(buyer())
  bench.quotes.set(BANK, quote(36.4))
  const orders = [
    brokerOrder({ quantity: shares(1_000) }),
    brokerOrder({ orderId: '1002', clientOrderId: NEW, quantity: shares(1_000) }),
  ]
  started(bench, { orders })
  const effects = amend(bench)
  t.strictSame(commands(effects), [])
  t.match(replies(effects), [{ outcome: 'sent', replayed: true, order: { orderId: '1002' } }])
})

t.test('F325 a key that is withdrawn before the order is sent sends none', async (t) => {
  const bench = buyer()
  amend(bench)
  const withdrawal = { kind: 'withdrawKey', key: NEW, source: 'desk' } as const
  const effects = bench.input({ kind: 'request', ref: 57, request: withdrawal })
  t.match(replies(effects), [{ state: 'refused', code: 'ORDER_NOT_REPLACED' }])
  t.match(ending(bench), { clientOrderId: KEY, outcome: 'dropped' })
  t.strictSame(submits(show(bench, { status: 54 })), [])
  t.match(replies(amend(bench)), [{ outcome: 'dropped', replayed: true }])
})

t.test('F546 a change that finds no place in its second waits for one', async (t) => {
  const bench = new Bench(
    emptyState({ ...policy, risk: { ...policy.risk, maxOrdersPerSecond: 1 } }),
  )
  bench.ready()
  bench.quotes.set(BANK, quote(36.4))
  bench.place({ quantity: 1_000 })
  show(bench, {})
  const asked = amend(bench)
  t.match(commands(asked), [{ kind: 'cancel', orderId: '1001' }])
  t.strictSame(submits(show(bench, { status: 54 })), [], 'the second is not over')
  pass(bench, 1_001)
  t.match(submits(bench.input(timer('amend'))), [{ clientOrderId: NEW, quantity: 1_000 }])
  t.match(ending(bench), { outcome: 'sent' })
})

t.test('F547 what cannot be changed about an order is said in both languages', async (t) => {
  const bench = buyer()
  deal(bench, 300)
  for (const request of [{ price: yuan(36.5) }, { quantity: 300 }]) {
    const message = /^[a-z_]+: [一-鿿].* \([a-z].*\)$/
    t.match(amend(bench, request), [{ kind: 'refuse', error: { message } }])
  }
})
