import t from 'tap'
import { apply } from '../../../../src/account/fold/apply.ts'
import { emptyState } from '../../../../src/account/model/state.ts'
import { listRow } from '../../../../src/account/strategies/grid/answers/session-rows.ts'
import { bookFills } from '../../../../src/account/strategies/grid/booking.ts'
import { feeParts } from '../../../../src/domain/fees.ts'
import type { Money, Quantity } from '../../../../src/domain/money.ts'
import { feesOf } from '../../../../src/strategy/grid/session.ts'
import { BANK, policy, yuan } from '../../fixture.ts'
import { only, RISE, Scene } from './scene.ts'

const inYuan = (money: number) => money / 10_000
/** What one order costs that has turned over so much. */
const feeOf = (side: 'buy' | 'sell', amount: number): number =>
  feeParts(policy.feeRates, { code: BANK, side, day: '2026-08-11', amount: amount as Money }).total

function sold() {
  const scene = new Scene()
  scene.start()
  const order = only(scene, RISE)
  scene.fill(order, 10.54)
  const amount = yuan(10.54) * order.quantity
  return { scene, fee: feeOf('sell', amount) }
}

t.test('a grid knows what its trades have cost, and what it has earned after that', async (t) => {
  const scene = new Scene()
  scene.start()
  t.match(listRow(scene.session).pnl_snapshot, { fees: 0, net_pnl: 0 }, 'before the first trade')
  const { scene: after, fee } = sold()
  t.ok(fee > 0)
  t.equal(after.session.fees, fee)
  const { pnl_snapshot: pnl, grid_profit: gross } = listRow(after.session)
  t.equal(pnl.fees, inYuan(fee))
  t.equal(pnl.total_pnl, gross, 'what exits look at is without fees, as ever')
  t.equal(pnl.net_pnl, inYuan(Math.round(pnl.total_pnl * 10_000) - fee))
})

t.test('an order that is booked in parts pays the least commission once', async (t) => {
  const { scene, fee } = sold()
  const [order] = scene.state.grid.orders.values()
  if (order === undefined) throw new Error('no order')
  const { clientOrderId, bookedQuantity, bookedAmount } = order
  const more = { quantity: 100, amount: yuan(10.54) * 100 }
  const fills = {
    orderId: 'x',
    quantity: (bookedQuantity + more.quantity) as Quantity,
    amount: (bookedAmount + more.amount) as Money,
  }
  bookFills(scene.turn(), clientOrderId, fills)
  t.equal(scene.session.fees, feeOf('sell', fills.amount))
  t.ok((scene.session.fees ?? 0) < fee + feeOf('sell', more.amount), 'not once for each part')
})

t.test(
  'books of an earlier release have no fees: then the net is not known, now and later',
  async (t) => {
    const { scene } = sold()
    const old = emptyState(scene.state.policy)
    for (const { event, ...rest } of scene.journal) {
      const { fee: _, ...trade } =
        event.kind === 'gridBooked' ? event.trade : ({} as { fee?: Money })
      const before = event.kind === 'gridBooked' ? { ...event, trade } : event
      apply(old, { ...rest, event: before } as never)
    }
    const [session] = old.grid.sessions.values()
    if (session === undefined) throw new Error('no session')
    t.equal(session.sellCount, 1)
    t.equal(feesOf(session), undefined)
    t.match(listRow(session).pnl_snapshot, { fees: null, net_pnl: null })
  },
)

t.test(
  'F761 what a real order has filled costs what it does while a simulation runs',
  async (t) => {
    const { scene } = sold()
    const [order] = scene.state.grid.orders.values()
    if (order === undefined) throw new Error('no order')
    const changes = { simulationMode: true }
    scene.input({
      kind: 'request',
      ref: 9,
      request: { kind: 'saveConfig', changes, source: 'test' },
    })
    t.not(scene.state.simulation, undefined)
    const quantity = (order.bookedQuantity + 100) as Quantity
    const amount = (order.bookedAmount + yuan(10.54) * 100) as Money
    bookFills(scene.turn(), order.clientOrderId, { orderId: 'x', quantity, amount })
    t.equal(scene.session.fees, feeOf('sell', amount))
  },
)
