import t from 'tap'
import type { Effect } from '../../../../src/account/turn/turn.ts'
import type { Quantity } from '../../../../src/domain/money.ts'
import { BANK, brokerOrder, brokerPosition, commands, policy, yuan } from '../../fixture.ts'
import { said, timer } from '../../play.ts'
import { canceled, DIP, gridOn, only, RISE, Scene, sent } from '../grid/scene.ts'

const SETTINGS = {
  ...gridOn.settings,
  ENABLE_AUTO_TRADING: true,
  ENABLE_STOP_LOSS_BUY: false,
  INITIAL_TAKE_PROFIT_RATIO: 0.2,
}
const at = (time: string): number => Date.parse(`2026-08-11T${time}+08:00`)
const MORNING = at('10:30:00')
/** An order that these seconds lead to rests when the closing auction begins. */
const LATE = at('14:56:30')

/** 1,000 shares that cost 10; an order of a grid rests. */
class Stuck extends Scene {
  readonly order
  readonly number: string

  constructor(fromMs: number, prices: readonly number[]) {
    super({ ...gridOn, settings: SETTINGS })
    this.wallMs += fromMs - this.nowMs
    this.nowMs = fromMs
    this.price(10)
    this.start()
    this.order = only(this, prices)
    this.number = this.take(this.order)
    this.list(this.order.side === 'sell' ? 1_000 - this.order.quantity : 1_000)
  }
  /** A list of the holdings that was asked for now. */
  list(sellable: number): readonly Effect[] {
    const asked = this.input(timer('poll'))
    const positions = [brokerPosition({ costPrice: yuan(10), sellable: sellable as Quantity })]
    return [...asked, ...this.answerQueries(commands(asked), { positions })]
  }
  /** What is sent and canceled at this price. */
  at(value: number, nowMs = this.nowMs + 3_000): readonly Effect[] {
    this.wallMs += nowMs - this.nowMs
    this.nowMs = nowMs
    this.price(value)
    return this.input({ kind: 'quotes', crossed: [BANK] })
  }
  /** The broker takes no cancel of it, as often as it is asked, and lists it as working. What follows. */
  refuseCancels(): readonly Effect[] {
    const effects: Effect[] = []
    const { clientOrderId, side, quantity } = this.order
    const row = { clientOrderId, orderId: this.number, side, quantity, strategy: 'grid' }
    const orders = [brokerOrder({ ...row, status: 50, timeMs: this.nowMs })]
    const error = { code: 'FAILED', message: '撤单失败' } as const
    const refusal = { orderId: this.number, result: { ok: false, error } } as const
    for (let calls = callsOf(this); calls.length > 0; calls = callsOf(this)) {
      for (const callId of calls) {
        effects.push(...this.input(said({ kind: 'cancelAnswered', callId, ...refusal })))
      }
      this.nowMs += policy.limits.cancelRetryIntervalMs
      this.wallMs += policy.limits.cancelRetryIntervalMs
      const asked = this.input(timer('cancels'))
      effects.push(...asked, ...this.answerQueries(commands(asked), { orders }))
    }
    return effects
  }
}

const callsOf = ({ state }: Stuck): readonly number[] =>
  [...state.calls].flatMap(([callId, { kind }]) => (kind === 'cancel' ? [callId] : []))

t.test('F322 in the closing auction a stop goes beside the orders of a grid', async (t) => {
  const sale = new Stuck(LATE, RISE)
  const beside = sale.at(9.2, at('14:57:20'))
  t.strictSame(canceled(beside), [], 'the exchange takes no cancel')
  t.match(sent(beside), [{ strategy: 'stop_loss', quantity: 1_000 - sale.order.quantity }])
  t.strictSame(sent(sale.at(9.1)), [], 'once')

  const purchase = new Stuck(LATE, DIP)
  const whole = purchase.at(9.2, at('14:57:20'))
  t.strictSame(canceled(whole), [])
  t.match(sent(whole), [{ strategy: 'stop_loss', quantity: 1_000 }])

  const before = new Stuck(LATE, RISE)
  t.strictSame(canceled(before.at(9.2, at('14:56:59'))), [before.number], 'withdrawn as ever')
})

t.test('F322 so it does when the broker cancels them as little as it was asked to', async (t) => {
  const scene = new Stuck(MORNING, DIP)
  t.strictSame(canceled(scene.at(9.2)), [scene.number])
  t.strictSame(sent(scene.at(9.19)), [], 'first it is waited for')
  const after = scene.refuseCancels()
  t.ok(scene.state.cancelsGivenUp.has(scene.order.clientOrderId))
  t.equal(canceled(after).length, policy.limits.cancelRetriesMax - 1, 'asked as often as allowed')
  t.match(sent(after), [{ strategy: 'stop_loss', quantity: 1_000 }], 'without another tick')
})
