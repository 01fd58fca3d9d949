import t from 'tap'
import type { SignalOrder } from '../../../../src/account/strategies/stop-profit/follow-up.ts'
import type { VenueStatus } from '../../../../src/domain/order.ts'
import { BANK, type Bench, driver, holder, push, quote, rest } from '../../fixture.ts'
import { DIP, gridOn, Scene, type Sent } from './scene.ts'

// The counter refuses what a strategy wants of one stock again and again: the account may not trade its board, or not buy it.

const MAX = 5

/** A grid that no cool-down keeps back. */
function eager(): Scene {
  const cooldowns = { levelCooldownMs: 0, sellCooldownMs: 0, buyCooldownMs: 0 }
  const scene = new Scene({
    ...gridOn,
    risk: { ...gridOn.risk, maxRejectsInRow: MAX },
    grid: { ...gridOn.grid, ...cooldowns },
  })
  scene.start()
  return scene
}

/** Each order that these prices lead to is refused; how many there were. */
function refuseAll(scene: Scene, prices: readonly number[]): number {
  const refuse = ({ callId, clientOrderId }: Sent) =>
    driver(scene, {
      kind: 'submitAnswered',
      callId,
      clientOrderId,
      outcome: { kind: 'rejected', message: '创业板交易权限未开通' },
    })
  const orders = scene.ticks(...prices)
  for (const order of orders) refuse(order)
  scene.later(60_000)
  return orders.length
}

t.test('F582 a grid whose purchases are refused again and again stops no sale', async (t) => {
  const scene = eager()
  let count = 0
  for (let n = 0; n <= MAX; n++) count += refuseAll(scene, [9.6, ...DIP])
  t.ok(count > MAX, `${count} purchases`)
  t.equal(scene.state.rejectsInRow, 3)
  t.equal(scene.state.killSwitch.level, 'off')
})

t.test('F582 nor does a supplementary purchase of one stock', async (t) => {
  const bench = holder({ maxRejectsInRow: MAX })
  const more = { code: BANK, side: 'buy', quantity: 100, priceType: 5, price: 0, signalPrice: 0 }
  for (let n = 1; n <= MAX + 1; n++) {
    bench.signal({ ...more, signalType: 'add_position' } as SignalOrder)
    const clientOrderId = [...bench.state.orders.keys()].at(-1) ?? ''
    push(bench, { orderId: String(n), clientOrderId, status: 57 })
    bench.nowMs += 80_000
    bench.quotes.set(BANK, quote(36, bench.nowMs))
  }
  t.equal(bench.state.orders.size, MAX + 1)
  t.equal(bench.state.rejectsInRow, 3)
  for (const n of [20, 21]) rest(bench, n, { status: 57 })
  t.equal(bench.state.killSwitch.level, 'all', 'with refusals of others it counts')
})

/** Supplementary purchases of one stock, far enough apart, each of which the counter answers with these statuses. */
function purchases(bench: Bench) {
  const more = { code: BANK, side: 'buy', quantity: 100, priceType: 5, price: 0, signalPrice: 0 }
  let n = 0
  const becomes = (...statuses: readonly VenueStatus[]) => {
    n += 1
    bench.signal({ ...more, signalType: 'add_position' } as SignalOrder)
    const clientOrderId = [...bench.state.orders.keys()].at(-1) ?? ''
    for (const status of statuses) push(bench, { orderId: String(n), clientOrderId, status })
    bench.nowMs += 80_000
    bench.quotes.set(BANK, quote(36, bench.nowMs))
  }
  return { becomes, count: () => n }
}

t.test('F606 what was refused before one that was taken counts no more', async (t) => {
  const bench = holder({ maxRejectsInRow: 10 })
  const { becomes, count } = purchases(bench)
  for (let i = 0; i < 3; i++) becomes(57)
  t.equal(bench.state.rejectsInRow, 3)
  becomes(50, 54)
  t.equal(bench.state.rejectsInRow, 0)
  for (let i = 0; i < 2; i++) becomes(57)
  t.equal(bench.state.orders.size, count())
  t.equal(bench.state.rejectsInRow, 2, 'an account that nothing is taken of any more is noticed')
})

t.test('F622 one that a clock ahead of the time was taken by hides no refusals', async (t) => {
  const bench = holder({ maxRejectsInRow: 5 })
  const { becomes, count } = purchases(bench)
  becomes(50, 54)
  const [[key, taken] = []] = bench.state.orders
  if (key !== undefined && taken !== undefined) {
    bench.state.orders.set(key, { ...taken, createdMs: taken.createdMs + 3_600_000 })
  }
  for (let i = 0; i < 6; i++) becomes(57)
  t.equal(bench.state.orders.size, count())
  t.equal(bench.state.rejectsInRow, 3, 'what is refused of one stock stops no other sale')
  t.equal(bench.state.killSwitch.level, 'off')
})

t.test('F648 nor do refusals that a clock ahead of the time has stamped', async (t) => {
  const bench = holder({ maxRejectsInRow: 5 })
  const { becomes, count } = purchases(bench)
  for (let i = 0; i < 3; i++) becomes(57)
  for (const [key, refused] of bench.state.orders) {
    bench.state.orders.set(key, { ...refused, createdMs: refused.createdMs + 3_600_000 })
  }
  becomes(50, 54)
  t.equal(bench.state.rejectsInRow, 0)
  for (let i = 0; i < 2; i++) becomes(57)
  t.equal(bench.state.orders.size, count())
  t.equal(bench.state.rejectsInRow, 2, 'a counter that is sick anew is noticed')
})
