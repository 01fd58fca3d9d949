import t from 'tap'
import type { Effect } from '../../../src/account/turn/turn.ts'
import type { Quantity } from '../../../src/domain/money.ts'
import { type Client, connect, driver, found } from '../client.ts'
import { type Bench, brokerDeal, brokerOrder, commands, KEY, policy, set } from '../fixture.ts'
import { count, dealt, pushed, reborn, timer } from '../play.ts'
import { buying, later, look, NEW, OLD, OTHER, order } from './fixtures/restarted.ts'

const PART = 40 as Quantity
/** By how much a clock is wrong that somebody sets right. */
const AHEAD_MS = 5 * 3_600_000

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

t.test('F796 on another day the number that it had first is whose it is by then', async (t) => {
  const { bench, client } = renumbered()
  const filled = { status: 56, filledQuantity: 100 as Quantity } as const
  bench.input(pushed({ orderId: '2001', ...filled }))
  bench.input(dealt({ orderId: '2001' }))
  const dayMs = 86_400_000
  bench.nowMs += dayMs
  bench.wallMs += dayMs
  bench.input({ kind: 'dayOpened', day: '2026-08-12' })
  const theirs = { orderId: '1001', clientOrderId: '', timeMs: bench.nowMs }
  client.orders = [brokerOrder(theirs)]
  client.deals = []
  for (let i = 0; i < 3; i++) {
    later(bench)
    look(bench, client)
  }
  t.match(order(bench), { status: 'filled', orderId: '2001', day: '2026-08-11' })
  const adopted = bench.state.orders.get('external-2026-08-12-1001')
  t.match(adopted, { status: 'accepted', orderId: '1001' }, 'it is shown, and can be canceled')
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

const refuse = (bench: Bench, effects: readonly Effect[]): readonly Effect[] =>
  commands(effects).flatMap((command) => {
    if (command.kind !== 'cancel') return []
    const { callId, orderId } = command
    const result = { ok: false, error: { code: 'FAILED', message: 'no such order' } } as const
    return driver(bench, { kind: 'cancelAnswered', callId, orderId, result })
  })
const canceled = (effects: readonly Effect[]): readonly string[] =>
  commands(effects).flatMap((command) => (command.kind === 'cancel' ? [command.orderId] : []))

t.test('F328 an order that is to be canceled is canceled under its new number', async (t) => {
  const { bench, client } = buying()
  client.orders = [NEW]
  driver(bench, { kind: 'disconnected', reason: 'restart' })
  connect(bench, client, bench.input(timer('reconnect')))
  const { cancelRetryIntervalMs } = policy.limits
  refuse(bench, set(bench, 'cancel_all'))
  for (let tries = 0; tries < 70; tries++) {
    bench.wallMs += cancelRetryIntervalMs
    refuse(bench, bench.input(timer('cancelAll')))
  }
  later(bench)
  const effects = look(bench, client, 'doubt')
  t.match(order(bench), { orderId: '2001' })
  t.strictSame(canceled(effects), ['2001'], 'at once: under this number nothing was in vain')
})

t.test('F328 so it is by who had given it up under the number before', async (t) => {
  const { bench, client } = buying()
  bench.state.cancelsGivenUp.add(KEY)
  client.orders = [OTHER, NEW]
  for (let i = 0; i < 3; i++) {
    later(bench)
    look(bench, client)
  }
  t.match(order(bench), { orderId: '2001' })
  t.notOk(bench.state.cancelsGivenUp.has(KEY))
})

t.test('F328 fills of somebody’s order that had the number are not its fills', async (t) => {
  const theirs = brokerOrder({
    orderId: '2001',
    clientOrderId: '',
    filledQuantity: PART,
    status: 55,
  })
  const { bench, client } = buying()
  bench.input(pushed(theirs))
  bench.input(dealt({ orderId: '2001', clientOrderId: '', quantity: PART }))
  const given = { ...theirs, orderId: '3001' }
  client.orders = [OTHER, NEW, given]
  client.deals = [brokerDeal({ orderId: '3001', clientOrderId: '', quantity: PART })]
  for (let i = 0; i < 4; i++) {
    later(bench)
    look(bench, client)
  }
  t.match(order(bench), { orderId: '2001', filledQuantity: 0, status: 'accepted' })
})

t.test(
  'F328 fills that bear its id under a number that was never listed are its fills',
  async (t) => {
    const { bench, client } = buying()
    const part = brokerDeal({ orderId: '2001', quantity: PART })
    client.orders = [OTHER]
    client.deals = [part]
    const passMs = policy.limits.doubtQuarantineMs
    bench.nowMs += passMs
    bench.wallMs += passMs
    look(bench, client)
    t.match(order(bench), { orderId: '1001', filledQuantity: PART, status: 'partiallyFilled' })
    client.orders = [OTHER, { ...NEW, orderId: '3001', filledQuantity: PART, status: 55 }]
    client.deals = [{ ...part, orderId: '3001' }]
    for (let i = 0; i < 3; i++) {
      later(bench)
      look(bench, client)
    }
    t.match(order(bench), { orderId: '3001', filledQuantity: PART, status: 'partiallyFilled' })
    t.equal(count(bench, 'dealBooked'), 1)
  },
)
