import t from 'tap'
import { apply } from '../../../../src/account/fold/apply.ts'
import { emptyState } from '../../../../src/account/model/state.ts'
import { reservedOf } from '../../../../src/account/strategies/grid/lookups.ts'
import type { Money, Quantity } from '../../../../src/domain/money.ts'
import { openCostOf } from '../../../../src/strategy/grid/ledger.ts'
import { BANK, brokerDeal, brokerOrder, commands, KEY, quote, set, yuan } from '../../fixture.ts'
import { count, started } from '../../play.ts'
import { canceled, DIP, gridOn, held, only, RISE, Scene, sent, withGrid } from './scene.ts'

t.test('an order is registered before it leaves, and nothing is booked by it', async (t) => {
  const scene = withGrid()
  const order = only(scene, RISE)
  t.match(order, { side: 'sell', quantity: 250 - 50, price: yuan(10.54) })
  t.equal(scene.state.grid.orders.get(order.clientOrderId)?.isClosed, false)
  t.match(scene.session, { sellCount: 0, currentCenter: yuan(10), lastSellMs: scene.nowMs })
  t.match(scene.session.cooled, [{ level: 105_000_000_000 }], 'the level, not the center')
  scene.take(order)
  t.match(scene.session, { sellCount: 0, tracker: { isWaiting: true } })
})

t.test('while an order is open no second one goes out on its side', async (t) => {
  const scene = withGrid()
  const order = only(scene, RISE)
  scene.take(order)
  t.strictSame(scene.ticks(10.8, 10.6), [])
  t.equal(scene.session.tracker.peakPrice, yuan(10.8), 'it goes on following the price')
})

t.test('the time limit of an order is its own alarm, and has no stock evaluated', async (t) => {
  const scene = withGrid()
  scene.take(only(scene, RISE))
  const { pendingTimeoutMs } = gridOn.grid
  t.match(commands(scene.later(pendingTimeoutMs)), [{ kind: 'cancel' }])
  for (let second = 0; second < 5; second++) scene.later(1_000) // the cancel has no answer yet
  const causes = ['grid', 'stop_profit'].flatMap((strategy) =>
    (scene.state.trace.of(strategy).get(BANK) ?? []).map(({ cause }) => cause),
  )
  t.ok(causes.includes('tick'), 'evaluations are noted')
  t.notOk(causes.includes('alarm'), `${causes}`)
})

t.test('what was filled before a cancel is booked all the same', async (t) => {
  const scene = withGrid()
  const order = only(scene, RISE)
  const id = scene.take(order)
  const row = { clientOrderId: order.clientOrderId, orderId: id, side: order.side } as const
  scene.report({ ...row, quantity: order.quantity, status: 53, filledQuantity: 100 as never })
  t.equal(scene.events('gridBooked').length, 0, 'its deal has not come yet')
  scene.deal(order, id, 100, 10.54)
  t.match(scene.events('gridBooked'), [{ trade: { quantity: 100 } }])
  t.match(scene.events('gridOrderClosed'), [{ outcome: 'partial_filled_canceled' }])
  scene.deal(order, id, 50, 10.5)
  t.match(
    scene.events('gridBooked').at(-1)?.trade,
    { id: 2, quantity: 50, tradeId: `${id}_2` },
    'a deal that comes later is booked too',
  )
})

t.test('a refused order books nothing and frees the tracker', async (t) => {
  const scene = withGrid()
  const order = only(scene, RISE)
  const { clientOrderId, callId } = order
  const outcome = { kind: 'rejected' as const, message: 'no' }
  scene.input({ kind: 'driver', event: { kind: 'submitAnswered', callId, clientOrderId, outcome } })
  t.match(scene.events('gridOrderClosed'), [{ outcome: 'rejected' }])
  t.match(scene.session, { sellCount: 0, tracker: { isWaiting: false } })
  t.strictSame(scene.ticks(10.7, 10.64), [], 'the level cools, so there is no second order')
})

/** No cool-down keeps a second order back: only the guards do. */
const eager = () => {
  const cooldowns = { levelCooldownMs: 0, sellCooldownMs: 0, buyCooldownMs: 0 }
  const scene = new Scene({ ...gridOn, grid: { ...gridOn.grid, ...cooldowns } })
  scene.start()
  return scene
}

t.test('a grid whose order the broker refused does not send it again at once', async (t) => {
  const scene = eager()
  const order = only(scene, RISE)
  const orderId = scene.take(order)
  scene.report({ ...order, orderId, price: yuan(10.54), status: 57 })
  t.match(scene.events('gridOrderClosed'), [{ outcome: 'rejected' }])
  t.strictSame(scene.ticks(10.6, 10.54), [], 'however often it arises')
  t.match(scene.events('gridRefused'), [{ side: 'sell', reason: 'just_refused' }])
  t.equal(count(scene, 'orderDenied'), 0, 'no rule was asked')
  scene.later(gridOn.limits.positionQueryIntervalMs)
  t.match(
    scene.ticks(10.6, 10.54),
    [{ side: 'sell' }],
    'once the holdings have been asked for again',
  )
})

t.test('F529 a grid whose order could not be sent in time decides anew at once', async (t) => {
  const scene = eager()
  const { clientOrderId } = only(scene, RISE)
  const outcome = { kind: 'rejected', message: 'never sent', isTooLate: true } as const
  scene.input({
    kind: 'driver',
    event: { kind: 'submitAnswered', callId: 0, clientOrderId, outcome },
  })
  t.match(scene.events('gridOrderClosed'), [{ outcome: 'rejected' }])
  t.match(scene.ticks(10.6, 10.54), [{ side: 'sell' }], 'nobody has refused anything')
})

t.test('what the broker refused of one side, or of a person, keeps no grid back', async (t) => {
  const scene = eager()
  const order = only(scene, RISE)
  const orderId = scene.take(order)
  scene.report({ ...order, orderId, price: yuan(10.54), status: 57 })
  t.match(scene.ticks(10, ...DIP), [{ side: 'buy' }], 'the fall itself would have been a sale')

  const other = eager()
  const [call] = commands(other.place({ side: 'sell', price: yuan(10), strategy: 'grid' }))
  const outcome = { kind: 'rejected', message: 'no' } as const
  const event = { callId: call?.callId ?? 0, clientOrderId: KEY, outcome }
  other.input({ kind: 'driver', event: { kind: 'submitAnswered', ...event } })
  t.equal(other.state.orders.get(KEY)?.status, 'rejected')
  t.match(other.ticks(...RISE), [{ side: 'sell' }])
})

t.test('a refusal of a grid that repeats is written into the journal once a minute', async (t) => {
  const scene = eager()
  set(scene, 'all')
  scene.ticks(...RISE)
  scene.ticks(10.6, 10.54, 10.6, 10.54)
  t.equal(count(scene, 'orderDenied'), 1)
  const reasons = scene.events('gridRefused').map(({ reason }) => reason)
  t.strictSame(reasons, ['KILL_SWITCH', 'KILL_SWITCH', 'KILL_SWITCH'], 'each frees the tracker')
  scene.later(gridOn.limits.refusalRepeatMs)
  scene.ticks(10.6, 10.54)
  t.equal(count(scene, 'orderDenied'), 2)
  set(scene, 'off')
  t.match(scene.ticks(10.6, 10.54), [{ side: 'sell' }], 'it goes as soon as it may')
})

t.test('limits beyond which the market itself trades keep no grid back', async (t) => {
  const scene = new Scene()
  scene.start({ center_price: 12 })
  t.match(scene.ticks(12, 11.4, 11.3, 11.36), [{ side: 'buy' }], '13 % above the close of before')
  const below = new Scene()
  below.start({ center_price: 8 })
  t.match(below.ticks(8, 8.5, 8.42), [{ side: 'sell' }])
  const within = new Scene()
  within.start({ center_price: 11.6 })
  within.ticks(11, 10.9, 11)
  t.match(within.events('gridRefused'), [{ reason: 'at_limit_up' }])
})

t.test('a closed gate sends nothing, and an order that waits is not sent again', async (t) => {
  for (const setting of ['globalAutoOperation', 'globalAllowGridTrading']) {
    const scene = withGrid()
    const changes = { [setting]: false }
    scene.input({
      kind: 'request',
      ref: 77,
      request: { kind: 'saveConfig', changes, source: 'test' },
    })
    t.strictSame(scene.ticks(...RISE, 20), [], setting)
    t.match(scene.session, { status: 'active', tracker: { isWaiting: false } })
  }
  const paused = withGrid()
  paused.enable(false)
  t.strictSame(paused.ticks(...RISE, 20), [], 'paused: no order and no exit')
  t.equal(paused.session.status, 'active')
})

t.test('an order without a fill is canceled after its time and sent again once', async (t) => {
  const scene = withGrid()
  const order = only(scene, RISE)
  const id = scene.take(order)
  t.strictSame(canceled(scene.later(89_000)), [])
  t.strictSame(canceled(scene.later(1_000)), [id])
  t.match(scene.events('gridOrderTimedOut'), [{ isReorderWanted: true }])
  const row = { ...order, orderId: id }
  const [again] = sent(scene.report({ ...row, price: yuan(10.54), status: 54 }))
  t.match(again, { side: 'sell', quantity: 200 }, 'past the cool-down')
  if (again === undefined) return
  t.match(scene.state.grid.orders.get(again.clientOrderId), {
    attempt: 1,
    parent: order.clientOrderId,
    level: 105_000_000_000,
  })
  const second = scene.take(again)
  t.strictSame(canceled(scene.later(90_000)), [second])
  const last = scene.report({ ...again, orderId: second, price: yuan(10.54), status: 54 })
  t.strictSame(sent(last), [], 'not a third time')
  t.match(scene.events('gridOrderClosed').at(-1), { outcome: 'canceled' })
  t.match(scene.session, { sellCount: 0, status: 'active' })
})

t.test('in a thin book an order goes no further than the exchange takes it', async (t) => {
  const scene = new Scene({ ...gridOn, grid: { ...gridOn.grid, isCounterpartyPrice: true } })
  scene.start()
  const [crossed, peak, fall] = RISE
  t.strictSame(scene.ticks(crossed, peak), [])
  scene.nowMs += 3_000
  const bid = [10.54, 10.4, 10.1].map(yuan)
  scene.quotes.set(BANK, { ...quote(fall, scene.nowMs), lastClose: yuan(10), bid })
  const orders = sent(scene.input({ kind: 'quotes', crossed: [BANK] }))
  t.match(orders, [{ side: 'sell', price: yuan(10.33) }], '2 % below the best bid')
})

t.test(
  'F836 a grid order lies on a step of its stock though the price that set it off does not',
  async (t) => {
    const rising = withGrid()
    t.match(rising.ticks(10.51, 10.6, 10.55, 10.548), [{ side: 'sell', price: yuan(10.54) }])
    const falling = withGrid()
    t.match(falling.ticks(9.49, 9.4, 9.4521), [{ side: 'buy', price: yuan(9.46) }])
    const { grid } = gridOn
    const fixed = new Scene({ ...gridOn, grid: { ...grid, isCounterpartyPrice: false } })
    fixed.start()
    t.match(
      fixed.ticks(9.49, 9.4, 9.4521),
      [{ side: 'buy', price: yuan(9.45) }],
      'never dearer than the quota was charged with',
    )
  },
)

t.test('in the break at noon, and after the close, no order is canceled for its age', async (t) => {
  for (const [placed, closed, open] of [
    ['03:29:00', '03:31:00', '05:01:30'],
    ['06:59:00', '07:01:00', undefined],
  ] as const) {
    const scene = withGrid()
    scene.nowMs = Date.parse(`2026-08-11T${placed}Z`)
    const order = only(scene, DIP)
    const orderId = scene.take(order)
    const alarmAt = (time: string) => scene.later(Date.parse(`2026-08-11T${time}Z`) - scene.nowMs)
    t.strictSame(canceled(alarmAt(closed)), [], placed)
    if (open !== undefined) t.strictSame(canceled(alarmAt(open)), [orderId], placed)
  }
})

t.test('an order that is partly filled is never canceled for its age', async (t) => {
  const scene = withGrid()
  const order = only(scene, RISE)
  const id = scene.take(order)
  scene.deal(order, id, 100, 10.54)
  t.strictSame(canceled(scene.later(500_000)), [])
})

t.test('what fills while its cancel is on its way is not sent again whole', async (t) => {
  const scene = withGrid()
  const order = only(scene, RISE)
  const id = scene.take(order)
  t.strictSame(canceled(scene.later(90_000)), [id])
  scene.deal(order, id, 100, 10.54)
  const row = { ...order, orderId: id, price: yuan(10.54), filledQuantity: 100 as Quantity }
  t.strictSame(sent(scene.report({ ...row, status: 53 })), [])
  t.match(scene.events('gridBooked'), [{ trade: { quantity: 100 } }])
})

t.test('a paused session is not sent again, nor one whose price has drifted', async (t) => {
  const endings: readonly (readonly [string, (scene: Scene) => void])[] = [
    ['paused', (scene) => scene.enable(false)],
    ['drifted', (scene) => scene.price(10.7)],
    ['gate closed', (scene) => closeGate(scene)],
  ]
  for (const [name, change] of endings) {
    const scene = withGrid()
    const order = only(scene, RISE)
    const id = scene.take(order)
    scene.later(90_000)
    change(scene)
    const ended = scene.report({ ...order, orderId: id, price: yuan(10.54), status: 54 })
    t.strictSame(sent(ended), [], name)
    t.match(scene.events('gridOrderClosed'), [{ outcome: 'canceled' }], name)
  }
})

const closeGate = (scene: Scene) =>
  scene.input({
    kind: 'request',
    ref: 88,
    request: { kind: 'saveConfig', changes: { globalAllowGridTrading: false }, source: 'test' },
  })

t.test('a sale waits for the shares that its canceled order had frozen', async (t) => {
  const scene = withGrid()
  const order = only(scene, RISE)
  const id = scene.take(order)
  scene.holds(1_000, 100)
  scene.later(90_000)
  t.strictSame(sent(scene.report({ ...order, orderId: id, price: yuan(10.54), status: 54 })), [])
  t.equal(scene.state.grid.open.size, 1, 'not given up')
  const position = held()
  const freed = scene.input({ kind: 'driver', event: { kind: 'positionPushed', position } })
  t.match(sent(freed), [{ quantity: 200 }])
})

t.test(
  'stopping waits for the last order, cancels it once it has a number, and books it',
  async (t) => {
    const scene = withGrid()
    const order = only(scene, DIP)
    t.strictSame(canceled(scene.stop()), [], 'it has no number yet')
    t.match(scene.session, { status: 'stopping', stopReason: 'manual_stop' })
    const outcome = { kind: 'accepted' as const, orderId: '91' }
    const { callId, clientOrderId } = order
    const taken = scene.input({
      kind: 'driver',
      event: { kind: 'submitAnswered', callId, clientOrderId, outcome },
    })
    t.strictSame(canceled(taken), ['91'], 'canceled as soon as it can be')
    t.strictSame(scene.ticks(...RISE), [], 'a stopping session takes no signals')
    scene.deal(order, '91', order.quantity, 9.45)
    t.match(scene.session, { status: 'stopped', buyCount: 1, stopReason: 'manual_stop' })
    t.ok(scene.session.stopMs > 0)
  },
)

t.test('a cancel that fails keeps the session stopping', async (t) => {
  const scene = withGrid()
  const order = only(scene, DIP)
  const id = scene.take(order)
  scene.stop()
  for (let i = 0; i < 5; i++) {
    for (const [callId, call] of [...scene.state.calls]) {
      if (call.kind !== 'cancel') continue
      const result = { ok: false, error: { code: 'FAILED', message: 'no' } } as const
      scene.input({
        kind: 'driver',
        event: { kind: 'cancelAnswered', callId, orderId: id, result },
      })
    }
    scene.later(1_000)
  }
  t.equal(scene.session.status, 'stopping')
  t.equal(scene.state.grid.open.size, 1)
})

t.test('open orders reserve money: the quota is not spent twice', async (t) => {
  const scene = withGrid({ trade_mode: 'shares', fixed_volume: 500, price_interval: 0.03 })
  scene.fill(only(scene, DIP))
  scene.settle()
  scene.nowMs += 400_000
  const second = only(scene, [9.16, 9.1, 9.15])
  const { reservedPrice } = scene.events('gridOrderPlaced').at(-1)?.order ?? { reservedPrice: 0 }
  t.equal(reservedPrice, yuan(9.15 * 1.02))
  const id = scene.take(second)
  t.equal(reservedOf(scene.state, 1), 500 * reservedPrice)
  scene.deal(second, id, 200, 9.15)
  t.equal(reservedOf(scene.state, 1), 300 * reservedPrice + 200 * yuan(9.15), 'also what is filled')
  scene.deal(second, id, 300, 9.14)
  t.equal(reservedOf(scene.state, 1), 0)
  const cost = 500 * yuan(9.45) + 200 * yuan(9.15) + 300 * yuan(9.14)
  t.equal(openCostOf(scene.session.ledger), cost)
})

t.test('T+1: what was bought today is not sold', async (t) => {
  const scene = withGrid()
  scene.holds(1_000, 0)
  t.strictSame(scene.ticks(...RISE), [])
  t.match(scene.events('gridRefused'), [{ reason: 'nothing_sellable' }])
})

t.test('after a restart everything is as it was, and fills still count, once', async (t) => {
  const scene = withGrid()
  const order = only(scene, RISE)
  const id = scene.take(order)
  scene.deal(order, id, 100, 10.54, 'a')
  const state = emptyState(gridOn)
  for (const event of scene.journal) apply(state, event)
  t.strictSame(state.grid, scene.state.grid)
  const next = new Scene(gridOn, state)
  next.nowMs = scene.nowMs
  const row = { ...order, orderId: id, price: yuan(10.54), timeMs: scene.nowMs, strategy: 'grid' }
  const deals = ['a', 'b'].map((dealId) =>
    brokerDeal({
      ...order,
      dealId,
      orderId: id,
      quantity: 100 as Quantity,
      price: yuan(10.54),
      amount: (100 * yuan(10.54)) as Money,
      timeMs: scene.nowMs,
      strategy: 'grid',
    }),
  )
  const filled = { ...row, status: 56 as const, filledQuantity: 200 as Quantity }
  started(next, { positions: [held(800)], orders: [brokerOrder(filled)], deals })
  t.match(next.events('gridBooked'), [{ trade: { id: 1, quantity: 200, tradeId: id } }])
  t.match(next.session, { sellCount: 1, currentCenter: yuan(10.54) })
})

t.test('only sellable shares are offered, whatever the mode', async (t) => {
  const scene = withGrid({ trade_mode: 'shares', fixed_volume: 2_000 })
  scene.holds(1_000, 300)
  t.match(only(scene, RISE), { quantity: 300 })
  t.equal(scene.state.positions.get(BANK)?.sellable, 300)
})
