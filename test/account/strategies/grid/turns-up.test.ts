import t from 'tap'
import { apply } from '../../../../src/account/fold/apply.ts'
import { emptyState } from '../../../../src/account/model/state.ts'
import { reservedOf } from '../../../../src/account/strategies/grid/lookups.ts'
import { Turn } from '../../../../src/account/turn/turn.ts'
import type { Price, Quantity } from '../../../../src/domain/money.ts'
import { canceled, DIP, gridOn, only, RISE, Scene } from './scene.ts'

type Sent = ReturnType<typeof only>
const NUMBER = '91'

/** An order that the client called refused, and that its list shows at work afterwards. */
function turnedUp(prices: readonly number[], between: (scene: Scene) => void = () => {}) {
  const scene = new Scene()
  scene.start()
  const order = only(scene, prices)
  const { clientOrderId, callId } = order
  const outcome = { kind: 'rejected' as const, message: 'no' }
  scene.input({ kind: 'driver', event: { kind: 'submitAnswered', callId, clientOrderId, outcome } })
  between(scene)
  const effects = show(scene, order, { status: 50 })
  return { scene, order, effects }
}

const show = (scene: Scene, order: Sent, row: Parameters<Scene['report']>[0]) =>
  scene.report({ ...order, orderId: NUMBER, price: order.price as Price, ...row })

t.test('what fills of an order that turned up after its end is in the ledger', async (t) => {
  const { scene, order } = turnedUp(RISE)
  t.match(scene.events('gridOrderClosed'), [{ outcome: 'rejected' }])
  scene.deal(order, NUMBER, 100, 10.54)
  show(scene, order, { status: 53, filledQuantity: 100 as Quantity })
  t.match(scene.events('gridBooked'), [{ trade: { quantity: 100 } }])
  t.match(scene.events('gridOrderClosed').at(-1), { outcome: 'partial_filled_canceled' })
  t.match(scene.session, { sellCount: 1, currentCenter: 105_400 })
  const state = emptyState(gridOn)
  for (const event of scene.journal) apply(state, event)
  t.strictSame(state.grid, scene.state.grid)
})

t.test('it is followed as before: its time, its side, and its part of the quota', async (t) => {
  const { scene, order } = turnedUp(DIP)
  t.equal(reservedOf(scene.state, 1), order.quantity * 96_390)
  t.strictSame(canceled(scene.later(90_000)), [NUMBER])
  scene.nowMs += 400_000
  t.strictSame(scene.ticks(9.3, 9.2, 9.26), [], 'no second purchase beside it')
})

t.test('a session ends with it, and one that has ended has it canceled', async (t) => {
  const { scene, order } = turnedUp(RISE)
  t.strictSame(canceled(scene.stop()), [NUMBER])
  t.equal(scene.session.status, 'stopping')
  show(scene, order, { status: 54 })
  t.equal(scene.session.status, 'stopped')

  const late = turnedUp(RISE, (other) => other.stop())
  t.equal(late.scene.session.status, 'stopped')
  t.strictSame(canceled(late.effects), [NUMBER], 'it turned up after the end')
})

class LowDisk extends Scene {
  isLow = false

  override turn(): Turn {
    const { state, inputs } = super.turn()
    return new Turn(state, { ...inputs, isDiskLow: this.isLow })
  }
}

t.test('a deal that comes late, while no strategy may act, is booked afterwards', async (t) => {
  const scene = new LowDisk()
  scene.start()
  const order = only(scene, RISE)
  scene.take(order)
  show(scene, order, { status: 54 })
  t.equal(scene.state.grid.open.size, 0)
  scene.isLow = true
  scene.deal(order, NUMBER, 100, 10.54)
  scene.isLow = false
  scene.later(1_000)
  t.match(scene.events('gridBooked'), [{ trade: { quantity: 100 } }])
  t.equal(scene.state.grid.open.size, 0)
})
