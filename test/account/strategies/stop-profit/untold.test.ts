import t from 'tap'
import { freeShares } from '../../../../src/account/orders/available.ts'
import type { StockCode } from '../../../../src/domain/instrument.ts'
import type { Quantity } from '../../../../src/domain/money.ts'
import type { BrokerOrder, OrderRecord } from '../../../../src/domain/order.ts'
import { BANK, brokerDeal, brokerOrder, commands, policy, quote, yuan } from '../../fixture.ts'
import {
  accepted,
  count,
  gone,
  reborn,
  recovered,
  said,
  settle,
  started,
  timer,
} from '../../play.ts'
import { nextLife } from '../../reloaded.ts'
import { Holder, holding } from './holder.ts'

const DAY_MS = 86_400_000
/** From the morning to an evening. */
const EVENING_MS = 9 * 3_600_000
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

t.test('F795 a first take-profit that is filled while nobody is there counts', async (t) => {
  for (const left of [400, 700]) {
    const held = new Untold()
    held.sellable = left
    held.quantity = left
    held.night()
    t.equal(held.bench.state.positions.get(BANK)?.profitTriggered, true, `${left} are left`)
    t.equal(count(held.bench, 'orderWarned'), 1, 'a person is told')
    held.ticks(10.61, 10.7, 10.64)
    t.strictSame(held.sent, ['auto_partial 600'])
    held.ticks(9.6, 9.2)
    t.strictSame(held.sent, ['auto_partial 600', `stop_loss ${left}`])
    t.equal(held.bench.state.tracked.size, 1)
  }
})

t.test('F795 also where the service was away as well', async (t) => {
  const held = new Untold()
  held.later(DAY_MS)
  const next = reborn(held.bench)
  started(next, { positions: [holding(400)] }, '2026-08-12')
  t.equal(next.state.positions.get(BANK)?.profitTriggered, true)
  t.equal(count(next, 'orderWarned'), 1)
})

t.test('F795 also where nobody had heard that the broker has it', async (t) => {
  const held = new Holder()
  held.ticks(10.61, 10.7, 10.64).doubt()
  held.bench.input(gone)
  held.later(DAY_MS)
  held.bench.input({ kind: 'dayOpened', day: '2026-08-12' })
  held.sellable = 400
  held.quantity = 400
  started(held.bench, { positions: [holding(400)] }, '2026-08-12')
  const held400 = () => held.bench.state.positions.get(BANK)
  t.match(held400(), { quantity: 400, profitTriggered: false }, 'it may still arrive')
  held.later(policy.limits.doubtSettleMs)
  settle(held.bench, { positions: [holding(400)] })
  t.match([...held.bench.state.orders.values()], [{ status: 'expired', day: '2026-08-11' }])
  t.equal(held400()?.profitTriggered, true)
  t.equal(count(held.bench, 'orderWarned'), 1)
  held.ticks(10.61, 10.7, 10.64)
  t.strictSame(held.sent, ['auto_partial 600'])
})

t.test('F829 what is pushed before the first list hides no fill of the day before', async (t) => {
  const held = new Untold()
  held.bench.input(gone)
  held.later(DAY_MS)
  held.bench.input({ kind: 'dayOpened', day: '2026-08-12' })
  held.bench.input(said({ kind: 'positionPushed', position: holding(400) }))
  t.equal(held.bench.state.positions.get(BANK)?.quantity, 1_000, 'the list tells it in a moment')
  held.sellable = 400
  held.quantity = 400
  started(held.bench, { positions: [holding(400)] }, '2026-08-12')
  t.match(held.bench.state.positions.get(BANK), { quantity: 400, profitTriggered: true })
  held.bench.input(said({ kind: 'positionPushed', position: holding(300) }))
  t.equal(held.bench.state.positions.get(BANK)?.quantity, 300, 'news again after that')
  held.ticks(10.61, 10.7, 10.64)
  t.strictSame(held.sent, ['auto_partial 600'])
})

t.test('F834 while no list comes no more is sold than a push says is there', async (t) => {
  const held = new Untold()
  held.sellable = 1_000
  held.list()
  held.bench.input(gone)
  held.later(DAY_MS)
  held.bench.input({ kind: 'dayOpened', day: '2026-08-12' })
  held.bench.input(said({ kind: 'positionPushed', position: holding(100) }))
  t.equal(freeShares(held.bench.state, BANK), 100)
})

t.test('F829 nor is what somebody has sold this morning taken for it', async (t) => {
  const held = new Untold()
  held.bench.input(gone)
  held.later(DAY_MS)
  held.bench.input({ kind: 'dayOpened', day: '2026-08-12' })
  held.bench.input(said({ kind: 'positionPushed', position: holding(700) }))
  const phone = { orderId: '9', dealId: 'd9', clientOrderId: '', side: 'sell' } as const
  const deal = brokerDeal({ ...phone, quantity: shares(300), timeMs: held.bench.nowMs })
  started(held.bench, { deals: [deal], positions: [holding(700)] }, '2026-08-12')
  t.match(held.bench.state.positions.get(BANK), { profitTriggered: false })
})

t.test(
  'F834 nor does a push before the first list of a life tell of another holding',
  async (t) => {
    const held = new Untold()
    held.later(DAY_MS)
    const next = await nextLife(held.bench)
    const [connect] = commands(next.input({ kind: 'started', incarnation: 2, day: '2026-08-12' }))
    next.input(said({ kind: 'positionPushed', position: holding(1_000) }))
    const phone = { orderId: '9', dealId: 'd9', clientOrderId: '', side: 'sell' } as const
    const deal = brokerDeal({ ...phone, quantity: shares(300), timeMs: next.nowMs })
    const result = { ok: true, value: null } as const
    const callId = connect?.callId ?? 0
    const queries = commands(next.input(said({ kind: 'connectAnswered', callId, result })))
    const rows = { deals: [deal], positions: [holding(100)] }
    next.answerQueries(queries, rows)
    next.answerQueries(commands(next.input(timer('poll'))), rows)
    t.match(next.state.positions.get(BANK), { quantity: 100, profitTriggered: true })
  },
)

t.test('F795 also on a weekend, on which lists are empty before another day opens', async (t) => {
  const held = new Untold()
  held.bench.input(gone)
  held.later(4 * DAY_MS) // from a Tuesday: the day of the calendar alone is another one
  held.sellable = 400
  held.quantity = 400
  started(held.bench, { positions: [holding(400)] })
  held.later(6_000).list()
  t.equal(held.bench.state.positions.get(BANK)?.profitTriggered, false, 'deals may still be told')
  held.later(2 * DAY_MS)
  held.bench.input({ kind: 'dayOpened', day: '2026-08-17' })
  t.equal(held.bench.state.positions.get(BANK)?.profitTriggered, true)
})

t.test('F795 what is gone so is no news of prices, and is waited for by no stop', async (t) => {
  const fund = new Holder({}, '510300.SH' as StockCode)
  fund.ticks(10.61, 10.7, 10.64)
  const call = [...fund.bench.state.calls].findLast(([, { kind }]) => kind === 'submit')
  fund.bench.input(accepted(call?.[0] ?? 0, '7001', [...fund.bench.state.orders.keys()][0]))
  fund.bench.input(gone)
  fund.later(DAY_MS)
  fund.bench.input({ kind: 'dayOpened', day: '2026-08-12' })
  started(fund.bench, { positions: [holding(400, 400, fund.code)] }, '2026-08-12')
  t.equal(count(fund.bench, 'exDayFollowed'), 0)
  t.equal(fund.bench.state.positions.get(fund.code)?.profitTriggered, true)
})

t.test('F815 also behind a second start, before which the client has listed nothing', async (t) => {
  const held = new Untold()
  held.later(DAY_MS)
  const second = await nextLife(held.bench)
  second.input({ kind: 'started', incarnation: 2, day: '2026-08-12' })
  const third = await nextLife(second)
  started(third, { positions: [holding(400)] }, '2026-08-12')
  t.equal(third.state.positions.get(BANK)?.profitTriggered, true)
  t.equal(count(third, 'orderWarned'), 1)
})

t.test('F815 but nothing of what is gone once a list of that day has shown it whole', async (t) => {
  const held = new Untold()
  held.later(DAY_MS)
  const second = await nextLife(held.bench)
  started(second, { positions: [holding(1_000)] }, '2026-08-12')
  second.nowMs += 3_600_000
  const third = await nextLife(second)
  started(third, { positions: [holding(700)] }, '2026-08-12')
  t.equal(third.state.positions.get(BANK)?.quantity, 700)
  t.equal(third.state.positions.get(BANK)?.profitTriggered, false, 'somebody has sold it since')
})

t.test('F830 beside another sale it counts with what that one cannot have had', async (t) => {
  for (const [left, part] of [
    [400, 400],
    [200, 600],
    [700, 100],
  ] as const) {
    const held = new Untold()
    held.sell(9, 200)
    held.sellable = left
    held.quantity = left
    held.night()
    t.equal(held.bench.state.positions.get(BANK)?.profitTriggered, true, `${left} are left`)
    t.match(
      held.bench.journal.filter(({ event }) => event.kind === 'orderTakenForFilled'),
      [{ event: { quantity: part } }],
    )
    held.ticks(10.61, 10.7, 10.64)
    t.equal(held.sent[0], 'auto_partial 600')
    t.notOk(
      held.sent.slice(1).some((sent) => sent.startsWith('auto_partial')),
      'once',
    )
  }
})

t.test('F795 what cannot be its fills takes no profit', async (t) => {
  const away = (left: number, sell = false) => {
    const held = new Untold()
    if (sell) held.sell(9, 200)
    held.sellable = left
    held.quantity = left
    held.night()
    return held.bench.state.positions.get(BANK)?.profitTriggered
  }
  t.equal(away(1_000), false, 'nothing is gone')
  t.equal(away(300), false, 'more is gone than it was of')
  t.equal(away(800, true), false, 'another sale may have had it')
  const later = new Untold().later(DAY_MS)
  const next = reborn(later.bench)
  const phone = { orderId: '9', dealId: 'd9', clientOrderId: '', side: 'sell' } as const
  const deal = brokerDeal({ ...phone, quantity: shares(300), timeMs: next.nowMs })
  const rows = { deals: [deal], positions: [holding(700)] }
  started(next, rows, '2026-08-12')
  next.answerQueries(commands(next.input(timer('poll'))), rows)
  t.equal(next.state.positions.get(BANK)?.quantity, 700)
  t.equal(next.state.positions.get(BANK)?.profitTriggered, false, 'it was sold this morning')
  const held = new Untold()
  held.sellable = 1_000
  held.night()
  held.shows(800)
  t.equal(held.bench.state.positions.get(BANK)?.profitTriggered, false, 'somebody has sold later')
})

t.test('F820 also where the service starts again before another day opens', async (t) => {
  const held = new Untold()
  held.later(4 * DAY_MS) // from a Tuesday: the day of the calendar alone is another one
  const second = await nextLife(held.bench)
  started(second, { positions: [holding(400)] })
  t.equal(second.state.positions.get(BANK)?.profitTriggered, false, 'deals may still be told')
  second.nowMs += 2 * DAY_MS
  second.wallMs += 2 * DAY_MS
  const third = await nextLife(second)
  started(third, { positions: [holding(400)] }, '2026-08-17')
  t.equal(third.state.positions.get(BANK)?.profitTriggered, true)
  t.equal(count(third, 'orderWarned'), 1)
})

t.test('F821 nor does a high of that day pass for a list', async (t) => {
  const held = new Untold()
  held.later(DAY_MS)
  const second = await nextLife(held.bench)
  second.input({ kind: 'started', incarnation: 2, day: '2026-08-12' })
  for (const price of [11.2, 11.3, 11.4]) {
    second.nowMs += 3_000
    second.quotes.set(BANK, quote(price, second.nowMs))
    second.input({ kind: 'quotes', crossed: [BANK] })
  }
  t.not(count(second, 'holdingChanged'), 0)
  const third = await nextLife(second)
  started(third, { positions: [holding(400)] }, '2026-08-12')
  t.equal(third.state.positions.get(BANK)?.profitTriggered, true)
  t.equal(count(third, 'orderWarned'), 1)
})

t.test('F877 also where the lists of the client are empty in the evening before', async (t) => {
  const held = new Untold()
  held.bench.input(gone)
  held.later(EVENING_MS)
  held.sellable = 400
  held.quantity = 400
  recovered(held.bench, { positions: [holding(400)] })
  t.equal(held.bench.state.positions.get(BANK)?.profitTriggered, false, 'deals may still be told')
  held.later(DAY_MS - EVENING_MS)
  const next = await nextLife(held.bench)
  started(next, { positions: [holding(400)] }, '2026-08-12')
  t.equal(next.state.positions.get(BANK)?.profitTriggered, true)
  t.equal(count(next, 'orderWarned'), 1)
})

t.test('F877 also where a service is started on that evening', async (t) => {
  const held = new Untold().later(EVENING_MS)
  const second = await nextLife(held.bench)
  started(second, { positions: [holding(400)] })
  second.nowMs += DAY_MS - EVENING_MS
  second.wallMs += DAY_MS - EVENING_MS
  second.input({ kind: 'dayOpened', day: '2026-08-12' })
  t.equal(second.state.positions.get(BANK)?.profitTriggered, true)
  t.equal(count(second, 'orderWarned'), 1)
})
