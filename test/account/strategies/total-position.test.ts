import t from 'tap'
import { newSimulation } from '../../../src/account/model/simulation.ts'
import { emptyState } from '../../../src/account/model/state.ts'
import { exposureOf } from '../../../src/account/orders/assets.ts'
import type { StockCode } from '../../../src/domain/instrument.ts'
import type { Money, Quantity } from '../../../src/domain/money.ts'
import { BANK, Bench, brokerPosition, commands, ORDER, policy, quote, yuan } from '../fixture.ts'
import { pushed } from '../play.ts'
import { DIP, gridOn, only, RISE, Scene } from './grid/scene.ts'
import { Buyer } from './stop-profit/buyer.ts'

/** 4,000 shares at 9.30 and a million in cash: 6 % of all assets are 62 232 yuan. */
const buyer = (ratio: number) => new Buyer(4_000, 10, { MAX_TOTAL_POSITION_RATIO: ratio })
const denied = ({ journal }: Bench) =>
  journal.flatMap(({ event }) => (event.kind === 'orderDenied' ? [event.code] : []))

t.test('a supplementary purchase keeps all holdings below their part of all assets', async (t) => {
  const full = buyer(0.06).tick(9.3)
  t.strictSame(full.sent, [])
  t.strictSame(denied(full.bench), ['MAX_TOTAL_POSITION'])
  t.equal(full.verdict, 'order_refused')
  t.match(buyer(0.068).tick(9.3).sent, [{ order: { quantity: 3_500 } }])
})

t.test('so does what is sent again', async (t) => {
  const one = buyer(0.95).tick(9.3).save({ totalMaxPosition: 50_000 })
  // At another price than the one that it has: at the same it would keep its place.
  for (let minute = 0; minute < 6; minute++) one.wait(60_000).tick(9.31, 9.5).ring()
  t.equal(one.sent.length, 1)
  t.equal(one.open.length, 0, 'the first one was canceled for its age')
  t.strictSame([...new Set(denied(one.bench))], ['MAX_TOTAL_POSITION'])
})

t.test('the purchase of another strategy that is open counts, and that of a person', async (t) => {
  const one = buyer(0.068)
  one.bench.input({
    kind: 'request',
    ref: 7,
    request: { ...ORDER, code: '000001.SZ' as typeof BANK, quantity: 100, price: yuan(10) },
  })
  t.strictSame(one.tick(9.3).sent, [], '1 000 yuan more are on their way')
})

t.test('orders by hand are not bound by it', async (t) => {
  const own = { ...policy, settings: { ...policy.settings, MAX_TOTAL_POSITION_RATIO: 0.05 } }
  const bench = new Bench(emptyState(own)).ready([brokerPosition()])
  bench.quotes.set(BANK, quote(36, bench.nowMs))
  t.equal(commands(bench.place({ quantity: 10_000, price: yuan(36) })).length, 1)
})

t.test('a purchase of a grid is refused above it, and a sale is not', async (t) => {
  const settings = { ...gridOn.settings, MAX_TOTAL_POSITION_RATIO: 0.01 }
  const scene = new Scene({ ...gridOn, settings })
  scene.start()
  t.strictSame(scene.ticks(...DIP), [])
  t.match(scene.events('gridRefused'), [{ reason: 'MAX_TOTAL_POSITION', side: 'buy' }])
  t.match(only(scene, RISE), { side: 'sell' })
})

t.test('until holding and cash show what was filled a purchase of a grid waits', async (t) => {
  const scene = new Scene()
  scene.start({ price_interval: 0.02 })
  scene.fill(only(scene, RISE))
  t.strictSame(scene.ticks(10.3, 10.2, 10.26), [])
  t.strictSame(scene.events('gridRefused'), [], 'its callback still stands')
  scene.settle()
  t.match(only(scene, [10.27]), { side: 'buy' })
})

t.test('until then a supplementary purchase waits too', async (t) => {
  const one = buyer(0.95).tick(9.4)
  one.isSilent = true
  one.byHand(100, 9.4).list().tick(9.3)
  t.strictSame(one.sent, [])
  t.equal(one.verdict, 'add_total_unknown')
  one.isSilent = false
  one.wait(3_000).list().tick(9.3)
  t.match(one.sent, [{ order: { quantity: 3_400 } }])
})

t.test('F504 a subscription of new shares takes no cash, and keeps no purchase back', async (t) => {
  for (const code of ['787001.SH' as StockCode, '732001.SH' as StockCode]) {
    const one = buyer(0.95)
    const nobodys = { clientOrderId: '', strategy: '', orderId: '71' }
    const terms = { code, quantity: 60_000 as Quantity, price: yuan(30) }
    one.bench.input(pushed({ ...nobodys, ...terms }))
    t.equal(one.bench.state.orders.openCount, 1)
    one.tick(9.4).tick(9.3)
    t.strictSame(denied(one.bench), [])
    t.match(one.sent, [{ order: { quantity: 3_500 } }])
  }
})

t.test('a simulation is measured by its own cash and holdings', async (t) => {
  const { state, nowMs } = buyer(0.5).bench
  state.simulation = newSimulation(state.positions.values(), yuan(20_000) as number as Money)
  const sight = { nowMs, wallMs: nowMs, quote: () => quote(10, nowMs) }
  t.match(exposureOf(state, sight), { ratio: 0.5, value: yuan(40_000), total: yuan(60_000) })
})
