import t from 'tap'
import { sharesLeft } from '../../../src/account/orders/available.ts'
import type { Effect } from '../../../src/account/turn/turn.ts'
import type { Quantity } from '../../../src/domain/money.ts'
import type { BrokerOrder } from '../../../src/domain/order.ts'
import type { DriverCommand } from '../../../src/protocol/driver.ts'
import { type Client, connect, driver, shown, together } from '../client.ts'
import {
  BANK,
  type Bench,
  brokerDeal,
  brokerOrder,
  brokerPosition,
  commands,
  KEY,
  keyOf,
  policy,
  refusals,
  replies,
} from '../fixture.ts'
import { accepted, count, pushed, reborn, timer } from '../play.ts'

const { doubtSettleMs } = policy.limits
const SELL = { side: 'sell', quantity: 300 as Quantity } as const
const OTHER = brokerOrder({ ...SELL, orderId: '900', clientOrderId: '', quantity: 7 as Quantity })
const order = (bench: Bench) => bench.state.orders.get(KEY)
const holding = (sellable: number, quantity = 1_000) =>
  brokerPosition({ quantity: quantity as Quantity, sellable: sellable as Quantity })

/** A sale of 300 of 1,000 under number 1001, open at the client beside an order of somebody else. */
function selling(row: Partial<BrokerOrder> = {}): { bench: Bench; client: Client } {
  const { bench, client } = together()
  const [submit] = commands(bench.place({ side: 'sell', quantity: row.quantity ?? 300 }))
  bench.input(accepted(submit?.callId ?? 0))
  client.orders = [OTHER, brokerOrder({ ...SELL, ...row })]
  client.positions = [holding(693)]
  driver(bench, { kind: 'orderPushed', order: brokerOrder({ ...SELL, ...row }) })
  later(bench, doubtSettleMs)
  look(bench, client)
  return { bench, client }
}

function later(bench: Bench, ms: number): void {
  bench.nowMs += ms
  bench.wallMs += ms
}

/** A comparison, and what is asked for because of it. */
function look(bench: Bench, client: Client): readonly Effect[] {
  const asked = bench.input(timer('reconcile'))
  return client.answer(bench, commands(asked))
}

/** So many looks for what is missing, each far enough from the last. */
function looks(bench: Bench, client: Client, times: number): void {
  for (let i = 0; i < times; i++) {
    later(bench, doubtSettleMs)
    client.answer(bench, commands(bench.input(timer('doubt'))))
  }
}

/** The list of the client shows the sale no more, in one look after another. */
function vanish(bench: Bench, client: Client, times = 4): void {
  client.orders = [OTHER]
  look(bench, client)
  looks(bench, client, times)
}

const resolve = (bench: Bench, orderId: string) =>
  bench.input({
    kind: 'request',
    ref: 7,
    request: { kind: 'resolveDoubt', clientOrderId: KEY, orderId, source: 'operator' },
  })

const cancelsIn = (effects: readonly Effect[]) =>
  commands(effects).flatMap((one: DriverCommand) => (one.kind === 'cancel' ? [one] : []))

t.test('an open order that one list does not show stays as it is', async (t) => {
  const { bench, client } = selling()
  client.orders = [OTHER]
  look(bench, client)
  t.match(order(bench), { status: 'accepted', orderId: '1001' })
  client.orders = [OTHER, brokerOrder(SELL)]
  looks(bench, client, 3)
  t.match(order(bench), { status: 'accepted', orderId: '1001' })
  t.equal(count(bench, 'orderMoved'), 1, 'when it was accepted')
})

t.test(
  'missing in two lists that are far enough apart it is in doubt again, under its number',
  async (t) => {
    const { bench, client } = selling()
    vanish(bench, client, 1)
    t.match(order(bench), { status: 'inDoubt', orderId: '1001' })
    t.match(order(bench)?.statusMessage, /lists it no more/)
  },
)

t.test(
  'with nothing frozen for it and no deals it has ended, and its shares are free',
  async (t) => {
    const { bench, client } = selling()
    client.positions = [holding(993)]
    vanish(bench, client)
    t.match(order(bench), { status: 'expired', orderId: '1001', filledQuantity: 0 })
    t.match(order(bench)?.statusMessage, /nothing is frozen/)
    client.answer(bench, commands(bench.input(timer('poll'))))
    t.equal(sharesLeft(bench.state, BANK).free, 993)
  },
)

t.test('what its deals show is booked, and the rest has ended', async (t) => {
  const { bench, client } = selling()
  client.positions = [holding(893, 900)]
  client.deals = [brokerDeal({ ...SELL, quantity: 100 as Quantity })]
  vanish(bench, client, 5)
  t.match(order(bench), { status: 'expired', filledQuantity: 100 })
  t.equal(count(bench, 'dealBooked'), 1)
})

t.test('F804 the shares of an order that has ended unseen are told in thousands', async (t) => {
  const { bench, client } = selling({ quantity: 1_000 as Quantity })
  client.positions = [holding(1_000)]
  vanish(bench, client)
  t.match(order(bench)?.statusMessage, /成交 0\/1,000 .*0 of 1,000 filled/)
})

t.test('with all of it filled by its deals it is filled', async (t) => {
  const { bench, client } = selling()
  client.positions = [holding(693, 700)]
  client.deals = [brokerDeal(SELL)]
  vanish(bench, client)
  t.match(order(bench), { status: 'filled', filledQuantity: 300 })
})

t.test(
  'with its shares still frozen a person decides, at once, and what is free may be sold',
  async (t) => {
    const { bench, client } = selling()
    vanish(bench, client)
    t.match(order(bench), { status: 'inDoubt', isQuarantined: true, orderId: '1001' })
    t.match(order(bench)?.statusMessage, /frozen/)
    client.answer(bench, commands(bench.input(timer('poll'))))
    t.equal(sharesLeft(bench.state, BANK).free, 693, 'the client holds the rest back itself')
    const effects = resolve(bench, '')
    t.match(replies(effects), [{ clientOrderId: KEY, orderId: '1001' }])
    t.match(order(bench), { status: 'expired', orderId: '1001' })
    t.equal(sharesLeft(bench.state, BANK).free, 693, 'and still does')
  },
)

t.test('an operator can end it although nobody clears the lane of the orders', async (t) => {
  const { bench, client } = selling()
  client.standing = 'a call has not come back'
  vanish(bench, client)
  t.match(order(bench), { status: 'inDoubt' })
  looks(bench, client, policy.limits.doubtQuarantineMs / doubtSettleMs)
  t.match(order(bench), { isQuarantined: true })
  resolve(bench, '')
  t.match(order(bench), { status: 'expired' })
})

t.test('shown again it is followed again, in doubt, quarantined or ended', async (t) => {
  for (const [times, frozen] of [
    [1, 0],
    [4, 300],
    [4, 0],
  ] as const) {
    const { bench, client } = selling()
    client.positions = [holding(993 - frozen)]
    vanish(bench, client, times)
    t.not(order(bench)?.status, 'accepted')
    for (const status of [55, 50] as const) {
      client.orders = [OTHER, brokerOrder({ ...SELL, status })]
      looks(bench, client, 1)
      look(bench, client)
      t.match(order(bench), {
        status: 'accepted',
        orderId: '1001',
        isQuarantined: undefined,
        vanishedMs: undefined,
      })
    }
  }
})

t.test(
  'a list that is empty, or much shorter than it was, proves nothing until it lasts',
  async (t) => {
    for (const orders of [[], [OTHER]]) {
      const { bench, client } = selling()
      for (const n of [1, 2]) {
        bench.place({ key: keyOf(n), quantity: n * 100 })
        const row = brokerOrder({
          orderId: `200${n}`,
          clientOrderId: keyOf(n),
          quantity: (n * 100) as Quantity,
        })
        client.orders = [...client.orders, row]
        driver(bench, { kind: 'orderPushed', order: row })
      }
      later(bench, doubtSettleMs)
      look(bench, client)
      client.orders = orders
      look(bench, client)
      looks(bench, client, 4)
      t.match(order(bench), { status: 'accepted' })
      looks(bench, client, 3)
      t.match(order(bench), { status: 'inDoubt' })
    }
  },
)

t.test('a new connection counts its lists anew', async (t) => {
  const { bench, client } = selling()
  client.orders = [OTHER]
  look(bench, client)
  driver(bench, { kind: 'disconnected', reason: 'gone' })
  later(bench, doubtSettleMs)
  connect(bench, client, bench.input(timer('reconnect')))
  t.match(order(bench), { status: 'accepted' })
})

t.test('a restarted account goes on with what it had in doubt', async (t) => {
  const { bench, client } = selling()
  vanish(bench, client, 1)
  const next = reborn(bench)
  t.match(order(next), { status: 'inDoubt', orderId: '1001' })
  client.positions = [holding(993)]
  connect(next, client, next.input({ kind: 'started', incarnation: 2, day: '2026-08-11' }))
  looks(next, client, 3)
  t.match(order(next), { status: 'expired' })
})

t.test('F737 since when nobody knows of it stays the same while somebody cancels it', async (t) => {
  const { bench, client } = selling()
  vanish(bench, client)
  const [{ since } = {}] = shown(bench).orders_in_doubt as readonly { since?: string }[]
  t.match(since, /^2026-08-11 10:/)
  later(bench, 3_600_000)
  bench.input({
    kind: 'request',
    ref: 9,
    request: { kind: 'cancelOrder', orderId: '1001', source: 'api' },
  })
  t.match(shown(bench).orders_in_doubt, [{ client_order_id: KEY, since }])
})

t.test('a cancel of it is passed on, and its answer says how things stand', async (t) => {
  const { bench, client } = selling()
  vanish(bench, client)
  const request = { kind: 'cancelOrder', orderId: '1001', source: 'api' } as const
  const [call] = cancelsIn(bench.input({ kind: 'request', ref: 9, request }))
  t.match(call, { orderId: '1001' })
  const error = { code: 'FAILED', message: 'no such order' } as const
  const told = driver(bench, {
    kind: 'cancelAnswered',
    callId: call?.callId ?? 0,
    orderId: '1001',
    result: { ok: false, error },
  })
  t.match(replies(told), [{ result: -1, message: /no such order.*resolve/ }])
})

t.test(
  'an order of somebody else like it makes it a question for a person, who can say that it is that',
  async (t) => {
    const { bench, client } = selling()
    const twin = brokerOrder({ ...SELL, orderId: '1002', clientOrderId: '' })
    client.orders = [OTHER, twin]
    look(bench, client)
    looks(bench, client, 4)
    t.match(order(bench), { isQuarantined: true })
    t.match(order(bench)?.statusMessage, /1002/)
    resolve(bench, '1002')
    t.match(order(bench), { status: 'accepted', orderId: '1002', formerIds: ['1001'] })
    t.equal([...bench.state.orders.values()].filter(({ orderId }) => orderId === '1002').length, 1)
  },
)

t.test('a purchase is in doubt like a sale, and ends when no cash is frozen for it', async (t) => {
  const { bench, client } = together()
  bench.place()
  client.orders = [OTHER, brokerOrder()]
  driver(bench, { kind: 'orderPushed', order: brokerOrder() })
  later(bench, doubtSettleMs)
  vanish(bench, client)
  t.match(order(bench), { status: 'expired', orderId: '1001' })
  bench.input(pushed({ status: 56, filledQuantity: 100 as Quantity }))
  bench.input({ kind: 'driver', event: { kind: 'dealPushed', deal: brokerDeal() } })
  t.match(order(bench), { status: 'filled' })
})

t.test('the like of it by hand is held while nobody knows', async (t) => {
  const { bench, client } = selling()
  vanish(bench, client)
  t.strictSame(refusals(bench.place({ key: keyOf(5), side: 'sell', quantity: 300 })), [
    'ORDER_IN_DOUBT_HELD',
  ])
})

t.test('a list with rows that cannot be read shows nothing by what it lacks', async (t) => {
  const { bench, client } = selling()
  client.leftOut.set('orders', ['委托: order_id (UnicodeDecodeError)'])
  vanish(bench, client, 9)
  t.match(order(bench), { status: 'accepted', orderId: '1001' })
  client.leftOut.clear()
  vanish(bench, client, 1)
  t.match(order(bench), { status: 'inDoubt' })
})

t.test(
  'restored books are compared although the client lists none of their orders any more',
  async (t) => {
    const { bench: before, client } = selling()
    const bench = reborn(before)
    client.orders = []
    const restored = { mark: 'epoch 8', fromEpoch: 2, clientEpoch: 7 }
    const started = { kind: 'started', incarnation: 2, day: '2026-08-11', restored } as const
    connect(bench, client, bench.input(started))
    const again = () => {
      later(bench, doubtSettleMs)
      client.answer(bench, commands(bench.input(timer('recover'))))
    }
    again()
    t.notOk(bench.state.isReady, 'an empty list may be that of a client that is not ready')
    for (let i = 0; i < 12; i++) again()
    t.ok(bench.state.isReady, 'one that stays empty is not')
    t.match(order(bench), { orderId: '1001', status: 'inDoubt' }, 'nobody has decided yet')
  },
)
