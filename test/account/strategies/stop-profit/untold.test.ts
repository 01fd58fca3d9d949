import t from 'tap'
import type { Quantity } from '../../../../src/domain/money.ts'
import type { BrokerOrder, OrderRecord } from '../../../../src/domain/order.ts'
import { BANK, type Bench, brokerDeal, brokerOrder, yuan } from '../../fixture.ts'
import { count, gone, said, started } from '../../play.ts'
import { nextLife } from '../../reloaded.ts'
import { Holder, holding } from './holder.ts'

const DAY_MS = 86_400_000
const shares = (number: number) => number as Quantity

/** A first take-profit of 600 of 1,000 shares, of whose fills no deal ever tells. */
class Untold extends Holder {
  constructor(next?: Bench) {
    super({}, next)
    if (next !== undefined) return
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

/** An afternoon in which nobody listens, and the next morning: what the client lists then, and lists before that. */
function morning(held: Untold, left: number, ...before: readonly number[]): void {
  held.bench.input(gone)
  held.later(DAY_MS)
  held.bench.input({ kind: 'dayOpened', day: '2026-08-12' })
  const [first = left] = before
  started(held.bench, { positions: [holding(first)] })
  for (const shown of [...before.slice(1), left]) held.shows(shown)
}
const PRICES = [10.61, 10.7, 10.64, 10.6, 10.5] as const

t.test(
  'F794 a first take-profit that was filled while nobody looked is not sold again',
  async (t) => {
    for (const isRestarted of [false, true]) {
      const held = new Untold()
      const next = isRestarted ? new Untold(await nextLife(held.bench)) : held
      morning(next, 400)
      next.ticks(...PRICES)
      t.strictSame(next.sent, ['auto_partial 600'])
      t.match(next.bench.state.positions.get(BANK), { quantity: 400, profitTriggered: true })
      t.equal(count(next.bench, 'orderTakenForFilled'), 1)
      t.equal(count(next.bench, 'orderWarned'), 1, 'a person is told')
      t.match(next.order, { status: 'expired', isSettled: true })
      t.equal(next.bench.state.tracked.size, 0)
      const again = new Untold(await nextLife(next.bench))
      started(again.bench, { positions: [holding(400)] })
      t.equal(count(again.bench, 'orderWarned'), 1, 'once')
      // What rests for stops goes on.
      next.ticks(9.6, 9.2)
      t.equal(next.sent.at(-1), 'stop_loss 400')
    }
  },
)

t.test('F794 one that rested in vain on a day before is no other sale', async (t) => {
  const held = new Untold()
  morning(held, 1_000)
  held.ticks(...PRICES)
  t.strictSame(held.sent, ['auto_partial 600', 'auto_partial 600'])
  const { clientOrderId, createdMs } = [...held.bench.state.orders.values()].at(-1) ?? held.order
  const row = held.row({ clientOrderId, orderId: '7002', timeMs: createdMs, status: 50 })
  held.bench.input(said({ kind: 'orderPushed', order: row }))
  held.bench.input(gone)
  held.later(DAY_MS)
  held.bench.input({ kind: 'dayOpened', day: '2026-08-13' })
  started(held.bench, { positions: [holding(400)] })
  t.match(held.bench.state.positions.get(BANK), { quantity: 400, profitTriggered: true })
})

t.test('F794 nothing is taken for its fill that may be another sale', async (t) => {
  const resting = () => new Untold().ticks(10) as Untold
  const untaken = (held: Untold, why: string) => {
    t.equal(count(held.bench, 'orderTakenForFilled'), 0, why)
    t.equal(held.bench.state.positions.get(BANK)?.quantity, why === 'other shares' ? 500 : 400)
  }
  const part = resting()
  morning(part, 500)
  untaken(part, 'other shares')

  const shown = resting()
  morning(shown, 400, 1_000)
  untaken(shown, 'a list of the day had all of them')

  const before = resting()
  morning(before, 1_000)
  const next = new Untold(await nextLife(before.bench))
  started(next.bench, { positions: [holding(400)] })
  untaken(next, 'a list of the life before had all of them')

  const canceled = resting()
  canceled.report({ status: 54 })
  morning(canceled, 400)
  untaken(canceled, 'it had ended')

  const beside = resting()
  beside.sell(5, 400)
  morning(beside, 400)
  untaken(beside, 'another sale was open')

  const sold = resting()
  sold.bench.input(gone)
  sold.later(DAY_MS)
  sold.bench.input({ kind: 'dayOpened', day: '2026-08-12' })
  const own = { clientOrderId: '', orderId: '9', side: 'sell', quantity: shares(600) } as const
  const deals = [brokerDeal({ ...own, timeMs: sold.bench.nowMs })]
  started(sold.bench, { positions: [holding(400)], deals })
  sold.shows(400)
  untaken(sold, 'somebody has sold as many today')

  const known = resting()
  const request = {
    kind: 'updateHolding',
    code: BANK,
    profitTriggered: true,
    source: 'test',
  } as const
  known.bench.input({ kind: 'request', ref: 1, request })
  morning(known, 400)
  untaken(known, 'it counts as taken')
})
