import t from 'tap'
import type { Price, Quantity } from '../../../../src/domain/money.ts'
import { only, RISE, Scene } from './scene.ts'

/** An order that ended with fills that the client counts, and of which no deal ever comes. */
function neverTold() {
  const scene = new Scene()
  scene.start({ duration_days: 30 })
  const order = only(scene, RISE)
  const orderId = scene.take(order)
  const row = { ...order, orderId, price: order.price as Price }
  scene.report({ ...row, status: 53, filledQuantity: 100 as Quantity })
  return { scene, order, orderId }
}

function opens(scene: Scene, day: string): void {
  scene.nowMs = Date.parse(`${day}T10:00:00+08:00`)
  scene.wallMs = scene.nowMs
  scene.input({ kind: 'dayOpened', day })
}

t.test('the side of an order whose fills never come is free on the next day', async (t) => {
  const { scene } = neverTold()
  t.equal(scene.state.grid.open.size, 1)
  opens(scene, '2026-08-12')
  t.equal(scene.state.grid.open.size, 0)
  t.match(scene.ticks(10.6, 11.1, 11.2, 11.1), [{ side: 'sell' }], 'a level above its price')
})

t.test('the session that waited for it stops, and another one can begin', async (t) => {
  const { scene } = neverTold()
  scene.stop()
  t.equal(scene.session.status, 'stopping')
  opens(scene, '2026-08-12')
  t.equal(scene.session.status, 'stopped')
  scene.start()
  t.equal(scene.session.id, 2)
})

t.test('what was counted of it is booked then, and what deals tell beyond that, too', async (t) => {
  const { scene, order, orderId } = neverTold()
  scene.deal(order, orderId, 50, 10.54)
  t.strictSame(scene.events('gridBooked'), [])
  opens(scene, '2026-08-12')
  t.match(scene.events('gridBooked'), [{ trade: { quantity: 100, price: order.price } }])
  scene.deal(order, orderId, 50, 10.54)
  t.equal(scene.events('gridBooked').length, 1, 'it has that already')
  scene.deal(order, orderId, 50, 10.54)
  t.match(scene.session, { sellCount: 2, sellQuantity: 150 })
})

t.test('it goes with its record where nobody looked for days, and holds nothing up', async (t) => {
  const { scene } = neverTold()
  scene.stop()
  scene.state.days = ['2026-08-11', '2026-08-12', '2026-08-13']
  opens(scene, '2026-08-18')
  t.equal(scene.state.orders.size, 0)
  t.equal(scene.state.grid.orders.size, 0)
  t.equal(scene.session.status, 'stopped')
})
