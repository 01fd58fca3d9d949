import t from 'tap'
import type { Price, Quantity } from '../../../../src/domain/money.ts'
import type { BrokerOrder } from '../../../../src/domain/order.ts'
import { Client, connect, driver } from '../../client.ts'
import { BANK, brokerDeal, brokerOrder, commands, yuan } from '../../fixture.ts'
import { gridOn, held, only, RISE, type Sent, withGrid } from './scene.ts'

t.test('partial deals are gathered and booked once, at their average', async (t) => {
  const scene = withGrid()
  const order = only(scene, RISE)
  const id = scene.take(order)
  scene.deal(order, id, 100, 10.54, 'a')
  t.match(scene.session, { sellCount: 0, currentCenter: yuan(10) }, 'not by a part')
  scene.deal(order, id, 100, 10.54, 'a')
  t.equal(scene.events('gridBooked').length, 0, 'the same deal twice is one deal')
  scene.deal(order, id, 100, 10.6, 'b')
  t.match(scene.events('gridBooked'), [
    { trade: { id: 1, quantity: 200, price: yuan(10.57), tradeId: id, centerAfter: yuan(10.57) } },
  ])
  t.match(scene.session, {
    sellCount: 1,
    currentCenter: yuan(10.57),
    sellAmount: 200 * yuan(10.57),
    tracker: { isWaiting: false, lastPrice: yuan(10.57), crossedLevel: null },
  })
  const records = scene.journal.flatMap(({ event }) =>
    event.kind === 'dealBooked' ? [event.record] : [],
  )
  t.match(
    records.map(({ id: serial, dealId, quantity }) => ({ serial, dealId, quantity })),
    [
      { serial: 1, dealId: id, quantity: 100 },
      { serial: 1, dealId: id, quantity: 200 },
    ],
    'one record, under the number of the order',
  )
})

const listed = (order: Sent, row: Partial<BrokerOrder>): BrokerOrder => {
  const { clientOrderId, side, quantity, price } = order
  return brokerOrder({ clientOrderId, side, quantity, price: price as Price, ...row })
}

/** A sale is filled, and what these prices lead to has its number then: a client that was started anew exchanges them. */
function withItsNumber(prices: readonly number[]) {
  const scene = withGrid({ price_interval: 0.03 })
  const first = only(scene, RISE)
  const number = scene.take(first)
  scene.deal(first, number, first.quantity, 10.54, 'a')
  scene.settle()
  scene.later(gridOn.grid.sellCooldownMs)
  const second = only(scene, prices)
  const client = new Client()
  client.orders = [
    listed(first, { orderId: '77', status: 56, filledQuantity: first.quantity }),
    listed(second, { orderId: number, status: 55, filledQuantity: 100 as Quantity }),
  ]
  client.positions = [held(scene.state.positions.get(BANK)?.quantity)]
  driver(scene, { kind: 'disconnected', reason: 'started anew' })
  connect(scene, client, scene.input({ kind: 'timer', name: 'reconnect' }))
  scene.deal(second, number, 100, 10, 'b')
  scene.deal(second, number, second.quantity - 100, 10, 'c')
  const records = scene.journal.flatMap(({ event }) =>
    event.kind === 'dealBooked' ? [event.record] : [],
  )
  return { first, second, records, order: scene.state.orders.get(second.clientOrderId) }
}

t.test('F327 a purchase with the number that a sale had has its own record', async (t) => {
  const { first, second, records, order } = withItsNumber([10, 9.9, 9.95])
  t.match(order, { status: 'filled', side: 'buy' })
  t.match(records, [
    { id: 1, side: 'sell', quantity: first.quantity },
    { id: 2, side: 'buy', quantity: 100 },
    { id: 2, side: 'buy', quantity: second.quantity },
  ])
})

t.test('F327 it stays one record when its number was somebody’s in between', async (t) => {
  const scene = withGrid()
  const order = only(scene, RISE)
  const number = scene.take(order)
  scene.deal(order, number, 100, 10.54, 'a')
  const client = new Client()
  client.positions = [held(900)]
  client.orders = [brokerOrder({ orderId: number, clientOrderId: '', side: 'buy' })]
  driver(scene, { kind: 'disconnected', reason: 'started anew' })
  connect(scene, client, scene.input({ kind: 'timer', name: 'reconnect' }))
  const { price } = brokerOrder()
  const part = { price, status: 55, filledQuantity: 100 as Quantity } as const
  client.orders.push(listed(order, { orderId: '77', ...part }))
  client.answer(scene, commands(scene.input({ kind: 'timer', name: 'reconcile' })))
  t.match(scene.state.orders.get(order.clientOrderId), { orderId: '77' })
  scene.deal(order, '77', 50, 10.54, 'b')
  const records = scene.journal.flatMap(({ event }) =>
    event.kind === 'dealBooked' ? [event.record] : [],
  )
  t.match(records, [
    { id: 1, quantity: 100 },
    { id: 1, quantity: 150 },
  ])
})

t.test('F327 so has a sale with the number that another sale had', async (t) => {
  const { first, second, records, order } = withItsNumber([10.87, 10.98, 10.9])
  t.match(order, { status: 'filled', side: 'sell' })
  t.match(records, [
    { id: 1, quantity: first.quantity },
    { id: 2, quantity: 100 },
    { id: 2, quantity: second.quantity },
  ])
})

t.test(
  'deals that come after the next day has opened are gathered with those of their day',
  async (t) => {
    const scene = withGrid()
    const order = only(scene, RISE)
    const id = scene.take(order)
    scene.deal(order, id, 100, 10.54, 'a')
    const yesterdayMs = scene.nowMs
    scene.nowMs += 86_400_000
    scene.input({ kind: 'dayOpened', day: '2026-08-12' })
    const last = brokerDeal({
      dealId: 'b',
      orderId: id,
      clientOrderId: order.clientOrderId,
      code: BANK,
      side: order.side,
      quantity: 50 as Quantity,
      timeMs: yesterdayMs,
    })
    scene.input({ kind: 'driver', event: { kind: 'dealPushed', deal: last } })
    const records = scene.journal.flatMap(({ event }) =>
      event.kind === 'dealBooked' ? [event.record] : [],
    )
    t.match(
      records.map(({ id: serial, quantity }) => ({ serial, quantity })),
      [
        { serial: 1, quantity: 100 },
        { serial: 1, quantity: 150 },
      ],
      'one record, and every share in it once',
    )
  },
)
