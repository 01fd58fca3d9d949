import t from 'tap'
import type { Price } from '../../../../src/domain/money.ts'
import { brokerOrder } from '../../fixture.ts'
import { gone, recovered } from '../../play.ts'
import { canceled, DIP, gridOn, held, only, RISE, Scene, sent } from './scene.ts'

/** Orders of a grid that were canceled for their age, and whether others take their place. */

const NUMBER = '91'

/** A grid whose one order has waited for as long as it may. What was asked of the client then. */
function timedOut(prices: readonly number[], config = {}) {
  const scene = new Scene()
  scene.start(config)
  const order = only(scene, prices)
  scene.take(order)
  const asked = canceled(scene.later(gridOn.grid.pendingTimeoutMs))
  return { scene, order, asked }
}

type Order = ReturnType<typeof timedOut>['order']
const ends = (scene: Scene, order: Order) =>
  sent(scene.report({ ...order, orderId: NUMBER, price: order.price as Price, status: 54 }))

const cancelsByHand = (scene: Scene) =>
  scene.input({
    kind: 'request',
    ref: 500,
    request: { kind: 'cancelOrder', orderId: NUMBER, source: 'somebody' },
  })

t.test('what the canceled order had reserved of the quota is there for the next one', async (t) => {
  const { scene, order } = timedOut(DIP, { position_ratio: 1 })
  t.match(ends(scene, order), [{ side: 'buy', quantity: order.quantity }])
})

t.test('what a person cancels is not sent again, although its time is up', async (t) => {
  const { scene, order, asked } = timedOut(RISE)
  t.strictSame(asked, [NUMBER])
  cancelsByHand(scene)
  t.strictSame(ends(scene, order), [])
  t.match(scene.events('gridOrderClosed'), [{ outcome: 'canceled' }])
})

t.test('nor what ends after the cancel was given up, whoever has ended it', async (t) => {
  const { scene, order } = timedOut(RISE)
  refuseCancels(scene)
  t.ok(scene.state.cancelsGivenUp.has(order.clientOrderId))
  t.strictSame(ends(scene, order), [])
})

t.test('F501 nor what somebody ends while nobody is connected', async (t) => {
  const { scene, order } = timedOut(RISE)
  refuseCancels(scene)
  scene.input(gone)
  const row = brokerOrder({ ...order, orderId: NUMBER, price: order.price as Price, status: 54 })
  const effects = recovered(scene, { orders: [row], positions: [held()] })
  t.strictSame(sent(effects), [])
  t.equal(scene.state.orders.get(order.clientOrderId)?.status, 'canceled')
})

t.test('a cancel that is taken at the second try has it sent again', async (t) => {
  const { scene, order } = timedOut(RISE)
  refuseCancels(scene, 1)
  t.match(ends(scene, order), [{ side: 'sell', quantity: 200 }])
})

/** The client refuses so many cancels, and lists the order as working. */
function refuseCancels(scene: Scene, times = Number.POSITIVE_INFINITY): void {
  for (let i = 0; i < times; i++) {
    const [callId] = [...scene.state.calls].find(([, { kind }]) => kind === 'cancel') ?? []
    if (callId === undefined) return
    const result = { ok: false, error: { code: 'FAILED', message: 'no' } } as const
    const event = { kind: 'cancelAnswered', callId, orderId: NUMBER, result } as const
    scene.input({ kind: 'driver', event })
    scene.nowMs += 1_000
    scene.wallMs += 1_000
    scene.input({ kind: 'timer', name: 'cancels' })
    const [look] =
      [...scene.state.calls].find(
        ([, call]) => call.kind === 'query' && call.purpose === 'cancel',
      ) ?? []
    if (look === undefined) return
    const value = { what: 'orders', rows: [] } as const
    const listed = { kind: 'queryAnswered', what: 'orders', result: { ok: true, value } } as const
    scene.input({ kind: 'driver', event: { ...listed, callId: look } })
  }
}
