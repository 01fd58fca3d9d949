import t from 'tap'
import { orderRow } from '../../../src/account/answers/rows.ts'
import { reconcileFields } from '../../../src/account/answers/safety.ts'
import { answerOf } from '../../../src/account/turn/replies.ts'
import { DAY_MS, exchangeDay } from '../../../src/domain/exchange-time.ts'
import type { StockCode } from '../../../src/domain/instrument.ts'
import type { Quantity } from '../../../src/domain/money.ts'
import type { BrokerOrder } from '../../../src/domain/order.ts'
import type { PlaceOrder } from '../../../src/protocol/orders.ts'
import { type Client, connect, driver, together } from '../client.ts'
import { type Bench, brokerDeal, brokerOrder, commands, KEY, keyOf } from '../fixture.ts'
import { accepted, count, placed, reborn, timer } from '../play.ts'
import { buying, later, look, NEW, OLD, OTHER, order } from './fixtures/restarted.ts'

const SECOND = keyOf(1)
const SHENZHEN = '000001.SZ' as StockCode
const second = (bench: Bench) => bench.state.orders.get(SECOND)

/** Two purchases of ours are open under 1001 and 1002, and a client that was started anew exchanges their numbers. */
function exchanged(terms: Partial<PlaceOrder> & Partial<BrokerOrder> = {}): {
  bench: Bench
  client: Client
  rows: readonly [BrokerOrder, BrokerOrder]
} {
  const { bench, client } = buying()
  const own = { quantity: 200 as Quantity, ...terms }
  const [call] = commands(bench.place({ key: SECOND, requestHash: 'h2', ...own }))
  const row = brokerOrder({ ...own, clientOrderId: SECOND, orderId: '1002' })
  bench.input(accepted(call?.callId ?? 0, '1002', SECOND))
  driver(bench, { kind: 'orderPushed', order: row })
  client.orders = [OTHER, OLD, row]
  later(bench)
  look(bench, client)
  const rows = [
    { ...OLD, orderId: '1002' },
    { ...row, orderId: '1001' },
  ] as const
  return { bench, client, rows }
}

t.test('two orders of ours whose numbers are exchanged are known by their ids', async (t) => {
  for (const terms of [{}, { side: 'sell' }, { quantity: 100 as Quantity }] as const) {
    const { bench, client, rows } = exchanged(terms)
    const [first, filling] = rows
    const part = { quantity: 40 as Quantity, side: filling.side, clientOrderId: SECOND }
    const deal = brokerDeal({ ...part, orderId: '1001', dealId: 'd9' })
    const filled = { ...filling, status: 55, filledQuantity: 40 as Quantity } as const
    driver(bench, { kind: 'dealPushed', deal })
    driver(bench, { kind: 'orderPushed', order: filled })
    t.match(order(bench), { orderId: '1001', filledQuantity: 0 }, 'what is pushed waits for a list')
    client.orders = [OTHER, first, filled]
    client.deals = [deal]
    look(bench, client)
    t.match(order(bench), { orderId: '1002', filledQuantity: 0, status: 'accepted' })
    t.match(second(bench), { orderId: '1001', filledQuantity: 40, status: 'partiallyFilled' })
    t.equal(count(bench, 'orderAdopted'), 1, 'only the other one')
    for (const each of [bench, reborn(bench)]) {
      t.equal(each.state.orderIds.get('1001'), SECOND)
      t.equal(each.state.orderIds.get('1002'), KEY)
    }
    driver(bench, { kind: 'orderPushed', order: { ...first, status: 54 } })
    t.match([order(bench), second(bench)], [{ status: 'canceled' }, { status: 'partiallyFilled' }])
    t.equal(bench.state.orderIds.get('1001'), SECOND, 'also after news of who had it before')
  }
})

t.test('one whose number another has by now, and that is not listed, is missing', async (t) => {
  const { bench, client, rows } = exchanged()
  const [first, other] = rows
  client.orders = [OTHER, first]
  lookOften(bench, client)
  t.match(
    [order(bench), second(bench)],
    [{ orderId: '1002' }, { orderId: 'taken:1002', status: 'inDoubt' }],
    'and has no number, by which another would be canceled',
  )
  client.orders = [OTHER, first, other]
  look(bench, client, 'doubt')
  t.match([order(bench), second(bench)], [{ orderId: '1002' }, { orderId: '1001' }])
  t.equal(second(bench)?.status, 'accepted')
})

t.test("F920 one whose number is another order's now is told by its id", async (t) => {
  const { bench, client, rows } = exchanged()
  const [first] = rows
  client.orders = [OTHER, first]
  lookOften(bench, client)
  const found = [...bench.state.differences.values()].filter(
    ({ resolution }) => resolution === 'kept',
  )
  t.match(found.at(-1), { kind: 'order', key: SECOND, theirs: '' })
  t.match(reconcileFields(bench.state).orders_in_doubt, [{ order_id: null }])
  const record = second(bench)
  t.match(record && orderRow(record, ''), { order_id: SECOND })
  t.match(record && answerOf(record, true), { orderId: SECOND, state: 'unknown' })
})

t.test('its number is gone at once when a new order is given it, without any list', async (t) => {
  const { bench } = exchanged()
  const third = keyOf(2)
  const [call] = commands(bench.place({ key: third, requestHash: 'h3', quantity: 300 }))
  bench.input(accepted(call?.callId ?? 0, '1002', third))
  t.match(second(bench), { orderId: 'taken:1002' }, 'a cancel of it would reach the other')
  for (const each of [bench, reborn(bench)]) t.equal(each.state.orderIds.get('1002'), third)
})

t.test('F891 one that gets the number back that it had lost had none meanwhile', async (t) => {
  const { bench, client, rows } = exchanged()
  const [, { orderId: _, ...row }] = rows
  const third = keyOf(2)
  const own = { quantity: 300 as Quantity }
  const [call] = commands(bench.place({ key: third, requestHash: 'h3', ...own }))
  bench.input(accepted(call?.callId ?? 0, '1002', third))
  t.match(second(bench), { orderId: 'taken:1002' })
  const newest = brokerOrder({ ...own, clientOrderId: third, orderId: '1004' })
  client.orders = [OTHER, OLD, { ...row, orderId: '1002' }, newest]
  lookOften(bench, client)
  t.match(second(bench), { orderId: '1002' })
  const found = [...bench.state.differences.values()].filter(({ key }) => key === '1002')
  t.match(found, [{ ours: '', theirs: '编号 1002', resolution: 'followed' }])
})

t.test(
  'one that has no number yet may have the number of another from the first row on',
  async (t) => {
    const { bench, client } = buying()
    const [call] = commands(bench.place({ key: SECOND, requestHash: 'h2', quantity: 200 }))
    bench.input({ kind: 'callTimedOut', callId: call?.callId ?? 0 })
    const first = { ...OLD, orderId: '1002' }
    const row = { clientOrderId: SECOND, orderId: '1001', quantity: 200 as Quantity }
    client.orders = [OTHER, first, brokerOrder({ ...row, timeMs: bench.nowMs })]
    look(bench, client)
    t.match([order(bench), second(bench)], [{ orderId: '1002' }, { orderId: '1001' }])
    t.equal(bench.state.orderIds.get('1001'), SECOND)
    t.equal(count(bench, 'orderAdopted'), 1, 'only the other one')
  },
)

t.test('a copy of one of them, listed behind it, is somebody’s', async (t) => {
  const { bench, client, rows } = exchanged()
  const copy = { ...OLD, orderId: '1003', timeMs: OLD.timeMs + 1_000 }
  client.orders = [OTHER, ...rows, copy]
  look(bench, client)
  t.match([order(bench), second(bench)], [{ orderId: '1002' }, { orderId: '1001' }])
  t.ok(bench.state.orders.has('external-2026-08-11-1003'))
})

t.test('a copy of an order of ours stays what its number says', async (t) => {
  const { bench, client } = buying()
  client.orders = [OTHER, OLD, NEW]
  look(bench, client)
  client.orders = [OTHER, { ...OLD, status: 54 }, { ...NEW, status: 54 }]
  look(bench, client)
  t.match(order(bench), { orderId: '1001', status: 'canceled' })
  t.match(bench.state.orders.get('external-2026-08-11-2001'), { status: 'canceled' })
})

/** Somebody else's order that a client which was started anew has given the number of ours, without any remark. */
const stranger = (terms: Partial<BrokerOrder> = {}) =>
  brokerOrder({
    orderId: '1001',
    clientOrderId: '',
    quantity: 300 as Quantity,
    status: 56,
    filledQuantity: 300 as Quantity,
    ...terms,
  })
const THEIRS = 'external-2026-08-11-1001'

/** Other shares, or the other side. */
const ODD = [
  { quantity: 300 as Quantity },
  { quantity: 60 as Quantity, filledQuantity: 60 as Quantity },
  { side: 'sell', quantity: 100 as Quantity, filledQuantity: 100 as Quantity },
] as const

t.test('F318 somebody’s order under the number of ours is not ours, by its terms', async (t) => {
  for (const terms of ODD) {
    for (const isFirst of [true, false]) {
      const { bench, client } = buying()
      const row = stranger(terms)
      client.orders = isFirst ? [OTHER, row, NEW] : [OTHER, NEW, row]
      look(bench, client)
      t.match(order(bench), { orderId: '2001', status: 'accepted', filledQuantity: 0 })
      t.notOk(order(bench)?.venueFilledQuantity, 'what theirs has filled is none of ours')
      t.match(bench.state.orders.get(THEIRS), { orderId: '1001', quantity: row.quantity })
      t.equal(reborn(bench).state.orderIds.get('1001'), THEIRS)
    }
  }
})

t.test('F318 such an order that is pushed waits for a list, and so do its deals', async (t) => {
  const { bench, client } = buying()
  const part = { orderId: '1001', clientOrderId: '', quantity: 60 as Quantity } as const
  const row = stranger({ quantity: 60 as Quantity, filledQuantity: 60 as Quantity })
  const deal = brokerDeal({ ...part, dealId: 'd9' })
  driver(bench, { kind: 'orderPushed', order: row })
  driver(bench, { kind: 'dealPushed', deal })
  t.match(order(bench), { orderId: '1001', status: 'accepted', filledQuantity: 0 })
  client.orders = [OTHER, NEW, row]
  client.deals = [deal]
  look(bench, client)
  t.match(order(bench), { orderId: '2001', status: 'accepted', filledQuantity: 0 })
  t.match(bench.state.orders.get(THEIRS), { filledQuantity: 60 })
})

t.test('F318 ours that is listed no more beside it is looked for, and has not ended', async (t) => {
  for (const terms of ODD) {
    const { bench, client } = buying()
    client.orders = [OTHER, stranger(terms)]
    lookOften(bench, client)
    t.match(order(bench), { status: 'inDoubt', filledQuantity: 0 })
    t.notOk(order(bench)?.venueFilledQuantity, 'what theirs has filled is none of ours')
  }
})

/** Lists that are asked for until what is missing in all of them is known to be missing. */
function lookOften(bench: Bench, client: Client): void {
  for (let i = 0; i < 6; i++) {
    later(bench)
    look(bench, client)
  }
}

t.test('F324 one of two exchanges that is not listed leaves its number to the other', async (t) => {
  const { bench, client, rows } = exchanged({ code: SHENZHEN })
  const [first, other] = rows
  client.orders = [OTHER, other]
  lookOften(bench, client)
  t.match(second(bench), { orderId: '1001', status: 'accepted' })
  const taken = { orderId: 'taken:1001', status: 'inDoubt' }
  t.match(order(bench), taken, 'and has no number, by which the other would be canceled')
  for (const each of [bench, reborn(bench)]) t.equal(each.state.orderIds.get('1001'), SECOND)
  client.orders = [OTHER, first, other]
  look(bench, client, 'doubt')
  t.match([order(bench), second(bench)], [{ orderId: '1002' }, { orderId: '1001' }])
})

t.test('F324 two exchanges may give one number to two orders, which are both listed', async (t) => {
  const { bench, client, rows } = exchanged({ code: SHENZHEN })
  const [, other] = rows
  for (const orders of [
    [OTHER, OLD, other],
    [other, OLD, OTHER],
  ]) {
    client.orders = orders
    lookOften(bench, client)
    t.match(order(bench), { orderId: '1001', status: 'accepted' })
    t.match(second(bench), { orderId: '1001', status: 'accepted' })
  }
  t.equal(count(bench, 'orderRenumbered'), 1, 'once, however often they are listed')
})

/** A sidecar that was attached to has written down what was filled meanwhile. */
const AWAY_MS = 3_600_000

/** Our purchase and somebody's like it; the client was started anew, and they have each other's numbers. */
function swapped(): { bench: Bench; client: Client; theirs: BrokerOrder } {
  const { bench, client } = buying()
  const like = brokerOrder({ orderId: '1002', clientOrderId: '', timeMs: OLD.timeMs + 2_000 })
  client.orders = [OTHER, OLD, like]
  look(bench, client)
  const theirs = { ...like, orderId: '1001' }
  client.orders = [OTHER, { ...OLD, orderId: '1002' }, theirs]
  driver(bench, { kind: 'disconnected', reason: 'started anew' })
  return { bench, client, theirs }
}

t.test(
  'F469 an order of somebody else with our number and our terms is none of ours',
  async (t) => {
    const { bench, client, theirs } = swapped()
    const canceled = { ...theirs, status: 54 } as const
    client.orders = [...client.orders.slice(0, 2), canceled]
    connect(bench, client, bench.input(timer('reconnect')))
    t.match(order(bench), { orderId: '1002', status: 'accepted' }, 'it lives, and is sent once')
    const external = bench.state.orders.get(bench.state.orderIds.get('1001') ?? '')
    t.match(external, { strategy: 'external', status: 'canceled' })
    t.equal(count(bench, 'orderAdopted'), 2)
    t.match(order(reborn(bench)), { orderId: '1002', status: 'accepted' })
  },
)

t.test('F469 but ours is ours under an id that nobody here knows, as after a move', async (t) => {
  const { bench, client } = buying()
  const there = { ...OLD, clientOrderId: keyOf(7), isOthers: true } as const
  client.orders = [OTHER, there]
  driver(bench, { kind: 'disconnected', reason: 'another node has taken over' })
  connect(bench, client, bench.input(timer('reconnect')))
  t.match(order(bench), { orderId: '1001', status: 'accepted' })
  const part = {
    clientOrderId: there.clientOrderId,
    quantity: 40 as Quantity,
    isOthers: true,
  } as const
  driver(bench, { kind: 'dealPushed', deal: brokerDeal({ ...part, orderId: '1001' }) })
  driver(bench, { kind: 'orderPushed', order: { ...there, status: 54 } })
  t.match(order(bench), { orderId: '1001', status: 'canceled', filledQuantity: 40 })
})

t.test('F469 nor when a push or a fill of it comes before any list', async (t) => {
  const { bench, client, theirs } = swapped()
  bench.nowMs += AWAY_MS
  bench.wallMs += AWAY_MS
  const [call] = commands(bench.input(timer('reconnect')))
  const result = { ok: true, value: null } as const
  const asked = driver(bench, { kind: 'connectAnswered', callId: call?.callId ?? 0, result })
  const part = 40 as Quantity
  const canceled = { ...theirs, status: 54, filledQuantity: part } as const
  const deal = brokerDeal({ orderId: '1001', clientOrderId: '', quantity: part })
  driver(bench, { kind: 'dealPushed', deal })
  driver(bench, { kind: 'orderPushed', order: canceled })
  t.match(order(bench), { orderId: '1001', status: 'accepted', filledQuantity: 0 })
  client.orders = [...client.orders.slice(0, 2), canceled]
  client.deals = [deal]
  client.answer(bench, commands(asked))
  look(bench, client, 'doubt')
  t.match(order(bench), { orderId: '1002', status: 'accepted', filledQuantity: 0 })
  t.equal(bench.state.deals.size, 1)
  const external = bench.state.orders.get(bench.state.orderIds.get('1001') ?? '')
  t.match(external, { strategy: 'external', status: 'canceled', filledQuantity: part })
})

t.test('F469 a fill of the day before waits for no list, which would not show it', async (t) => {
  const { bench } = buying()
  driver(bench, { kind: 'disconnected', reason: 'the service was stopped' })
  const deal = brokerDeal({ orderId: '1001', clientOrderId: '', quantity: 40 as Quantity })
  bench.nowMs += DAY_MS
  bench.wallMs += DAY_MS
  bench.input({ kind: 'dayOpened', day: exchangeDay(bench.nowMs) })
  const [call] = commands(bench.input(timer('reconnect')))
  const result = { ok: true, value: null } as const
  driver(bench, { kind: 'connectAnswered', callId: call?.callId ?? 0, result })
  driver(bench, { kind: 'dealPushed', deal })
  t.match(order(bench), { status: 'expired', filledQuantity: 40 })
})

t.test('F469 nor does a number of before a simulation prove anything', async (t) => {
  const { bench, client } = buying()
  client.orders = [OTHER, OLD].map((row) => ({ ...row, status: 54 }))
  look(bench, client)
  t.match(order(bench), { status: 'canceled' })
  const save = (simulationMode: boolean) => {
    const request = { kind: 'saveConfig', changes: { simulationMode }, source: 'test' } as const
    return bench.input({ kind: 'request', ref: 1, request })
  }
  save(true)
  const [call] = commands(save(false))
  const result = { ok: true, value: null } as const
  driver(bench, { kind: 'connectAnswered', callId: call?.callId ?? 0, result })
  const part = { clientOrderId: '', quantity: 40 as Quantity } as const
  driver(bench, { kind: 'dealPushed', deal: brokerDeal({ ...part, orderId: '1001' }) })
  t.match(order(bench), { filledQuantity: 0 })
})

t.test(
  'F469 where no remark is told, a number is its order’s once a list has shown it',
  async (t) => {
    const { bench, client } = buying()
    const blank = { ...OLD, clientOrderId: '' }
    client.orders = [OTHER, blank]
    driver(bench, { kind: 'disconnected', reason: 'started anew' })
    connect(bench, client, bench.input(timer('reconnect')))
    const filled = { ...blank, status: 56, filledQuantity: blank.quantity } as const
    driver(bench, { kind: 'orderPushed', order: filled })
    driver(bench, {
      kind: 'dealPushed',
      deal: brokerDeal({ orderId: '1001', clientOrderId: '', quantity: blank.quantity }),
    })
    t.match(order(bench), { orderId: '1001', status: 'filled', filledQuantity: blank.quantity })
  },
)

t.test(
  'F490 an order without an answer that is listed under a number of somebody else is ours',
  async (t) => {
    for (const quantity of [100, 300] as Quantity[]) {
      const { bench, client } = together()
      const theirs = stranger({ quantity, status: 50, filledQuantity: 0 as Quantity })
      client.orders = [OTHER, theirs]
      driver(bench, { kind: 'orderPushed', order: theirs })
      look(bench, client)
      placed(bench) // its answer is lost, and the client is started anew
      const moved = { ...theirs, orderId: '1002', timeMs: theirs.timeMs }
      client.orders = [OTHER, moved, OLD]
      lookOften(bench, client)
      t.match(
        order(bench),
        { orderId: '1001', status: 'accepted' },
        'it is not absent, and not sent again',
      )
      t.equal(reborn(bench).state.orderIds.get('1001'), KEY)
    }
  },
)
