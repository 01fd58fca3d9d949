import t from 'tap'
import { decisions } from '../../../../src/account/answers/strategies.ts'
import { emptyState } from '../../../../src/account/model/state.ts'
import { accountBand } from '../../../../src/account/strategies/band.ts'
import { nextOrderMs } from '../../../../src/account/strategies/run.ts'
import type { Effect } from '../../../../src/account/turn/turn.ts'
import type { Quantity } from '../../../../src/domain/money.ts'
import type { BrokerOrder, OrderRecord, SignalType } from '../../../../src/domain/order.ts'
import {
  BANK,
  Bench,
  brokerDeal,
  brokerOrder,
  brokerPosition,
  commands,
  policy,
  quote,
  set,
  yuan,
} from '../../fixture.ts'
import { reborn, said, started, timer } from '../../play.ts'

const ON = { ENABLE_AUTO_OPERATION: true, ENABLE_AUTO_TRADING: true, ENABLE_STOP_LOSS_BUY: false }
const HELD = { costPrice: yuan(10) }
const at = (price: number, timeMs: number) => ({ ...quote(price, timeMs), lastClose: yuan(10) })
const shares = (count: number) => count as Quantity

/** A take-profit of 600 of 1,000 shares rests at a broker that says only what it is told to say. */
class Scene {
  readonly bench: Bench
  #number = 7_000

  constructor(isTakeProfitReplaced: boolean, bench?: Bench, ticks = [10.61, 10.7, 10.64]) {
    const stopProfit = { ...policy.stopProfit, isTakeProfitReplaced }
    const own = { ...policy, stopProfit, settings: { ...policy.settings, ...ON } }
    this.bench = bench ?? new Bench(emptyState(own)).ready([brokerPosition(HELD)])
    if (bench !== undefined) return
    for (const price of ticks) this.tick(price)
  }
  static resting(isTakeProfitReplaced = true): Scene {
    const scene = new Scene(isTakeProfitReplaced)
    scene.accept()
    scene.list(400)
    return scene
  }

  /** Always taken for one that left its band. */
  tick(price: number): readonly Effect[] {
    this.later(3_000)
    this.bench.quotes.set(BANK, at(price, this.bench.nowMs))
    return this.bench.input({ kind: 'quotes', crossed: [BANK] })
  }
  later(ms: number): void {
    this.bench.nowMs += ms
    this.bench.wallMs += ms
  }
  allowSales(allowSell: boolean): readonly Effect[] {
    const request = { kind: 'saveConfig', changes: { allowSell }, source: 'test' } as const
    return this.bench.input({ kind: 'request', ref: 9, request })
  }
  get orders(): readonly OrderRecord[] {
    return [...this.bench.state.orders.values()]
  }
  get last(): OrderRecord {
    const order = this.orders.at(-1)
    if (order === undefined) throw new Error('no order')
    return order
  }
  get signals(): readonly (SignalType | undefined)[] {
    return this.orders.map(({ signalType }) => signalType)
  }
  accept(): readonly Effect[] {
    this.#number += 1
    return this.report({ orderId: String(this.#number), status: 50, price: yuan(10.64) })
  }
  report(row: Partial<BrokerOrder>): readonly Effect[] {
    const { clientOrderId, orderId, side, quantity, createdMs, price } = this.last
    const own = { clientOrderId, orderId, side, quantity, price, timeMs: createdMs }
    return this.bench.input(said({ kind: 'orderPushed', order: brokerOrder({ ...own, ...row }) }))
  }
  fill(count: number): readonly Effect[] {
    const { clientOrderId, orderId, side, filledQuantity, createdMs } = this.last
    const dealId = `${orderId}-${filledQuantity}`
    const own = { clientOrderId, orderId, side, dealId, timeMs: createdMs, price: yuan(10.64) }
    return this.bench.input(
      said({ kind: 'dealPushed', deal: brokerDeal({ ...own, quantity: shares(count) }) }),
    )
  }
  /** A list of the holdings that was asked for now. */
  list(sellable: number, quantity = 1_000): readonly Effect[] {
    const asked = this.bench.input(timer('poll'))
    const row = brokerPosition({ ...HELD, sellable: shares(sellable), quantity: shares(quantity) })
    return [...asked, ...this.bench.answerQueries(commands(asked), { positions: [row] })]
  }
  /** The market clock passes the next moment of an order, and rings. */
  ring(): readonly Effect[] {
    const dueMs = nextOrderMs(this.bench.state, this.bench.nowMs)
    this.later(dueMs - this.bench.nowMs)
    return this.bench.input({ kind: 'alarm' })
  }
  rows() {
    const { bench } = this
    return decisions(bench.state, { kind: 'decisions', code: BANK, limit: 100 }).decisions
  }
}

const cancels = (effects: readonly Effect[]) =>
  commands(effects).filter(({ kind }) => kind === 'cancel')
const submits = (effects: readonly Effect[]) =>
  commands(effects).filter(({ kind }) => kind === 'submit')

t.test(
  'off: the take-profit keeps the stop back, and the trace says which and until when',
  async (t) => {
    const scene = Scene.resting(false)
    const { bench } = scene
    scene.tick(10.5)
    const band = () => accountBand(bench.state, BANK, { ...bench.turn().inputs, floor: 0 })
    t.equal(band().low, yuan(9.25) + 1, 'the fall to the stop is looked at')
    t.strictSame(
      commands(scene.tick(9.2)).filter(({ kind }) => kind !== 'query'),
      [],
    )
    t.equal(band().low, yuan(9), 'once: what is left is the limit of the day')
    const [row] = scene.rows()
    t.match(row, {
      verdict: 'order_open',
      message: /委托 7001 首次止盈，最迟 2026-08-11 10:05:09 .*止损等待其了结/,
      held_by: { order_id: '7001', until: '2026-08-11 10:05:09', stop_loss_waits: true },
    })
    t.equal(scene.orders.length, 1)
  },
)

t.test('on: the stop takes its place, after its end, with all that is left', async (t) => {
  const scene = Scene.resting()
  t.match(cancels(scene.tick(9.2)), [{ orderId: '7001' }])
  t.match(scene.last, { status: 'pendingCancel', isReplaced: true })
  t.equal(scene.last.isReorderWanted, undefined)
  t.match(scene.rows()[0], { verdict: 'take_profit_replaced', held_by: { stop_loss_waits: true } })
  t.strictSame(cancels(scene.tick(9.1)), [], 'one cancel')
  t.strictSame(submits(scene.tick(9.1)), [], 'nothing is sent before its end')
  t.strictSame(submits(scene.report({ status: 54 })), [], 'nor before its shares are free')
  t.strictSame(submits(scene.list(400)), [], 'which a list that is behind does not show')
  const sent = submits(scene.list(1_000))
  t.match(sent, [{ order: { strategy: 'stop_loss', quantity: 1_000, priceType: 5 } }])
  t.strictSame(scene.signals, ['take_profit_half', 'stop_loss'], 'without a tick, and once')
})

t.test('a list that stays behind holds the stop back for its lag, not for ever', async (t) => {
  const scene = Scene.resting()
  scene.tick(9.2)
  scene.report({ status: 54 })
  scene.list(400)
  scene.later(policy.limits.holdingsLagMs)
  t.match(submits(scene.bench.input({ kind: 'alarm' })), [{ order: { quantity: 400 } }])
})

t.test('F214 the first list after that lag ends the wait, whatever it shows', async (t) => {
  const scene = Scene.resting()
  scene.tick(9.2)
  scene.report({ status: 54 })
  scene.later(policy.limits.holdingsLagMs)
  t.strictSame(submits(scene.bench.input({ kind: 'alarm' })), [], 'none has come yet')
  t.match(submits(scene.list(400)), [{ order: { quantity: 400 } }], 'without a tick or an alarm')
})

t.test('F214 a stop that was kept back, and rose above it meanwhile, is awake again', async (t) => {
  const WAYS = {
    'by an alarm': (scene: Scene) => {
      scene.bench.quotes.set(BANK, at(9.6, scene.bench.nowMs))
      return scene.bench.input({ kind: 'alarm' })
    },
    'by a tick': (scene: Scene) => scene.tick(9.6),
  }
  for (const [name, judge] of Object.entries(WAYS)) {
    const scene = Scene.resting()
    const { bench } = scene
    const band = () => accountBand(bench.state, BANK, { ...bench.turn().inputs, floor: 0 })
    scene.tick(9.2)
    scene.report({ status: 54 })
    scene.list(400)
    scene.tick(9.1)
    t.equal(band().low, yuan(9), 'it has been said once: what is left is the limit of the day')
    scene.later(policy.limits.holdingsLagMs)
    t.strictSame(submits(judge(scene)), [], `${name} it is judged, above the stop`)
    t.equal(band().low, yuan(9.25) + 1, `${name}: the next fall to the stop is looked at`)
    t.match(submits(scene.tick(9.25)), [{ order: { strategy: 'stop_loss' } }])
  }
})

t.test(
  'F215 a fill that no list ever shows keeps a stop back for its lag, not for ever',
  async (t) => {
    const scene = new Scene(true, undefined, [])
    const { bench } = scene
    bench.place({ side: 'buy', priceType: 11, price: yuan(10) })
    scene.report({ orderId: '7001', status: 50 })
    scene.fill(100)
    scene.report({ status: 56, filledQuantity: shares(100) })
    t.strictSame(submits(scene.tick(9.2)), [], 'what is held is not known yet')
    scene.later(policy.limits.holdingsLagMs)
    const sent = submits(scene.list(1_000))
    t.match(sent, [{ order: { strategy: 'stop_loss', quantity: 1_000 } }], 'without a tick')
  },
)

t.test('what it has filled by then is not sold again', async (t) => {
  const scene = Scene.resting()
  scene.fill(200)
  scene.tick(9.2)
  t.equal(scene.last.status, 'pendingCancel')
  scene.fill(100)
  scene.report({ status: 53, filledQuantity: shares(300) })
  t.strictSame(scene.signals, ['take_profit_half'])
  scene.later(policy.limits.holdingsLagMs)
  t.match(submits(scene.list(700, 700)), [{ order: { strategy: 'stop_loss', quantity: 700 } }])
})

t.test(
  'it fills meanwhile, or the cancel is refused: no second sale of the same shares',
  async (t) => {
    const filled = Scene.resting()
    filled.tick(9.2)
    filled.fill(600)
    filled.report({ status: 56, filledQuantity: shares(600) })
    t.equal(filled.last.status, 'filled')
    t.strictSame(filled.signals, ['take_profit_half'])
    t.match(submits(filled.list(400, 400)), [{ order: { strategy: 'stop_loss', quantity: 400 } }])

    const refused = Scene.resting()
    const { bench } = refused
    let asked = cancels(refused.tick(9.2))
    for (let i = 0; i < 20; i++) {
      for (const { callId } of asked) {
        const result = { ok: false, error: { kind: 'refused', message: 'no' } } as const
        bench.input(said({ kind: 'cancelAnswered', callId, result } as never))
      }
      refused.later(policy.limits.cancelRetryIntervalMs)
      const effects = [...bench.input(timer('cancels'))]
      const { clientOrderId, orderId, side, quantity, createdMs } = refused.orders[0] as OrderRecord
      const row = brokerOrder({ clientOrderId, orderId, side, quantity, timeMs: createdMs })
      effects.push(...bench.answerQueries(commands(effects), { orders: [row], positions: [] }))
      effects.push(...refused.tick(9.1))
      asked = cancels(effects)
    }
    t.strictSame(refused.signals, ['take_profit_half'], 'the take-profit works on, alone')
  },
)

t.test(
  'only a sale of a signal that the broker has taken, and only when the stop may go',
  async (t) => {
    const early = new Scene(true)
    t.strictSame(cancels(early.tick(9.2)), [], 'not one that is not taken yet')
    t.match(cancels(early.accept()), [{}], 'but as soon as it is, without a tick')

    const doubtful = new Scene(true)
    const [call] = doubtful.bench.state.calls.keys()
    doubtful.bench.input({ kind: 'callTimedOut', callId: call ?? 0 })
    t.strictSame(cancels(doubtful.tick(9.2)), [], 'not one in doubt')

    const stopped = Scene.resting()
    set(stopped.bench, 'all')
    t.strictSame(cancels(stopped.tick(9.2)), [], 'not while no sale may leave')

    const kept = Scene.resting()
    kept.allowSales(false)
    t.strictSame(cancels(kept.tick(9.2)), [], 'nor while sales are not allowed')
    t.match(cancels(kept.allowSales(true)), [{}], 'but with the switch')

    const byHand = Scene.resting()
    byHand.bench.place({ side: 'buy', priceType: 11, price: yuan(9) })
    t.strictSame(
      cancels(byHand.tick(9.2)),
      [],
      'not when another order would keep the stop back anyway',
    )

    const above = Scene.resting()
    t.strictSame(cancels(above.tick(9.26)), [], 'not above the stop')
  },
)

t.test('a stop that no rule lets pass yet is looked at with every tick, not once', async (t) => {
  const scene = Scene.resting()
  const { bench } = scene
  const band = () => accountBand(bench.state, BANK, { ...bench.turn().inputs, floor: 0 })
  set(bench, 'all')
  for (const price of [9.2, 9.15, 9.15, 9.1]) {
    t.strictSame(cancels(scene.tick(price)), [])
    t.ok(band().low > yuan(price), `what comes after ${price} is looked at, whatever it is`)
  }
})

t.test('a restart between cancel and end sends the stop once, and no rest', async (t) => {
  const scene = Scene.resting()
  scene.tick(9.2)
  const { clientOrderId, orderId, side, quantity, createdMs } = scene.last
  const again = new Scene(true, reborn(scene.bench))
  const stopProfit = { ...policy.stopProfit, isTakeProfitReplaced: true }
  Object.assign(again.bench.state, { policy: { ...scene.bench.state.policy, stopProfit } })
  again.bench.quotes.set(BANK, at(9.2, again.bench.nowMs))
  const row = { clientOrderId, orderId, side, quantity, timeMs: createdMs }
  started(again.bench, {
    orders: [brokerOrder({ ...row, status: 50 })],
    positions: [brokerPosition({ ...HELD, sellable: shares(400) })],
  })
  t.strictSame(again.signals, ['take_profit_half'])
  const look = again.bench.input(timer('cancels'))
  const asked = again.bench.answerQueries(commands(look), { orders: [brokerOrder(row)] })
  t.match(cancels(asked), [{ orderId: '7001' }], 'it is canceled again')
  again.report({ status: 54 })
  t.strictSame(again.signals, ['take_profit_half'])
})

t.test('a take-profit that was canceled for its age gives way too', async (t) => {
  const scene = Scene.resting()
  scene.tick(10.5)
  scene.ring()
  t.match(scene.last, { status: 'pendingCancel', isReorderWanted: true })
  scene.tick(9.2)
  scene.report({ status: 54 })
  t.strictSame(scene.signals, ['take_profit_half'], 'no rest of it is sent')
  scene.list(1_000)
  t.strictSame(scene.signals, ['take_profit_half', 'stop_loss'])
})

t.test(
  'off too, a take-profit that is not sent again keeps no stop back beyond its time',
  async (t) => {
    const scene = Scene.resting(false)
    for (let sent = 1; sent <= 3; sent++) {
      scene.ring()
      scene.bench.quotes.set(BANK, at(10.64 - sent / 100, scene.bench.nowMs))
      scene.report({ status: 54 })
      scene.list(1_000)
      scene.accept()
      scene.list(400)
    }
    t.equal(scene.orders.length, 4)
    scene.tick(10.55)
    scene.ring()
    t.match(scene.last, { status: 'accepted', keptFor: 'used_up' })
    const told = scene.rows().filter(({ message }) => message.includes('重报次数已用完'))
    t.equal(told.length, 1, 'the trace says so, once')
    scene.tick(9.2)
    t.match(cancels(scene.ring()), [{}], 'a stop waits: at its next look it ends')
    scene.report({ status: 54 })
    scene.list(1_000)
    t.match(scene.last, { signalType: 'stop_loss', quantity: 1_000 })
  },
)

t.test('F322 in the closing auction no take-profit is canceled for a stop', async (t) => {
  const scene = Scene.resting()
  scene.later(Date.parse('2026-08-11T14:57:00+08:00') - scene.bench.nowMs)
  t.strictSame(cancels(scene.tick(9.2)), [], 'the exchange takes no cancel')
})
