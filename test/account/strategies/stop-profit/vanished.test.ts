import t from 'tap'
import type { Quantity } from '../../../../src/domain/money.ts'
import type { BrokerOrder, OrderRecord } from '../../../../src/domain/order.ts'
import { BANK, brokerOrder, commands, policy } from '../../fixture.ts'
import { accepted, barred, barrierIn, said, timer } from '../../play.ts'
import { Holder, holding } from './holder.ts'

const { doubtSettleMs } = policy.limits
const OTHER = brokerOrder({ orderId: '900', clientOrderId: '', code: '000001.SZ' as never })

/** Nothing is canceled for its age. */
const PATIENT = { isAutoCancel: false } as const
const ours = ({ sent }: Holder) => sent.filter((one) => !one.startsWith('external'))

/** A holder whose client lists what it lists. */
class Lister extends Holder {
  orders: readonly BrokerOrder[] = [OTHER]

  get last(): OrderRecord {
    const order = [...this.bench.state.orders.values()].findLast(({ code }) => code === BANK)
    if (order === undefined) throw new Error('no order')
    return order
  }
  /** The newest order is open under a number, and its shares are frozen. */
  open(orderId: string): this {
    const { bench, last } = this
    const call = [...bench.state.calls].findLast(([, { kind }]) => kind === 'submit')
    bench.input(accepted(call?.[0] ?? 0, orderId, last.clientOrderId))
    const { clientOrderId, quantity } = last
    const row = brokerOrder({ orderId, clientOrderId, quantity, side: 'sell', timeMs: bench.nowMs })
    this.orders = [OTHER, row]
    this.sellable -= quantity
    return this.later(doubtSettleMs).report('reconcile').later(doubtSettleMs)
  }
  report(name: 'reconcile' | 'doubt'): this {
    const { bench } = this
    const rows = { orders: this.orders, positions: [holding(this.sellable, this.quantity)] }
    const effects = bench.input(timer(name))
    bench.answerQueries(commands(effects), rows)
    const barrier = barrierIn(effects)
    if (barrier === undefined) return this
    bench.answerQueries(commands(bench.input(barred(barrier))), rows)
    return this
  }
  /** Its list shows the order no more, for so many looks. */
  vanish(looks: number): this {
    this.orders = [OTHER]
    this.report('reconcile')
    for (let i = 0; i < looks; i++) this.later(doubtSettleMs).report('doubt').list()
    return this
  }
}

const shown = ({ last }: Lister): Partial<BrokerOrder> => ({
  orderId: '1001',
  clientOrderId: last.clientOrderId,
  side: 'sell',
  quantity: 1_000 as Quantity,
})

t.test(
  'a sale that left the list keeps no stop back: it sells what the client lets go',
  async (t) => {
    const lister = new Lister()
    lister.sell(1, 300)
    lister.open('1001').vanish(4)
    t.match(lister.last, { status: 'inDoubt', isQuarantined: true }, 'its shares are still frozen')
    lister.ticks(9.25)
    t.strictSame(ours(lister), ['manual 300', 'stop_loss 700'])
  },
)

t.test(
  'a stop takes all that the client lets go while a lost sale is still looked for',
  async (t) => {
    const lister = new Lister(PATIENT)
    lister.sell(1, 300)
    lister.open('1001')
    lister.sellable = 1_000
    lister.vanish(1)
    t.match(lister.last, { status: 'inDoubt', isQuarantined: undefined })
    lister.ticks(9.25)
    t.strictSame(ours(lister), ['manual 300', 'stop_loss 1000'])
  },
)

t.test('a stop that was canceled behind our back is sold by another one, whole', async (t) => {
  const lister = new Lister(PATIENT)
  lister.ticks(9.25)
  lister.open('1001')
  lister.sellable = 1_000
  lister.vanish(4).ticks(9.2)
  t.strictSame(ours(lister), ['stop_loss 1000', 'stop_loss 1000'])
})

t.test('a stop that leaves the list while it is being canceled is wanted again too', async (t) => {
  const lister = new Lister({ stopLossTimeoutMs: 25_000 })
  lister.ticks(9.25)
  lister.open('1001').ticks(9.2, 9.2)
  t.match(lister.last, { status: 'pendingCancel', isReorderWanted: true })
  lister.sellable = 1_000
  lister.later(doubtSettleMs)
  lister.vanish(4).ticks(9.2)
  t.strictSame(ours(lister), ['stop_loss 1000', 'stop_loss 1000'])
  t.match(lister.last, { chain: { attempt: 0 } }, 'not as the rest of an order that may live')
})

t.test('a stop that lives on unlisted is not sold a second time', async (t) => {
  const lister = new Lister(PATIENT)
  lister.ticks(9.25)
  lister.open('1001').vanish(4).ticks(9.2, 9.1)
  t.strictSame(ours(lister), ['stop_loss 1000'])
  lister.bench.input(said({ kind: 'orderPushed', order: { ...brokerOrder(), ...shown(lister) } }))
  t.match(lister.last, { status: 'accepted', orderId: '1001' })
})

t.test('a stop whose client renumbered it is one order', async (t) => {
  const lister = new Lister(PATIENT)
  lister.ticks(9.25)
  lister.open('1001')
  lister.orders = lister.orders.map((row) =>
    row.orderId === '1001' ? { ...row, orderId: '2001' } : row,
  )
  lister.report('reconcile').later(doubtSettleMs).report('doubt').ticks(9.2)
  t.match(lister.last, { status: 'accepted', orderId: '2001' })
  t.strictSame(ours(lister), ['stop_loss 1000'])
})
