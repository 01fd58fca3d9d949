import t from 'tap'
import type { StockCode } from '../../../../src/domain/instrument.ts'
import type { Quantity } from '../../../../src/domain/money.ts'
import type { BrokerOrder, OrderRecord } from '../../../../src/domain/order.ts'
import { BANK, brokerDeal, brokerOrder, commands, keyOf, quote, yuan } from '../../fixture.ts'
import { accepted, count, doubtPoll, gone, reborn, said, started, timer } from '../../play.ts'
import { Holder, holding } from './holder.ts'

const DAY_MS = 86_400_000
const OTHER = '000001.SZ' as StockCode
const shares = (number: number) => number as Quantity

/** A first take-profit of 600 of 1,000 shares is sent; then lists of orders and deals are empty, beside right holdings. */
class Unlisted extends Holder {
  /** Whether its call is answered with a number. */
  constructor(isAnswered: boolean) {
    super()
    this.ticks(10.61, 10.7, 10.64)
    const call = [...this.bench.state.calls].findLast(([, { kind }]) => kind === 'submit')
    if (!isAnswered) {
      this.bench.input({ kind: 'callTimedOut', callId: call?.[0] ?? 0 })
      return
    }
    this.bench.input(accepted(call?.[0] ?? 0, '7001', this.order.clientOrderId))
    this.tell({ status: 50 })
  }
  get order(): OrderRecord {
    const [order] = this.bench.state.orders.values()
    if (order === undefined) throw new Error('no order')
    return order
  }
  row(row: Partial<BrokerOrder>): BrokerOrder {
    const { clientOrderId, side, quantity, createdMs } = this.order
    const own = { clientOrderId, orderId: '7001', side, quantity, price: yuan(10.64) }
    return brokerOrder({ ...own, timeMs: createdMs, ...row })
  }
  tell(row: Partial<BrokerOrder>): void {
    this.bench.input(said({ kind: 'orderPushed', order: this.row(row) }))
  }
  /** So many shares are left, and free. */
  shows(left: number): this {
    this.sellable = left
    this.quantity = left
    return this
  }
  /** Minutes of lists without any order or deal. */
  empty(minutes: number): this {
    const rows = { positions: [holding(this.sellable, this.quantity)] }
    for (let step = 0; step < minutes * 12; step++) {
      this.later(5_000).list()
      const { bench } = this
      if (step % 6 === 0) bench.answerQueries(commands(bench.input(timer('reconcile'))), rows)
      doubtPoll(bench, rows)
      bench.input({ kind: 'alarm' })
    }
    return this
  }
  deal(quantity = 600): void {
    const { clientOrderId } = this.order
    const own = {
      clientOrderId,
      orderId: '7001',
      side: 'sell',
      quantity: shares(quantity),
    } as const
    this.bench.input(said({ kind: 'dealPushed', deal: brokerDeal({ ...own, dealId: 'd1' }) }))
  }
}

/** The client is gone over night, and lists nothing of the day before; a person, or nobody, has said what had become of it. */
function night(held: Unlisted): Unlisted {
  held.bench.input(gone)
  held.later(DAY_MS)
  held.bench.input({ kind: 'dayOpened', day: '2026-08-12' })
  started(held.bench, { positions: [holding(held.sellable)] }, '2026-08-12')
  for (let step = 0; step < 12; step++) {
    held.later(6_000).list()
    doubtPoll(held.bench, { positions: [holding(held.sellable)] })
  }
  return held
}

const taken = ({ bench }: Unlisted) => bench.state.positions.get(BANK)?.profitTriggered

t.test(
  'F917 a first profit that lists lack while shares are gone is not taken twice',
  async (t) => {
    for (const isAnswered of [true, false]) {
      for (const left of [400, 700]) {
        const held = new Unlisted(isAnswered).shows(left).empty(4)
        held.ticks(10.61, 10.7, 10.64)
        t.strictSame(held.sent, ['auto_partial 600'], `${isAnswered} ${left}`)
        held.ticks(9.6, 9.2)
        t.strictSame(held.sent, ['auto_partial 600', `stop_loss ${left}`], 'its stop does not wait')
      }
    }
  },
)

t.test('F917 where nothing is gone it is taken as before', async (t) => {
  for (const isAnswered of [true, false]) {
    const held = new Unlisted(isAnswered).empty(4)
    held.ticks(10.61, 10.7, 10.64)
    t.strictSame(held.sent, ['auto_partial 600', 'auto_partial 600'])
  }
})

t.test('F917 it counts once its deals are told', async (t) => {
  for (const isAnswered of [true, false]) {
    const held = new Unlisted(isAnswered).shows(400).empty(4)
    held.deal()
    t.equal(taken(held), true)
    held.list().ticks(10.61, 10.7, 10.64)
    t.strictSame(held.sent, ['auto_partial 600'])
  }
})

t.test('F917 one of which a part is known counts, and the rest may be sold', async (t) => {
  const held = new Unlisted(true)
  held.deal(200)
  held.shows(800).list()
  held.shows(700).empty(4)
  t.match(held.order, { status: 'expired', filledQuantity: 200 })
  t.equal(taken(held), true)
  held.ticks(10.2)
  t.strictSame(held.sent, ['auto_partial 600', 'auto_full 700'])
})

t.test('F917 what no list has told by the end of the day counts on the next one', async (t) => {
  for (const isAnswered of [true, false]) {
    for (const minutes of [1, 20]) {
      const held = night(new Unlisted(isAnswered).shows(400).empty(minutes))
      t.equal(taken(held), true, `${isAnswered} ${minutes}`)
      t.equal(count(held.bench, 'orderWarned'), 1, 'a person is told')
      held.ticks(10.61, 10.7, 10.64)
      t.strictSame(held.sent, ['auto_partial 600'])
      held.ticks(9.6, 9.2)
      t.strictSame(held.sent, ['auto_partial 600', 'stop_loss 400'])
    }
  }
})

t.test(
  'F917 a person who says that it has ended sets it free, as one that was filled',
  async (t) => {
    const held = new Unlisted(true).shows(400).empty(10)
    const { clientOrderId, isQuarantined, statusMessage } = held.order
    t.equal(isQuarantined, true)
    t.match(statusMessage, '持仓已有变化')
    held.bench.input({
      kind: 'request',
      ref: 9,
      request: { kind: 'resolveDoubt', clientOrderId, orderId: '', source: 'web' },
    })
    t.match(held.order, { status: 'expired' })
    t.equal(taken(held), true)
    t.equal(held.bench.state.tracked.size, 0)
    held.ticks(9.6, 9.2)
    t.strictSame(held.sent, ['auto_partial 600', 'stop_loss 400'])
  },
)

t.test('F917 a sale by somebody else that deals tell of explains what is gone', async (t) => {
  const held = new Unlisted(true).shows(700).empty(2)
  t.equal(held.order.status, 'inDoubt')
  const phone = { clientOrderId: '', orderId: '900', side: 'sell', quantity: shares(300) } as const
  const sold = brokerOrder({ ...phone, status: 56, timeMs: held.bench.nowMs })
  held.bench.input(said({ kind: 'orderPushed', order: sold }))
  held.bench.input(said({ kind: 'dealPushed', deal: brokerDeal({ ...phone, dealId: 'd9' }) }))
  held.empty(2)
  t.equal(held.order.status, 'expired')
  held.ticks(10.61, 10.7, 10.64)
  t.strictSame(held.sent, ['auto_partial 600', 'external 300', 'auto_partial 400'])
})

t.test("F917 nor does a person's order count as one that never arrived", async (t) => {
  const person = new Holder()
  person.sell(1, 300)
  person.doubt()
  const rows = { positions: [holding(700)] }
  for (let step = 0; step < 12; step++) {
    person.later(5_000)
    doubtPoll(person.bench, rows)
  }
  const [order] = person.bench.state.orders.values()
  t.match(order, { status: 'inDoubt', isQuarantined: undefined })
})

t.test('F917 also where the service is started anew meanwhile', async (t) => {
  for (const isAnswered of [true, false]) {
    for (const minutes of [2, 10]) {
      const held = new Unlisted(isAnswered).shows(400).empty(minutes)
      const next = reborn(held.bench)
      const rows = { positions: [holding(400)] }
      started(next, rows)
      for (let step = 0; step < 60; step++) {
        next.nowMs += 5_000
        next.wallMs += 5_000
        next.answerQueries(commands(next.input(timer('poll'))), rows)
        doubtPoll(next, rows)
        next.quotes.set(BANK, quote([10.61, 10.7, 10.64][step % 3] ?? 0, next.nowMs))
        next.input({ kind: 'quotes', crossed: [BANK] })
      }
      const orders = [...next.state.orders.values()]
      t.match(orders, [{ strategy: 'auto_partial', status: 'inDoubt' }], `${isAnswered} ${minutes}`)
      t.equal(orders.length, 1)
    }
  }
})

t.test('F917 what no costs are kept for tells of no fill', async (t) => {
  const person = new Holder()
  const code = '204001.SH' as StockCode
  person.bench.place({ code, side: 'buy', quantity: 1_000, requestHash: 'h1', key: keyOf(1) })
  person.doubt()
  const rows = { positions: [holding(1_000), holding(1_000, 1_000, code)] }
  for (let step = 0; step < 12; step++) {
    person.later(5_000)
    doubtPoll(person.bench, rows)
  }
  t.equal([...person.bench.state.orders.values()].at(-1)?.status, 'rejected')
})

t.test('F917 nor does a sale of all by a person, also where lists lack the holding', async (t) => {
  for (const others of [[], [holding(500, 500, OTHER)]]) {
    const person = new Holder()
    person.bench.answerQueries(commands(person.bench.input(timer('poll'))), {
      positions: [holding(1_000), ...others],
    })
    person.sell(1, 1_000)
    person.doubt()
    for (let step = 0; step < 36; step++) {
      person.later(5_000)
      const rows = { positions: others }
      const { bench } = person
      if (step % 6 === 0) bench.answerQueries(commands(bench.input(timer('poll'))), rows)
      doubtPoll(bench, rows)
      bench.input({ kind: 'alarm' })
    }
    t.match([...person.bench.state.orders.values()], [{ status: 'inDoubt' }], `${others.length}`)
  }
})

t.test('F917 a purchase that no list had shown as a life ended is no fill of it', async (t) => {
  const held = new Unlisted(true)
  const phone = { clientOrderId: '', orderId: '900', side: 'buy', quantity: shares(300) } as const
  const bought = brokerOrder({ ...phone, status: 56, timeMs: held.bench.nowMs })
  held.bench.input(said({ kind: 'orderPushed', order: bought }))
  held.bench.input(said({ kind: 'dealPushed', deal: brokerDeal({ ...phone, dealId: 'd9' }) }))
  const next = reborn(held.bench)
  next.state.shares.clear() // rows of a database have none
  next.nowMs += DAY_MS
  next.wallMs += DAY_MS
  started(next, { positions: [holding(1_300)] }, '2026-08-12')
  t.match([...next.state.orders.values()][0], { strategy: 'auto_partial', status: 'expired' })
  t.equal(next.state.positions.get(BANK)?.profitTriggered, false)
})
