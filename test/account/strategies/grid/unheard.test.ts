import t from 'tap'
import { apply } from '../../../../src/account/fold/apply.ts'
import { emptyState } from '../../../../src/account/model/state.ts'
import type { Money, Price, Quantity } from '../../../../src/domain/money.ts'
import { yuan } from '../../fixture.ts'
import { count, gone, reborn, started } from '../../play.ts'
import { DIP, gridOn, held, only, RISE, Scene, type Sent, withGrid } from './scene.ts'

const DAY_MS = 86_400_000
const WEDNESDAY = '2026-08-12'

interface Shown {
  readonly shares: number
  readonly cost?: number
}

/** It rests at the broker under its limit. */
function rests(scene: Scene, order: Sent): void {
  const orderId = scene.take(order)
  scene.report({ ...order, orderId, price: order.price as Price, status: 50 })
}

/** Nobody is there as the day ends; the client lists nothing of it on the next morning, but holdings. */
function overNight(scene: Scene, { shares, cost = 10 }: Shown): Scene {
  scene.input(gone)
  scene.nowMs += DAY_MS
  scene.wallMs += DAY_MS
  scene.input({ kind: 'dayOpened', day: WEDNESDAY })
  started(scene, { positions: [{ ...held(shares), costPrice: yuan(cost) }] }, WEDNESDAY)
  const total = yuan(999_000) as number as Money
  const asset = { available: total, frozen: 0 as Money, marketValue: 0 as Money, total }
  scene.input({ kind: 'driver', event: { kind: 'assetPushed', asset } })
  return scene
}

function after(prices: readonly number[], shown: Shown) {
  const scene = withGrid()
  const order = only(scene, prices)
  rests(scene, order)
  return { scene: overNight(scene, shown), order }
}

t.test(
  'F828 a sale of a grid that is filled while nobody is there is not made twice',
  async (t) => {
    const { scene, order } = after(RISE, { shares: 800 })
    const { quantity, price } = order
    t.equal(quantity, 200)
    t.match(scene.events('gridBooked'), [{ trade: { side: 'sell', quantity, price } }])
    t.match(scene.session, { sellCount: 1, currentCenter: price, isEnabled: true })
    t.equal(count(scene, 'orderWarned'), 1, 'a person is told')
    t.strictSame(scene.ticks(10.5, ...RISE), [])
    const state = emptyState(gridOn)
    for (const event of scene.journal) apply(state, event)
    t.strictSame(state.grid, scene.state.grid)
  },
)

t.test('F828 nor a purchase, and its part of the quota is used', async (t) => {
  const { scene, order } = after(DIP, { shares: 1_200, cost: 9.91 })
  const { quantity, price } = order
  t.match(scene.events('gridBooked'), [{ trade: { side: 'buy', quantity: 200, price } }])
  t.match(scene.session.ledger, { boughtQuantity: quantity })
  t.strictSame(scene.ticks(9.5, ...DIP), [])
})

t.test('F828 what was filled in part counts with that part', async (t) => {
  const { scene } = after(RISE, { shares: 900 })
  t.match(scene.events('gridBooked'), [{ trade: { quantity: 100 } }])
  t.match(scene.events('gridOrderClosed').at(-1), { outcome: 'partial_filled_canceled' })
})

t.test('F828 what was not filled leaves the grid as it was', async (t) => {
  const { scene } = after(RISE, { shares: 1_000 })
  t.strictSame(scene.events('gridBooked'), [])
  t.equal(scene.session.isEnabled, true)
  t.equal(scene.ticks(10, ...RISE).length, 1)
})

t.test('F828 also where the service was away as well', async (t) => {
  const scene = withGrid()
  rests(scene, only(scene, RISE))
  scene.nowMs += DAY_MS
  scene.wallMs += DAY_MS
  const { state } = reborn(scene)
  const next = new Scene(gridOn, state)
  next.nowMs = scene.nowMs
  next.wallMs = scene.wallMs
  started(next, { positions: [held(800)] }, WEDNESDAY)
  t.match(next.session, { sellCount: 1, isEnabled: true })
})

t.test('F828 where nobody can tell whose it was the grid is paused', async (t) => {
  const unclear: readonly (readonly [string, readonly number[], Shown])[] = [
    ['more is gone than it was to sell', RISE, { shares: 700 }],
    ['more is there than it was to buy', DIP, { shares: 1_300, cost: 9.9 }],
    ['what is there has cost nothing, as of an ex-day', DIP, { shares: 1_200, cost: 8.3333 }],
  ]
  for (const [name, prices, shown] of unclear) {
    const { scene } = after(prices, shown)
    t.strictSame(scene.events('gridBooked'), [], name)
    t.equal(scene.session.isEnabled, false, name)
    t.equal(count(scene, 'orderWarned'), 1, 'and a person is told')
    t.match(scene.session.pause, { source: 'unheard_fill' })
    t.strictSame(scene.ticks(10, ...prices), [], 'it trades nothing before that')
  }
})

t.test(
  'F828 of two sales it has sold all where all of both is gone, else nobody knows',
  async (t) => {
    for (const [shares, booked] of [
      [700, 1],
      [800, 0],
      [900, 0],
    ] as const) {
      const scene = withGrid()
      rests(scene, only(scene, RISE))
      scene.place({ side: 'sell', quantity: 100, price: 0, priceType: 5 })
      overNight(scene, { shares })
      t.equal(scene.events('gridBooked').length, booked, `${shares}`)
      t.equal(scene.session.isEnabled, booked === 1, `${shares}`)
    }
  },
)

t.test(
  'F832 beside a purchase that rests too it is known where all of one was filled',
  async (t) => {
    for (const [shares, booked, isEnabled] of [
      [800, 1, true],
      [1_100, 0, true],
      [900, 0, false],
      [1_200, 0, false],
    ] as const) {
      const scene = withGrid()
      rests(scene, only(scene, RISE))
      scene.place({ side: 'buy', quantity: 100, price: yuan(10.5), priceType: 11 })
      overNight(scene, { shares, cost: 10.1 })
      t.equal(scene.events('gridBooked').length, booked, `${shares}`)
      t.equal(scene.session.isEnabled, isEnabled, `${shares}`)
    }
  },
)

t.test('F832 a grid is paused whose order may be behind a change of other shares', async (t) => {
  const table: readonly (readonly [string, readonly number[], Shown, number])[] = [
    ['a purchase beside another sale of 600', DIP, { shares: 600 }, 600],
    ['a purchase beside a sale on the phone', DIP, { shares: 700 }, 0],
    ['a sale beside a purchase on the phone', RISE, { shares: 1_100, cost: 10.1 }, 0],
  ]
  for (const [name, prices, shown, sold] of table) {
    const scene = withGrid()
    rests(scene, only(scene, prices))
    if (sold > 0) scene.place({ side: 'sell', quantity: sold, price: 0, priceType: 5 })
    overNight(scene, shown)
    t.strictSame(scene.events('gridBooked'), [], name)
    t.equal(scene.session.isEnabled, false, name)
    t.strictSame(scene.ticks(10, ...prices), [], name)
  }
})

t.test('F828 a part of which deals told leaves the rest to a person', async (t) => {
  const scene = withGrid()
  const order = only(scene, RISE)
  const orderId = scene.take(order)
  scene.deal(order, orderId, 100, 10.54)
  scene.holds(900)
  overNight(scene, { shares: 800 })
  t.match(scene.events('gridBooked'), [{ trade: { quantity: 100 } }])
  t.equal(scene.session.isEnabled, false)
})

t.test('F828 fills that the broker has counted on its day are booked without a deal', async (t) => {
  const scene = withGrid()
  const order = only(scene, RISE)
  const orderId = scene.take(order)
  scene.report({
    ...order,
    orderId,
    price: order.price as Price,
    status: 56,
    filledQuantity: 200 as Quantity,
  })
  overNight(scene, { shares: 800 })
  t.match(scene.events('gridBooked'), [{ trade: { quantity: 200, price: order.price } }])
  t.strictSame(scene.ticks(10.5, ...RISE), [])
  scene.deal(order, orderId, 200, 10.54)
  t.equal(scene.events('gridBooked').length, 1, 'a deal that comes all the same brings no more')
})
