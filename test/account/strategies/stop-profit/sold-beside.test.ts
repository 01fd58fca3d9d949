import t from 'tap'
import type { Quantity } from '../../../../src/domain/money.ts'
import type { BrokerOrder } from '../../../../src/domain/order.ts'
import { brokerDeal, brokerOrder, policy, yuan } from '../../fixture.ts'
import { said } from '../../play.ts'
import { Holder } from './holder.ts'

/** A stop of 1,000 shares that was canceled for its age; a list shows so many of them. */
class Canceled extends Holder {
  constructor() {
    super()
    this.ticks(9.2)
    this.report({ orderId: '7001', status: 50, price: yuan(9.2) })
    this.sellable = 0
    this.list()
    this.later(policy.pending.stopLossTimeoutMs).ticks(9.1)
    this.report({ status: 54 })
  }
  report(row: Partial<BrokerOrder>): void {
    const [order] = this.bench.state.orders.values()
    if (order === undefined) throw new Error('no order')
    const { clientOrderId, orderId, side, quantity, price, createdMs } = order
    const own = { clientOrderId, orderId, side, quantity, price, timeMs: createdMs }
    this.bench.input(said({ kind: 'orderPushed', order: brokerOrder({ ...own, ...row }) }))
  }
  /** A person sells of it at the terminal. */
  soldBeside(shares: number): void {
    const quantity = shares as Quantity
    const sale = { clientOrderId: '', orderId: '9001', side: 'sell', quantity } as const
    const row = { ...sale, timeMs: this.bench.nowMs, price: yuan(9.1) }
    this.bench.input(said({ kind: 'orderPushed', order: brokerOrder({ ...row, status: 50 }) }))
    this.bench.input(said({ kind: 'dealPushed', deal: brokerDeal({ ...row, dealId: 'd9' }) }))
    this.quantity -= shares
  }
  shows(sellable: number): void {
    this.sellable = sellable
    this.ticks(9.1).list()
  }
}

t.test('a stop of which a person has sold a part goes on with what is left, soon', async (t) => {
  const held = new Canceled()
  held.soldBeside(300)
  t.strictSame(held.sent, ['stop_loss 1000', 'external 300'])
  for (let ms = 0; ms <= 2 * policy.limits.holdingsLagMs; ms += 3_000) held.shows(700)
  t.strictSame(held.sent, ['stop_loss 1000', 'external 300', 'reorder_stop_loss 700'])
})

t.test('what a list that may be behind shows as free is not all there is', async (t) => {
  const held = new Canceled()
  held.shows(400)
  t.strictSame(held.sent, ['stop_loss 1000'], 'within its lag')
  held.shows(1_000)
  t.strictSame(held.sent, ['stop_loss 1000', 'reorder_stop_loss 1000'])
})
