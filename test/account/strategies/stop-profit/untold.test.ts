import t from 'tap'
import type { Quantity } from '../../../../src/domain/money.ts'
import type { BrokerOrder, OrderRecord } from '../../../../src/domain/order.ts'
import { BANK, brokerOrder, yuan } from '../../fixture.ts'
import { count, gone, said, started } from '../../play.ts'
import { Holder, holding } from './holder.ts'

const DAY_MS = 86_400_000
const shares = (number: number) => number as Quantity

/** A first take-profit of 600 of 1,000 shares, of whose fills no deal ever tells. */
class Untold extends Holder {
  constructor() {
    super()
    this.ticks(10.61, 10.7, 10.64)
    this.report({ orderId: '7001', status: 50, price: yuan(10.64) })
    this.sellable = 400
    this.list()
  }
  get order(): OrderRecord {
    const [order] = this.bench.state.orders.values()
    if (order === undefined) throw new Error('no order')
    return order
  }
  row(row: Partial<BrokerOrder>): BrokerOrder {
    const { clientOrderId, orderId, side, quantity, price, createdMs } = this.order
    const own = { clientOrderId, orderId, side, quantity, price, timeMs: createdMs }
    return brokerOrder({ ...own, ...row })
  }
  report(row: Partial<BrokerOrder>): void {
    this.bench.input(said({ kind: 'orderPushed', order: this.row(row) }))
  }
  shows(left: number): void {
    this.sellable = left
    this.quantity = left
    this.later(6_000).list()
  }
  /** The client is gone until the next morning, and lists nothing of the day before then. */
  night(): void {
    this.bench.input(gone)
    this.later(DAY_MS)
    this.bench.input({ kind: 'dayOpened', day: '2026-08-12' })
    started(this.bench, { positions: [holding(this.sellable)] })
    this.later(6_000).list()
  }
}

t.test('fills of the day before that no deal told of keep no stop back', async (t) => {
  const ENDS = {
    'canceled with a part': { status: 53, filledQuantity: shares(300) },
    'filled, and its end never seen': { status: 56, filledQuantity: shares(600) },
  } as const
  for (const [name, end] of Object.entries(ENDS)) {
    const held = new Untold()
    held.report(end)
    const left = 1_000 - end.filledQuantity
    held.shows(left)
    held.ticks(9.2)
    t.strictSame(held.sent, ['auto_partial 600'], `${name}: waited for on its day`)
    held.night()
    held.ticks(9.6, 9.2)
    t.strictSame(held.sent, ['auto_partial 600', `stop_loss ${left}`], name)
    t.equal(count(held.bench, 'orderWarned'), 1, `${name}: a person is told, once`)
    const position = held.bench.state.positions.get(BANK)
    t.equal(position?.profitTriggered, true, `${name}: it counts as the first take-profit`)
  }
})

t.test('what is listed of it all night is told once', async (t) => {
  const held = new Untold()
  held.report({ status: 53, filledQuantity: shares(300) })
  held.shows(700)
  held.later(DAY_MS)
  held.bench.input({ kind: 'dayOpened', day: '2026-08-12' })
  const before = held.bench.journal.length
  for (let look = 0; look < 5; look++) {
    held.later(10_000).report({ status: 53, filledQuantity: shares(300) })
  }
  t.equal(held.bench.journal.length, before)
  t.equal(held.bench.state.tracked.size, 0)
})
