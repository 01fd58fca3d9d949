import t from 'tap'
import type { StockCode } from '../../../src/domain/instrument.ts'
import type { Quantity } from '../../../src/domain/money.ts'
import type { BrokerOrder } from '../../../src/domain/order.ts'
import { connect, driver } from '../client.ts'
import { type Bench, brokerOrder, MORNING_MS, yuan } from '../fixture.ts'
import { count, reborn } from '../play.ts'
import { buying, later, look, OLD, order } from './fixtures/restarted.ts'

// Orders of a person that a client which was started anew lists under the numbers of each other.

const nobodys = { clientOrderId: '', strategy: '' }
const SALE = brokerOrder({
  ...nobodys,
  orderId: '71',
  side: 'sell',
  price: yuan(37),
  timeMs: MORNING_MS + 1_000,
})
const others: readonly Partial<BrokerOrder>[] = [
  { side: 'buy' },
  { side: 'sell', quantity: 200 as Quantity },
  { side: 'sell', quantity: 200 as Quantity, timeMs: SALE.timeMs, price: yuan(38) },
]
const statusOf = (bench: Bench, { timeMs, side, quantity }: BrokerOrder) =>
  [...bench.state.orders.values()].find(
    (order) => order.createdMs === timeMs && order.side === side && order.quantity === quantity,
  )

function listed(terms: Partial<BrokerOrder>) {
  const other = brokerOrder({ ...SALE, orderId: '72', timeMs: MORNING_MS + 2_000, ...terms })
  const { bench, client } = buying()
  client.orders = [...client.orders, SALE, other]
  later(bench)
  look(bench, client)
  const rows = [
    { ...SALE, orderId: '72' },
    { ...other, orderId: '71' },
  ] as const
  return { bench, client, other, rows }
}

t.test('F503 each of them is known by its terms, and ends when it ends', async (t) => {
  for (const terms of others) {
    const { bench, client, other, rows } = listed(terms)
    const [sale, second] = rows
    const adopted = count(bench, 'orderAdopted')
    driver(bench, { kind: 'disconnected', reason: 'restart' })
    const before = client.orders.slice(0, -2)
    client.orders = [...before, sale, second]
    connect(bench, client, bench.input({ kind: 'timer', name: 'reconnect' }))
    look(bench, client)
    t.match(statusOf(bench, SALE), { orderId: '72', side: 'sell', status: 'accepted' })
    t.match(statusOf(bench, other), { orderId: '71', status: 'accepted' })
    t.equal(count(bench, 'orderAdopted'), adopted)
    client.orders = [...before, { ...sale, status: 54 }, second]
    look(bench, client)
    t.equal(statusOf(bench, SALE)?.status, 'canceled', 'it keeps no stop back')
    t.equal(statusOf(bench, other)?.status, 'accepted')
    for (const each of [bench, reborn(bench)]) {
      t.equal(each.state.orderIds.get('72'), statusOf(bench, SALE)?.clientOrderId)
    }
  }
})

t.test(
  'F503 one of which a client shows fewer shares, as after part of it was canceled, is followed',
  async (t) => {
    const { bench, client, other } = listed({ side: 'buy' })
    const before = client.orders.slice(0, -2)
    for (const status of [50, 54] as const) {
      client.orders = [...before, { ...SALE, quantity: 40 as Quantity, status }, other]
      later(bench)
      look(bench, client)
      later(bench)
      look(bench, client)
      const expected = status === 50 ? 'accepted' : 'canceled'
      t.equal(statusOf(bench, SALE)?.status, expected)
    }
  },
)

t.test('F503 a new one under the number that an ended one had is in the books', async (t) => {
  for (const isFirst of [true, false]) {
    const { bench, client, other } = listed({ side: 'buy' })
    const before = client.orders.slice(0, -2)
    client.orders = [...before, { ...SALE, status: 54 }, other]
    look(bench, client)
    driver(bench, { kind: 'disconnected', reason: 'restart' })
    const placed = { ...SALE, quantity: 200 as Quantity, timeMs: MORNING_MS + 3_000 }
    const ended = { ...SALE, orderId: '73', status: 54 } as const
    client.orders = [...before, ...(isFirst ? [placed, ended] : [ended, placed]), other]
    connect(bench, client, bench.input({ kind: 'timer', name: 'reconnect' }))
    const adopted = count(bench, 'orderAdopted')
    for (let looks = 0; looks < 3; looks++) {
      later(bench)
      look(bench, client)
    }
    t.match(statusOf(bench, placed), { orderId: '71', status: 'accepted' })
    t.match(statusOf(bench, SALE), { orderId: '73', status: 'canceled' })
    t.equal(count(bench, 'orderAdopted'), adopted, 'once')
    t.equal(bench.state.orderIds.get('71'), statusOf(bench, placed)?.clientOrderId)
    t.equal(reborn(bench).state.orderIds.get('71'), statusOf(bench, placed)?.clientOrderId)
  }
})

const PLACED = { ...SALE, quantity: 200 as Quantity, timeMs: MORNING_MS + 3_000 }
const OF_ANOTHER_STOCK = { ...PLACED, code: '000001.SZ' as StockCode }

t.test(
  'F544 nor does the name of one of another stock, or without its number, keep it out',
  async (t) => {
    for (const placed of [PLACED, OF_ANOTHER_STOCK]) {
      const { bench, client, other } = listed({ side: 'buy' })
      const before = client.orders.slice(0, 1) // without ours
      const startAnew = (rows: readonly BrokerOrder[]) => {
        driver(bench, { kind: 'disconnected', reason: 'restart' })
        client.orders = [...before, ...rows, other]
        connect(bench, client, bench.input({ kind: 'timer', name: 'reconnect' }))
        for (let looks = 0; looks < 3; looks++) {
          later(bench)
          look(bench, client)
        }
      }
      // Ours is listed under its number for a while, and it is not listed at all.
      if (placed === PLACED) startAnew([{ ...OLD, orderId: '71' }])
      else startAnew([OLD, { ...SALE, status: 54 }])
      startAnew([OLD, placed])
      t.match(statusOf(bench, placed), { orderId: '71', code: placed.code, status: 'accepted' })
      const adopted = count(bench, 'orderAdopted')
      later(bench)
      look(bench, client)
      t.equal(count(bench, 'orderAdopted'), adopted, 'once')
      t.match(order(bench), { orderId: OLD.orderId, status: 'accepted' })
    }
  },
)

t.test('F544 two exchanges that give one number have an order each, and no more', async (t) => {
  const { bench, client } = listed({ side: 'buy' })
  client.orders = [...client.orders, { ...OF_ANOTHER_STOCK, timeMs: SALE.timeMs }]
  for (let looks = 0; looks < 3; looks++) {
    later(bench)
    look(bench, client)
  }
  const numbered = [...bench.state.orders.values()].filter(({ orderId }) => orderId === '71')
  t.strictSame(
    numbered.map(({ code, status }) => [code, status]),
    [
      [SALE.code, 'accepted'],
      [OF_ANOTHER_STOCK.code, 'accepted'],
    ],
  )
})
