import t from 'tap'
import { apply } from '../../../../src/account/fold/apply.ts'
import { emptyState } from '../../../../src/account/model/state.ts'
import type { StockCode } from '../../../../src/domain/instrument.ts'
import type { Money, Price, Quantity } from '../../../../src/domain/money.ts'
import { brokerOrder, commands, policy, yuan } from '../../fixture.ts'
import { count, doubtPoll, gone, reborn, recovered, said, started, timer } from '../../play.ts'
import { DIP, gridOn, held, only, pass, RISE, rests, Scene, withGrid } from './scene.ts'

const DAY_MS = 86_400_000
/** From the morning to an evening. */
const EVENING_MS = 9 * 3_600_000
const WEDNESDAY = '2026-08-12'

interface Shown {
  readonly shares: number
  readonly cost?: number
}

/** Nobody is there as the day ends; the client lists nothing of it on the next morning, but holdings. */
function overNight(scene: Scene, { shares, cost = 10 }: Shown): Scene {
  scene.input(gone)
  pass(scene, DAY_MS)
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
  pass(scene, policy.limits.holdingsLagMs)
  scene.answerQueries(commands(scene.input(timer('poll'))), { positions: [held()] })
  t.strictSame(scene.events('gridBooked'), [])
  t.equal(scene.session.isEnabled, true)
  t.equal(scene.ticks(10, ...RISE).length, 1)
})

t.test('F879 what a bonus makes of the shares that are left is no part of its fills', async (t) => {
  const table: readonly (readonly [string, Shown, number])[] = [
    ['200 are sold, and 800 are 880', { shares: 880, cost: 9.091 }, 0],
    ['100 are sold, and 900 are 990', { shares: 990, cost: 9.091 }, 0],
    ['a dividend is paid', { shares: 800, cost: 9.7 }, 200],
    ['the gain lowers the cost', { shares: 800, cost: 9.865 }, 200],
    ['the client tells no cost', { shares: 800, cost: 0 }, 200],
  ]
  for (const [name, shown, booked] of table) {
    const { scene } = after(RISE, shown)
    const bookings = scene.events('gridBooked')
    t.equal(bookings.length, booked > 0 ? 1 : 0, name)
    if (booked > 0) t.match(bookings, [{ trade: { quantity: booked } }], name)
    t.equal(scene.session.isEnabled, booked > 0, name)
  }
})

t.test('F883 a dividend on many shares that are left hides no sale that is whole', async (t) => {
  const scene = withGrid()
  scene.holds(10_000)
  const order = only(scene, RISE)
  rests(scene, order)
  overNight(scene, { shares: 9_800, cost: 9.7 })
  t.match(scene.events('gridBooked'), [{ trade: { quantity: 200, price: order.price } }])
  t.equal(scene.session.isEnabled, true)
})

t.test('F883 shares that are made fewer in the night are no sale that is whole', async (t) => {
  const { scene } = after(RISE, { shares: 800, cost: 12.5 })
  t.strictSame(scene.events('gridBooked'), [], 'they have cost what they had')
  t.equal(scene.session.isEnabled, false)
})

t.test('F828 also where the service was away as well', async (t) => {
  const scene = withGrid()
  rests(scene, only(scene, RISE))
  pass(scene, DAY_MS)
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

t.test(
  'F877 nor where the client is back in the evening, and its lists are empty already',
  async (t) => {
    const [alike, pushed] = [withGrid(), withGrid()]
    for (const scene of [alike, pushed]) {
      rests(scene, only(scene, RISE))
      scene.input(gone)
      pass(scene, EVENING_MS)
      if (scene === pushed) scene.input(said({ kind: 'positionPushed', position: held(800) }))
      recovered(scene, { positions: [held(800)] })
      t.strictSame(scene.events('gridBooked'), [], 'its deal may still be told')
      pass(scene, DAY_MS - EVENING_MS)
      scene.input({ kind: 'dayOpened', day: WEDNESDAY })
      t.match(scene.events('gridBooked'), [{ trade: { side: 'sell', quantity: 200 } }])
      t.equal(count(scene, 'orderWarned'), 1, 'a person is told')
      t.match(scene.session, { sellCount: 1, isEnabled: true })
    }
  },
)

/** A sale that rested as the client went; on the evening lists show it unfilled, behind a list that lacks it or at once. */
function shownAfterAll(isShortFirst: boolean): Scene {
  const scene = withGrid()
  const order = only(scene, RISE)
  rests(scene, order)
  scene.input(gone)
  pass(scene, EVENING_MS)
  const [{ orderId = '', createdMs = 0 } = {}] = scene.state.orders.values()
  const row = brokerOrder({ ...order, orderId, price: order.price as Price, timeMs: createdMs })
  const rows = { orders: [{ ...row, status: 50 as const }], positions: [held(800)] }
  recovered(scene, isShortFirst ? { positions: [held(800)] } : rows)
  if (isShortFirst) {
    pass(scene, policy.limits.reconcileIntervalMs)
    scene.answerQueries(commands(scene.input(timer('reconcile'))), rows)
  }
  pass(scene, DAY_MS - EVENING_MS)
  scene.input({ kind: 'dayOpened', day: WEDNESDAY })
  return scene
}

t.test('F877 what the lists of an evening show of it has not moved by it', async (t) => {
  t.strictSame(shownAfterAll(false).events('gridBooked'), [], 'somebody has sold those')
})

t.test(
  'F881 an order that an evening shows after a list that was short has not sold',
  async (t) => {
    t.strictSame(shownAfterAll(true).events('gridBooked'), [], 'somebody has sold those')
  },
)

/** One list of holdings after the other, on an evening on which the others are empty. */
function tonight(...lists: readonly Shown[]): Scene {
  const scene = withGrid()
  rests(scene, only(scene, RISE))
  pass(scene, EVENING_MS)
  for (const { shares, cost = 10 } of lists) {
    pass(scene, policy.limits.reconcileIntervalMs)
    const positions = [{ ...held(shares), costPrice: yuan(cost) }]
    scene.answerQueries(commands(scene.input(timer('reconcile'))), { positions })
  }
  return scene
}

t.test(
  'F882 a bonus that lists show on an evening is no fill of what they lack then',
  async (t) => {
    const scene = tonight({ shares: 1_000 }, { shares: 1_100, cost: 9.091 })
    t.equal(scene.state.positions.get(held(0).code)?.quantity, 1_100)
    t.equal(scene.session.isEnabled, true)
  },
)

t.test('F882 a sale that lists of an evening show behind others counts', async (t) => {
  const scene = tonight({ shares: 1_000 }, { shares: 800 })
  pass(scene, DAY_MS - EVENING_MS)
  scene.input({ kind: 'dayOpened', day: WEDNESDAY })
  t.match(scene.events('gridBooked'), [{ trade: { side: 'sell', quantity: 200 } }])
})

t.test('F886 one that lists of an evening show in two steps counts whole', async (t) => {
  const scene = tonight({ shares: 1_000 }, { shares: 900 }, { shares: 800 })
  pass(scene, DAY_MS - EVENING_MS)
  scene.input({ kind: 'dayOpened', day: WEDNESDAY })
  t.match(scene.events('gridBooked'), [{ trade: { side: 'sell', quantity: 200 } }])
})

/** A lot of what is left rests, and on the next morning lists lack the stock, or show that nothing is left. */
function cleared(left: number, isShown = false): Scene {
  const scene = withGrid()
  scene.holds(left)
  rests(scene, only(scene, RISE))
  scene.input(gone)
  pass(scene, DAY_MS)
  scene.input({ kind: 'dayOpened', day: WEDNESDAY })
  const other = { ...held(500), code: '000001.SZ' as StockCode }
  const rows = isShown ? [other, held(0)] : [other]
  recovered(scene, { positions: rows })
  for (let list = 0; list < 3; list++) {
    pass(scene, policy.limits.positionQueryIntervalMs)
    scene.answerQueries(commands(scene.input(timer('poll'))), { positions: rows })
  }
  pass(scene, 10_000)
  scene.input({ kind: 'alarm' })
  return scene
}

t.test(
  'F878 the last shares of a grid that are sold while nobody is there are in its ledger',
  async (t) => {
    for (const isShown of [true, false]) {
      const scene = cleared(100, isShown)
      t.match(scene.events('gridBooked'), [{ trade: { side: 'sell', quantity: 100 } }])
      t.match(scene.session, { status: 'stopped', stopReason: 'position_cleared', sellCount: 1 })
      t.equal(count(scene, 'orderWarned'), 1, 'a person is told')
    }
  },
)

t.test('F878 where somebody else has sold of them too a person is told', async (t) => {
  const scene = cleared(300)
  t.strictSame(scene.events('gridBooked'), [])
  t.match(scene.session, { status: 'stopped', stopReason: 'position_cleared' })
  t.equal(count(scene, 'orderWarned'), 1)
})

/** Orders and deals are empty for minutes while it is traded, and holdings show what is left. */
function lacking(prices: readonly number[], shown: Shown) {
  const scene = withGrid()
  const order = only(scene, prices)
  rests(scene, order)
  const rows = { positions: [{ ...held(shown.shares), costPrice: yuan(shown.cost ?? 10) }] }
  for (let step = 0; step < 60; step++) {
    pass(scene, 5_000)
    scene.answerQueries(commands(scene.input(timer('poll'))), rows)
    if (step % 6 === 0) scene.answerQueries(commands(scene.input(timer('reconcile'))), rows)
    doubtPoll(scene, rows)
    scene.input({ kind: 'alarm' })
  }
  const { status } = scene.state.orders.get(order.clientOrderId) ?? {}
  return { scene, order, status }
}

t.test('F885 an order that lists lack while shares have moved pauses its grid', async (t) => {
  const table: readonly (readonly [readonly number[], Shown, boolean])[] = [
    [RISE, { shares: 800 }, false],
    [DIP, { shares: 1_200, cost: 9.91 }, false],
    [RISE, { shares: 1_000 }, true],
    [RISE, { shares: 1_100 }, true],
  ]
  for (const [prices, shown, isEnabled] of table) {
    const { scene, status } = lacking(prices, shown)
    t.equal(status, 'expired')
    t.strictSame(scene.events('gridBooked'), [])
    t.equal(scene.session.isEnabled, isEnabled, `${shown.shares}`)
    t.equal(scene.ticks(10, ...prices).length, isEnabled ? 1 : 0)
  }
})

t.test('F885 its fills are booked once they are told', async (t) => {
  const { scene, order } = lacking(RISE, { shares: 800 })
  const [{ orderId = '' } = {}] = scene.state.orders.values()
  scene.deal(order, orderId, 200, 10.54)
  t.match(scene.events('gridBooked'), [{ trade: { side: 'sell', quantity: 200 } }])
  t.match(scene.session, { sellCount: 1, isEnabled: false })
})
