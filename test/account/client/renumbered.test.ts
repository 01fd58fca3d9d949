import t from 'tap'
import type { Quantity } from '../../../src/domain/money.ts'
import type { BrokerOrder } from '../../../src/domain/order.ts'
import type { PlaceOrder } from '../../../src/protocol/orders.ts'
import { type Client, connect, driver, found, together } from '../client.ts'
import { type Bench, brokerDeal, brokerOrder, commands, KEY, keyOf, policy } from '../fixture.ts'
import { accepted, count, dealt, placed, pushed, reborn, timer } from '../play.ts'

const { doubtSettleMs } = policy.limits
const OLD = brokerOrder()
const NEW = brokerOrder({ orderId: '2001' })
const OTHER = brokerOrder({ orderId: '900', clientOrderId: '', quantity: 700 as Quantity })
const order = (bench: Bench) => bench.state.orders.get(KEY)

/** By how much a clock is wrong that somebody sets right. */
const AHEAD_MS = 5 * 3_600_000

/** Our purchase is open under number 1001. */
function buying(row = OLD): { bench: Bench; client: Client } {
  const { bench, client } = together()
  bench.input(accepted(placed(bench)))
  client.orders = [OTHER, row]
  driver(bench, { kind: 'orderPushed', order: row })
  later(bench)
  look(bench, client)
  return { bench, client }
}

function later(bench: Bench): void {
  bench.nowMs += doubtSettleMs
  bench.wallMs += doubtSettleMs
}

function look(bench: Bench, client: Client, name: 'reconcile' | 'doubt' = 'reconcile'): void {
  client.answer(bench, commands(bench.input(timer(name))))
}

/** The client was started anew and numbers its orders otherwise. */
function renumbered(): { bench: Bench; client: Client } {
  const { bench, client } = buying()
  client.orders = [OTHER, NEW]
  driver(bench, { kind: 'disconnected', reason: 'restart' })
  connect(bench, client, bench.input(timer('reconnect')))
  later(bench)
  look(bench, client, 'doubt')
  return { bench, client }
}

t.test('our remark under another number, and ours listed no more: the same order', async (t) => {
  const { bench } = renumbered()
  t.match(order(bench), { status: 'accepted', orderId: '2001', formerIds: ['1001'] })
  t.equal(count(bench, 'orderAdopted'), 1, 'only the other one')
  t.equal(count(bench, 'orderRenumbered'), 1)
  t.match(found(bench).at(-1), { kind: 'order', key: '2001', resolution: 'followed' })
  t.match(order(reborn(bench)), { orderId: '2001', formerIds: ['1001'] })
})

t.test(
  'an order that was made by a clock hours ahead is missed no later than any other',
  async (t) => {
    const { bench, client } = buying()
    bench.nowMs -= AHEAD_MS
    client.orders = [OTHER, NEW]
    for (let i = 0; i < 3; i++) {
      later(bench)
      look(bench, client)
    }
    t.match(order(bench), { orderId: '2001', formerIds: ['1001'] })
  },
)

t.test(
  'by a clock ahead of the client’s a row that bears our id is ours all the same',
  async (t) => {
    const behind = { timeMs: OLD.timeMs - 60_000 }
    const { bench, client } = buying({ ...OLD, ...behind })
    client.orders = [OTHER, { ...NEW, ...behind }]
    for (let i = 0; i < 3; i++) {
      later(bench)
      look(bench, client)
    }
    t.match(order(bench), { orderId: '2001', formerIds: ['1001'], status: 'accepted' })
    t.equal(count(bench, 'orderAdopted'), 1, 'only the other one')
  },
)

t.test('one list does not decide it, and the row is nobody’s meanwhile', async (t) => {
  const { bench, client } = buying()
  client.orders = [OTHER, NEW]
  look(bench, client)
  t.match(order(bench), { orderId: '1001' })
  t.equal(count(bench, 'orderAdopted'), 1)
  client.orders = [OTHER, OLD, NEW]
  look(bench, client, 'doubt')
  t.match(order(bench), { orderId: '1001', status: 'accepted' }, 'both are there')
  t.equal(count(bench, 'orderAdopted'), 2, 'so the second is somebody’s copy')
})

t.test('a copy that is pushed is the copy of somebody once a list shows both', async (t) => {
  const { bench, client } = buying()
  bench.input(pushed({ orderId: '2001' }))
  bench.input(dealt({ orderId: '2001', dealId: 'd7', quantity: 40 as Quantity }))
  t.equal(count(bench, 'orderAdopted'), 1)
  t.equal(count(bench, 'dealBooked'), 0)
  client.orders = [OTHER, OLD, NEW]
  client.deals = [brokerDeal({ orderId: '2001', dealId: 'd7', quantity: 40 as Quantity })]
  look(bench, client, 'doubt')
  t.match(order(bench), { orderId: '1001', filledQuantity: 0 })
  t.match(bench.state.orders.get('external-2026-08-11-2001'), { filledQuantity: 40 })
})

t.test('a row that differs from ours is somebody else’s, whatever it bears', async (t) => {
  for (const differs of [
    { quantity: 200 as Quantity },
    { side: 'sell' },
    { timeMs: OLD.timeMs - 60_000, clientOrderId: '' },
  ] as const) {
    const { bench, client } = buying()
    client.orders = [OTHER, { ...NEW, ...differs }]
    look(bench, client)
    later(bench)
    look(bench, client, 'doubt')
    t.match(order(bench), { orderId: '1001' })
    t.ok(bench.state.orders.has('external-2026-08-11-2001'))
  }
})

t.test('deals under the old and the new number are its deals, each booked once', async (t) => {
  const { bench, client } = renumbered()
  const first = brokerDeal({ quantity: 40 as Quantity })
  const same = { ...first, orderId: '2001' }
  const second = brokerDeal({ orderId: '2001', dealId: 'd2', quantity: 60 as Quantity })
  for (const deal of [first, same, second]) bench.input(dealt(deal))
  client.deals = [same, second]
  look(bench, client)
  t.equal(count(bench, 'dealBooked'), 2)
  t.match(order(bench), { status: 'filled', filledQuantity: 100, orderId: '2001' })
})

t.test('deals that come before the row of the new number wait for it', async (t) => {
  const { bench, client } = buying()
  client.orders = [OTHER, NEW]
  client.deals = [brokerDeal({ orderId: '2001', quantity: 40 as Quantity })]
  bench.input(dealt(client.deals[0]))
  look(bench, client)
  t.equal(count(bench, 'dealBooked'), 0)
  later(bench)
  look(bench, client, 'doubt')
  t.match(order(bench), { orderId: '2001', status: 'partiallyFilled', filledQuantity: 40 })
  t.match([...bench.state.deals.values()].at(-1), { strategy: 'manual' })
})

t.test('a cancel goes to the number of now', async (t) => {
  const { bench } = renumbered()
  for (const orderId of ['1001', '2001', KEY]) {
    const request = { kind: 'cancelOrder', orderId, source: 'api' } as const
    const effects = bench.input({ kind: 'request', ref: 9, request })
    t.match(commands(effects), [{ kind: 'cancel', orderId: '2001' }], orderId)
  }
})

t.test('late news under the old number does not bring it back', async (t) => {
  const { bench, client } = renumbered()
  bench.input(pushed({ status: 49 }))
  t.match(order(bench), { orderId: '2001', status: 'accepted' })
  look(bench, client, 'doubt')
  t.match(order(bench), { orderId: '2001', status: 'accepted' })
})

t.test('both listed after all: ours is the number that we were told first', async (t) => {
  const { bench, client } = renumbered()
  client.orders = [OTHER, OLD, NEW]
  later(bench)
  look(bench, client)
  t.match(order(bench), { orderId: '1001', status: 'accepted' })
  t.ok(bench.state.orders.has('external-2026-08-11-2001'))
})

t.test('an order that had ended is known by its new number too', async (t) => {
  const { bench, client } = buying()
  const filled = { status: 56, filledQuantity: 100 as Quantity } as const
  bench.input(pushed(filled))
  bench.input(dealt())
  client.orders = [OTHER, { ...NEW, ...filled }]
  client.deals = [brokerDeal({ orderId: '2001' })]
  later(bench)
  for (let i = 0; i < 2; i++) {
    look(bench, client)
    later(bench)
  }
  t.match(order(bench), { status: 'filled', orderId: '2001' })
  t.equal(count(bench, 'orderAdopted'), 1)
  t.equal(count(bench, 'dealBooked'), 1)
})

t.test('somebody else’s order is known by its moment and its terms', async (t) => {
  const { bench, client } = buying()
  const first = brokerOrder({ orderId: '77', clientOrderId: '', status: 55 })
  const theirs = { ...first, filledQuantity: 40 as Quantity }
  const deal = brokerDeal({ orderId: '77', clientOrderId: '', quantity: 40 as Quantity })
  client.orders = [OTHER, OLD, theirs]
  client.deals = [deal]
  look(bench, client)
  client.orders = [OTHER, OLD, { ...theirs, orderId: '78' }]
  client.deals = [{ ...deal, orderId: '78' }]
  for (let i = 0; i < 3; i++) {
    later(bench)
    look(bench, client)
  }
  const row = bench.state.orders.get('external-2026-08-11-77')
  t.match(row, { orderId: '78', status: 'partiallyFilled', filledQuantity: 40 })
  t.notOk(bench.state.orders.has('external-2026-08-11-78'))
  t.equal(count(bench, 'dealBooked'), 1)
})

t.test('somebody else’s order that is pushed under its new number before any list', async (t) => {
  const { bench, client } = buying()
  const first = brokerOrder({ orderId: '77', clientOrderId: '', status: 55 })
  const part = brokerDeal({ orderId: '77', clientOrderId: '', quantity: 40 as Quantity })
  driver(bench, { kind: 'orderPushed', order: { ...first, filledQuantity: 40 as Quantity } })
  driver(bench, { kind: 'dealPushed', deal: part })
  driver(bench, { kind: 'disconnected', reason: 'restart' })
  connect(bench, client, bench.input(timer('reconnect')))
  const whole = { ...first, orderId: '78', status: 56, filledQuantity: 100 as Quantity } as const
  const rest = { ...part, orderId: '78', dealId: '12', quantity: 60 as Quantity }
  driver(bench, { kind: 'dealPushed', deal: rest })
  driver(bench, { kind: 'orderPushed', order: whole })
  client.orders = [OTHER, OLD, whole]
  client.deals = [{ ...part, orderId: '78' }, rest]
  for (let i = 0; i < 3; i++) {
    later(bench)
    look(bench, client)
  }
  const row = bench.state.orders.get('external-2026-08-11-77')
  t.match(row, { orderId: '78', status: 'filled', filledQuantity: 100 })
  t.notOk(bench.state.orders.has('external-2026-08-11-78'))
  t.equal(count(bench, 'dealBooked'), 2)
})

t.test('equal orders of one moment, pushed one after the other, are several at once', async (t) => {
  const { bench } = buying()
  const rows = ['77', '78', '79'].map((orderId) => brokerOrder({ orderId, clientOrderId: '' }))
  for (const row of rows) driver(bench, { kind: 'orderPushed', order: row })
  for (const { orderId } of rows) {
    t.match(bench.state.orders.get(`external-2026-08-11-${orderId}`), { status: 'accepted' })
  }
})

t.test('of two rows that bear its id under new numbers the older one is ours', async (t) => {
  const { bench, client } = buying()
  const copy = { ...NEW, orderId: '2002', timeMs: NEW.timeMs + 1_000 }
  client.orders = [OTHER, copy, NEW]
  look(bench, client)
  for (let i = 0; i < 2; i++) {
    later(bench)
    look(bench, client, 'doubt')
  }
  t.match(order(bench), { orderId: '2001' })
  t.ok(bench.state.orders.has('external-2026-08-11-2002'))
})

t.test(
  'a deal under a number that is never listed is its own once its own is not either',
  async (t) => {
    const { bench, client } = buying()
    client.orders = [OTHER]
    client.deals = [brokerDeal({ orderId: '2001' })]
    look(bench, client)
    t.equal(count(bench, 'dealBooked'), 0)
    for (let i = 0; i < 2; i++) {
      later(bench)
      look(bench, client, 'doubt')
    }
    t.match(order(bench), { status: 'filled', filledQuantity: 100 })
  },
)

t.test('such a deal counts once when the row of its number comes after all', async (t) => {
  const { bench, client } = buying()
  client.orders = [OTHER]
  client.deals = [brokerDeal({ orderId: '2001', quantity: 40 as Quantity })]
  look(bench, client)
  for (let i = 0; i < 2; i++) {
    later(bench)
    look(bench, client, 'doubt')
  }
  t.match(order(bench), { orderId: '1001', filledQuantity: 40 })
  client.orders = [OTHER, { ...NEW, status: 55, filledQuantity: 40 as Quantity }]
  for (let i = 0; i < 3; i++) {
    later(bench)
    look(bench, client)
  }
  t.match(order(bench), { orderId: '2001', filledQuantity: 40, status: 'partiallyFilled' })
})

t.test('the deals of a grid’s order under two numbers are one record', async (t) => {
  const { bench } = renumbered()
  bench.state.grid.orders.set(KEY, {} as never)
  bench.input(dealt({ quantity: 40 as Quantity }))
  bench.input(dealt({ orderId: '2001', dealId: 'd2', quantity: 60 as Quantity }))
  const records = new Set([...bench.state.deals.values()].map(({ recordId }) => recordId))
  t.equal(records.size, 1)
})

t.test(
  'a row of the day before that had the number of ours does not make ours listed',
  async (t) => {
    const { bench, client } = buying()
    const yesterday = { orderId: '1001', clientOrderId: '', timeMs: OLD.timeMs - 86_400_000 }
    client.orders = [OTHER, NEW, brokerOrder({ ...yesterday, status: 54 })]
    look(bench, client)
    for (let i = 0; i < 2; i++) {
      later(bench)
      look(bench, client, 'doubt')
    }
    t.match(order(bench), { orderId: '2001', status: 'accepted' })
  },
)

const SECOND = keyOf(1)
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
  for (let i = 0; i < 6; i++) {
    later(bench)
    look(bench, client)
  }
  t.match([order(bench), second(bench)], [{ orderId: '1002' }, { status: 'inDoubt' }])
  client.orders = [OTHER, first, other]
  look(bench, client, 'doubt')
  t.match([order(bench), second(bench)], [{ orderId: '1002' }, { orderId: '1001' }])
  t.equal(second(bench)?.status, 'accepted')
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
