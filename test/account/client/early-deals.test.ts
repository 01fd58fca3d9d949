import t from 'tap'
import type { Quantity } from '../../../src/domain/money.ts'
import { type Client, connect, driver } from '../client.ts'
import { Bench, brokerDeal, brokerOrder } from '../fixture.ts'
import { placed, reborn, settle, timer } from '../play.ts'
import { buying, later, look, OLD, OTHER, order } from './fixtures/restarted.ts'

const PART = 40 as Quantity

/** Ours is open under 1001 and somebody's under 1002, of which a part was told before its row; then the client is started anew. */
function early(): { bench: Bench; client: Client; filled: ReturnType<typeof brokerOrder> } {
  const { bench, client } = buying()
  const his = brokerOrder({ orderId: '1002', clientOrderId: '', timeMs: bench.nowMs })
  const deal = brokerDeal({ orderId: '1002', clientOrderId: '', quantity: PART })
  driver(bench, { kind: 'dealPushed', deal })
  const filled = { ...his, status: 55, filledQuantity: PART } as const
  driver(bench, { kind: 'orderPushed', order: filled })
  client.deals = [deal]
  later(bench)
  driver(bench, { kind: 'disconnected', reason: 'started anew' })
  return { bench, client, filled }
}

/** The client lists its orders, and his with its deal, under these numbers. */
function back(bench: Bench, client: Client, rows: Client['orders']): void {
  const his = rows.find(({ filledQuantity }) => filledQuantity > 0)
  client.deals = client.deals.map((deal) => ({ ...deal, orderId: his?.orderId ?? '' }))
  client.orders = [OTHER, ...rows]
  connect(bench, client, bench.input(timer('reconnect')))
  look(bench, client, 'doubt')
}

const numbered = (bench: Bench, orderId: string) =>
  bench.state.orders.get(bench.state.orderIds.get(orderId) ?? '')

t.test('F742 what somebody’s order has filled under its number is not told of ours', async (t) => {
  const { bench, client, filled } = early()
  back(bench, client, [
    { ...filled, orderId: '1001' },
    { ...OLD, orderId: '1002' },
  ])
  t.match(order(bench), { orderId: '1002', status: 'accepted', filledQuantity: 0 })
  t.match(numbered(bench, '1001'), { strategy: 'external', filledQuantity: PART })
  t.equal(bench.state.deals.size, 1)
  t.match(order(reborn(bench)), { filledQuantity: 0 })
})

t.test(
  'an order that was filled before ours was sent is none of ours, whatever its row bears',
  async (t) => {
    const bench = new Bench().ready()
    const deal = brokerDeal({ orderId: '9001', clientOrderId: '', quantity: PART })
    driver(bench, { kind: 'dealPushed', deal })
    bench.input({ kind: 'callTimedOut', callId: placed(bench) })
    const row = brokerOrder({ orderId: '9001', clientOrderId: '', timeMs: bench.nowMs })
    settle(bench, { orders: [{ ...row, status: 55, filledQuantity: PART }], deals: [deal] })
    t.match(order(bench), { status: 'rejected', orderId: '', filledQuantity: 0 })
    t.match(numbered(bench, '9001'), { strategy: 'external', filledQuantity: PART })
  },
)

t.test('F742 nor of another one of his that has its number by now', async (t) => {
  const { bench, client, filled } = early()
  const fresh = { ...filled, quantity: 300 as Quantity, status: 50, timeMs: bench.nowMs } as const
  back(bench, client, [
    OLD,
    { ...filled, orderId: '1003' },
    { ...fresh, filledQuantity: 0 as Quantity },
  ])
  t.match(numbered(bench, '1003'), { quantity: 100, filledQuantity: PART })
  t.match(numbered(bench, '1002'), { quantity: 300, filledQuantity: 0, status: 'accepted' })
})

t.test('F747 a fill of the other side is counted for its own order', async (t) => {
  const { bench, client, filled } = early()
  const sale = { ...filled, side: 'sell', timeMs: bench.nowMs } as const
  const sold = { dealId: 'd9', orderId: '1002', clientOrderId: '', timeMs: bench.nowMs } as const
  const deal = brokerDeal({ ...sold, side: 'sell', quantity: PART })
  driver(bench, { kind: 'dealPushed', deal })
  back(bench, client, [OLD, { ...filled, orderId: '1003' }, sale])
  t.match(numbered(bench, '1003'), { side: 'buy', filledQuantity: PART })
  t.match(numbered(bench, '1002'), { side: 'sell', filledQuantity: PART })
})
