import t from 'tap'
import { nextEvaluationMs } from '../../../../src/account/strategies/run.ts'
import type { BrokerOrder } from '../../../../src/domain/order.ts'
import { brokerOrder, policy, yuan } from '../../fixture.ts'
import { said } from '../../play.ts'
import { Holder } from './holder.ts'

/** A first take-profit that was canceled for its age, while a sale by hand is in doubt: its rest waits for that. */
class Waiting extends Holder {
  constructor() {
    super()
    this.ticks(10.61, 10.7, 10.64)
    this.report({ orderId: '7001', status: 50, price: yuan(10.64) })
    this.sellable = 400
    this.list()
    this.sell(1, 100)
    this.doubt()
    this.later(policy.pending.timeoutMs).ticks(10.6)
    this.report({ status: 54 })
    this.sellable = 1_000
    this.list()
  }
  /** At the time that the account has asked for, without a tick. */
  wake(): this {
    const { state, nowMs } = this.bench
    const atMs = nextEvaluationMs(state, nowMs)
    this.later(atMs - nowMs)
    this.bench.input({ kind: 'alarm' })
    return this
  }
  report(row: Partial<BrokerOrder>): void {
    const [order] = this.bench.state.orders.values()
    if (order === undefined) throw new Error('no order')
    const { clientOrderId, orderId, side, quantity, price, createdMs } = order
    const own = { clientOrderId, orderId, side, quantity, price, timeMs: createdMs }
    this.bench.input(said({ kind: 'orderPushed', order: brokerOrder({ ...own, ...row }) }))
  }
}

t.test('a rest that waits beside a doubt keeps no stop back', async (t) => {
  const held = new Waiting()
  t.strictSame(held.sent, ['auto_partial 600', 'manual 100'], 'it waits')
  held.ticks(9.25)
  const { nowMs } = held.bench
  held.wake()
  t.equal(held.bench.nowMs - nowMs, policy.pending.retryIntervalMs, 'no tick need come')
  t.equal(held.sent.at(-1), 'stop_loss 900', 'all but what is in doubt')
  held.ticks(9.23, 9.2)
  t.equal(held.sent.length, 3, 'once')
})
