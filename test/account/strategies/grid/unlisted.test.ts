import t from 'tap'
import type { Price, Quantity } from '../../../../src/domain/money.ts'
import { brokerDeal, brokerOrder, commands } from '../../fixture.ts'
import { doubtPoll, gone, said, started, timer } from '../../play.ts'
import { held, only, pass, RISE, rests, type Scene, withGrid } from './scene.ts'

/** So many looks at empty lists of orders and deals, five seconds apart, beside holdings of so many shares. */
function empties(scene: Scene, left: number, looks = 60): void {
  const rows = { positions: [held(left)] }
  for (let step = 0; step < looks; step++) {
    pass(scene, 5_000)
    if (step % 6 === 0) scene.answerQueries(commands(scene.input(timer('reconcile'))), rows)
    doubtPoll(scene, rows)
    scene.input({ kind: 'alarm' })
  }
}

t.test(
  'F917 an order of a grid that lists lack, of which nobody was told that it arrived, pauses it where shares are gone',
  async (t) => {
    for (const [left, isEnabled] of [
      [800, false],
      [1_000, true],
    ] as const) {
      const scene = withGrid()
      const order = only(scene, RISE)
      scene.input({ kind: 'callTimedOut', callId: order.callId })
      empties(scene, left)
      t.equal(scene.state.orders.get(order.clientOrderId)?.status, 'rejected')
      t.equal(scene.session.isEnabled, isEnabled, `${left}`)
      t.equal(scene.ticks(10, ...RISE).length, isEnabled ? 1 : 0)
    }
  },
)

/** The order of a grid is lacking, and the next look that lacks it decides. */
function nearlyDecided() {
  for (let looks = 1; ; looks++) {
    const scene = withGrid()
    const order = only(scene, RISE)
    rests(scene, order)
    empties(scene, 1_000, looks + 1)
    const isDecided = scene.state.orders.get(order.clientOrderId)?.status === 'expired'
    if (!isDecided) continue
    const before = withGrid()
    rests(before, only(before, RISE))
    empties(before, 1_000, looks)
    return before
  }
}

t.test('F918 what the deciding look shows of a holding is followed first', async (t) => {
  const scene = nearlyDecided()
  pass(scene, 5_000)
  doubtPoll(scene, { positions: [held(800)] })
  empties(scene, 800, 4)
  t.equal(scene.session.isEnabled, false)
})

t.test('F918 nor is a purchase that holdings do not show yet taken for its fills', async (t) => {
  const scene = nearlyDecided()
  const bought = { clientOrderId: '', orderId: '901', side: 'buy', quantity: 200 } as const
  const quantity = 200 as Quantity
  scene.input(
    said({
      kind: 'orderPushed',
      order: brokerOrder({ ...bought, quantity, status: 56, timeMs: scene.nowMs }),
    }),
  )
  scene.input(
    said({ kind: 'dealPushed', deal: brokerDeal({ ...bought, quantity, dealId: 'd901' }) }),
  )
  pass(scene, 5_000)
  doubtPoll(scene, { positions: [held(1_000)] })
  t.match([...scene.state.orders.values()][0], { status: 'expired' })
  t.equal(scene.session.isEnabled, true)
})

t.test(
  'F919 a sale on a phone that may be the order of the grid is not booked twice',
  async (t) => {
    const scene = withGrid()
    const order = only(scene, RISE)
    scene.input({ kind: 'callTimedOut', callId: order.callId })
    scene.input(gone)
    pass(scene, 86_400_000)
    scene.input({ kind: 'dayOpened', day: '2026-08-12' })
    const phone = { clientOrderId: '', orderId: '902', side: 'sell', timeMs: scene.nowMs } as const
    const { quantity, price } = order
    const filled = { status: 55, filledQuantity: 100 as Quantity } as const
    const row = brokerOrder({ ...phone, quantity, price: price as Price, ...filled })
    const deal = brokerDeal({ ...phone, quantity: 100 as Quantity, dealId: 'd902' })
    const rows = { orders: [row], deals: [deal], positions: [held(900)] }
    started(scene, rows, '2026-08-12')
    for (let look = 0; look < 12; look++) {
      pass(scene, 5_000)
      doubtPoll(scene, rows)
      scene.input({ kind: 'alarm' })
    }
    t.equal(scene.state.orders.get(order.clientOrderId)?.status, 'expired')
    t.match([...scene.state.orders.values()][1], { strategy: 'external', filledQuantity: 100 })
    t.strictSame(scene.events('gridBooked'), [])
    t.equal(scene.session.isEnabled, true)
  },
)

t.test(
  'F951 an order of a grid that is left to a person pauses it where shares are gone',
  async (t) => {
    for (const [left, isEnabled] of [
      [800, false],
      [1_000, true],
    ] as const) {
      const scene = withGrid()
      const order = only(scene, RISE)
      scene.input({ kind: 'callTimedOut', callId: order.callId })
      scene.holds(left)
      // No list comes, until the day is over.
      for (let look = 0; look < 100; look++) {
        pass(scene, 5_000)
        scene.input(timer('doubt'))
        scene.input({ kind: 'alarm' })
      }
      t.match(scene.state.orders.get(order.clientOrderId), {
        status: 'inDoubt',
        isQuarantined: true,
      })
      scene.input(gone)
      pass(scene, 86_400_000)
      scene.input({ kind: 'dayOpened', day: '2026-08-12' })
      started(scene, { positions: [held(left)] }, '2026-08-12')
      for (let look = 0; look < 12; look++) {
        pass(scene, 5_000)
        doubtPoll(scene, { positions: [held(left)] })
      }
      t.equal(scene.state.orders.get(order.clientOrderId)?.status, 'expired')
      t.equal(scene.session.isEnabled, isEnabled, `${left}`)
      t.equal(scene.ticks(10, ...RISE).length, isEnabled ? 1 : 0)
    }
  },
)
