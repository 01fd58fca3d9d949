import t, { type Test } from 'tap'
import type { Quantity } from '../../../src/domain/money.ts'
import type { BrokerDeal, BrokerOrder } from '../../../src/domain/order.ts'
import { type Client, compare, connect, driver, fill, rest, tell, together } from '../client.ts'
import { type Bench, brokerDeal, brokerOrder, yuan } from '../fixture.ts'
import { count, reborn } from '../play.ts'

const PART = 40 as Quantity
const FILLED = { status: 56, filledQuantity: 100 as Quantity } as const

/** Ours is filled by deal 1, and so is somebody's order of the same stock, a while later. */
function both(parts: Partial<BrokerDeal> = {}) {
  const { bench, client } = together()
  fill(bench, client)
  client.deals = [brokerDeal({ dealId: '1' })]
  tell(bench, client)
  bench.nowMs += 60_000
  const his = { orderId: '1002', clientOrderId: '', timeMs: bench.nowMs }
  const row: BrokerOrder = brokerOrder({ ...his, ...FILLED })
  const deal = brokerDeal({ ...his, dealId: '1', ...parts })
  client.orders = [...client.orders, row]
  client.deals = [...client.deals, deal]
  return { bench, client, row, deal }
}

function isBoth(t: Test, bench: Bench, client: ReturnType<typeof both>['client']): void {
  t.match(
    [...bench.state.orders.values()].map(({ status, filledQuantity }) => [status, filledQuantity]),
    [
      ['filled', 100],
      ['filled', 100],
    ],
  )
  t.equal(bench.state.deals.size, 2)
  t.strictSame(compare(bench, client), [], 'a comparison knows them both')
  tell(bench, client)
  t.equal(bench.state.deals.size, 2, 'and so does a push')
}

t.test('F849 a counter that numbers the deals of each order by themselves', async (t) => {
  const { bench, client } = both()
  compare(bench, client)
  isBoth(t, bench, client)
  const next = reborn(bench)
  connect(next, client, next.input({ kind: 'started', incarnation: 2, day: '2026-08-11' }))
  t.equal(count(next, 'dealBooked'), 0, 'nor does another life book one again')
  isBoth(t, next, client)
})

t.test('F849 also where its push comes before that of its order', async (t) => {
  const { bench, client, row, deal } = both()
  driver(bench, { kind: 'dealPushed', deal })
  t.equal(bench.state.deals.size, 1, 'it may be the first one told again')
  driver(bench, { kind: 'orderPushed', order: row })
  compare(bench, client)
  isBoth(t, bench, client)
})

t.test('F849 one that is told again under a later number of its order is that one', async (t) => {
  const { bench, client, row } = both()
  const again = brokerDeal({ dealId: '1', orderId: '1002', clientOrderId: '' })
  client.deals = [again]
  compare(bench, client)
  t.equal(bench.state.deals.size, 1, 'the same shares, price and moment')
  const uncounted = { ...row, status: 50, filledQuantity: 0 as Quantity } as const
  const other = both({ price: yuan(36.4) })
  other.client.orders = [...other.client.orders.slice(0, 1), uncounted]
  compare(other.bench, other.client)
  t.equal(other.bench.state.deals.size, 1, 'and one that the client counts for no other order')
})

/** Ours is filled by 40 shares, which a push has told without a number. */
function unnumbered(): { bench: Bench; client: Client; deal: BrokerDeal } {
  const { bench, client } = together()
  rest(bench, client)
  const deal = brokerDeal({ dealId: 'row:1001:1:40:36.5', quantity: PART })
  driver(bench, { kind: 'dealPushed', deal })
  client.orders = [brokerOrder({ status: 55, filledQuantity: PART })]
  return { bench, client, deal }
}
const ofHis = ({ orderId, clientOrderId }: BrokerOrder) => ({ orderId, clientOrderId })
const filledOf = ({ state }: Bench) =>
  [...state.orders.values()].map(({ filledQuantity }) => filledQuantity)

t.test(
  'F851 a fill that a push tells without its number, and a list with it, is one',
  async (t) => {
    const { bench, client, deal } = unnumbered()
    client.deals = [{ ...deal, dealId: '77' }]
    for (const kinds of [['order'], []]) {
      t.strictSame(
        compare(bench, client).map(({ kind }) => kind),
        kinds,
      )
      t.strictSame(filledOf(bench), [PART])
    }
    const other = together()
    rest(other.bench, other.client)
    driver(other.bench, { kind: 'dealPushed', deal: { ...deal, dealId: '77' } })
    other.client.orders = client.orders
    other.client.deals = [deal]
    compare(other.bench, other.client)
    t.strictSame(filledOf(other.bench), [PART], 'or the other way round')
  },
)

t.test('F851 and one more like it is another as soon as the client counts it', async (t) => {
  const { bench, client, deal } = unnumbered()
  client.orders = [brokerOrder({ status: 55, filledQuantity: (2 * PART) as Quantity })]
  client.deals = [
    { ...deal, dealId: '77' },
    { ...deal, dealId: '78' },
  ]
  for (let times = 0; times < 3; times += 1) {
    compare(bench, client)
    t.strictSame(filledOf(bench), [2 * PART])
  }
})

/** Ours of 400 shares; a push has told 40 of them without a number. */
function large() {
  const { bench, client } = together()
  bench.place({ quantity: 400 })
  const row = brokerOrder({ quantity: 400 as Quantity })
  driver(bench, { kind: 'orderPushed', order: row })
  const deal = brokerDeal({ dealId: 'row:1001:1:40:36.5', quantity: PART })
  driver(bench, { kind: 'dealPushed', deal })
  return { bench, client, row, deal }
}

t.test('F851 the client may count another fill that its deals tell later', async (t) => {
  const { bench, client, row, deal } = large()
  client.orders = [{ ...row, status: 55, filledQuantity: (2 * PART) as Quantity }]
  const first = { ...deal, dealId: '77' }
  client.deals = [first]
  compare(bench, client)
  t.strictSame(filledOf(bench), [PART], 'the list is behind the order')
  driver(bench, { kind: 'dealPushed', deal: first })
  t.strictSame(filledOf(bench), [PART])
  client.deals = [first, { ...deal, dealId: '78', price: yuan(36.4) }]
  compare(bench, client)
  t.strictSame(filledOf(bench), [2 * PART])
})

t.test('F851 the terminal may number the order anew before it tells the number', async (t) => {
  const { bench, client, row, deal } = large()
  const filledQuantity = PART
  client.orders = [{ ...row, orderId: '2001', status: 55, filledQuantity }]
  client.deals = [{ ...deal, dealId: '77', orderId: '2001' }]
  for (let times = 0; times < 4; times += 1) compare(bench, client)
  t.match([...bench.state.orders.values()], [{ orderId: '2001', filledQuantity: PART }])
  t.equal(bench.state.deals.size, 1)
})

t.test('F849 the second is told again at another moment while its order is behind', async (t) => {
  const { bench, client, row, deal } = both()
  const quantity = 300 as Quantity
  client.orders = [...client.orders.slice(0, 1), { ...row, quantity, status: 55 }]
  compare(bench, client)
  t.equal(bench.state.deals.size, 2)
  const filledQuantity = 200 as Quantity
  driver(bench, { kind: 'orderPushed', order: { ...row, quantity, filledQuantity, status: 55 } })
  for (const timeMs of [deal.timeMs + 5_000, deal.timeMs - 5_000]) {
    driver(bench, { kind: 'dealPushed', deal: { ...deal, timeMs } })
    t.equal(bench.state.deals.size, 2)
  }
  driver(bench, { kind: 'dealPushed', deal: { ...deal, dealId: '2', timeMs: deal.timeMs + 9_000 } })
  t.equal(bench.state.deals.size, 3)
})

t.test('F849 two fills that are alike are two where one list shows both', async (t) => {
  const { bench, client, row } = both()
  client.deals = [...client.deals.slice(0, 1), brokerDeal({ ...client.deals[0], ...ofHis(row) })]
  compare(bench, client)
  isBoth(t, bench, client)
})

t.test('F849 one that a list shows under both numbers of its order is one', async (t) => {
  const { bench, client } = together()
  rest(bench, client)
  const first = brokerDeal({ dealId: '1', quantity: PART })
  driver(bench, { kind: 'dealPushed', deal: first })
  const filledQuantity = (2 * PART) as Quantity
  client.orders = [brokerOrder({ orderId: '2001', status: 55, filledQuantity })]
  client.deals = [first, { ...first, orderId: '2001' }]
  for (let times = 0; times < 4; times += 1) compare(bench, client)
  t.strictSame(filledOf(bench), [PART])
})

t.test(
  'F1012 a fill of other shares is another one, also of an order that the client lists no more',
  async (t) => {
    for (const isPushed of [true, false]) {
      const { bench, client, row, deal } = both({ quantity: PART })
      driver(bench, {
        kind: 'orderPushed',
        order: { ...row, status: 50, filledQuantity: 0 as Quantity },
      })
      client.orders = client.orders.slice(0, 1)
      if (isPushed) driver(bench, { kind: 'dealPushed', deal })
      compare(bench, client)
      compare(bench, client)
      t.strictSame(filledOf(bench), [100, PART])
      t.equal(bench.state.deals.size, 2)
      tell(bench, client)
      t.equal(bench.state.deals.size, 2, 'once')
    }
  },
)
