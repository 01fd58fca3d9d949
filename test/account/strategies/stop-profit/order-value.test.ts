import t from 'tap'
import { emptyState } from '../../../../src/account/model/state.ts'
import type { Quantity } from '../../../../src/domain/money.ts'
import { BANK, Bench, commands, policy, push, quote, yuan } from '../../fixture.ts'
import { reborn, started, timer } from '../../play.ts'
import { BOOK, Chain } from './chain.ts'
import { Holder, holding } from './holder.ts'

/** 1,000 shares at a cost of 10 yuan, and no order may be worth more than so many yuan. */
function limited(maxOrderValue: number): Holder {
  const holder = new Holder()
  const { state } = holder.bench
  Object.assign(state, { risk: { ...state.risk, maxOrderValue } })
  return holder
}

t.test('a stop of more than one order may be worth is sold in parts', async (t) => {
  const holder = limited(5_000).ticks(9.2)
  t.strictSame(holder.sent, ['stop_loss 500'])
  holder.fill('7001').ticks(9.19)
  t.strictSame(holder.sent, ['stop_loss 500', 'stop_loss 500'])
})

const PART = 'auto_partial 200'

t.test(
  'F398 so is a first take-profit: part by part, as much as was wanted and no more',
  async (t) => {
    const holder = limited(2_200).ticks(10.61, 10.7, 10.64)
    t.strictSame(holder.sent, [PART])
    holder.fill('7001')
    t.equal(holder.bench.state.positions.get(BANK)?.profitTriggered, true)
    t.strictSame(holder.sent, [PART, PART], 'with the fill, without another tick')
    holder.fill('7002').ticks(10.63).fill('7003').ticks(10.64, 10.63)
    t.strictSame(holder.sent, [PART, PART, PART], '600 of 1,000, and no fourth part')
    t.match(
      [...holder.bench.state.orders.values()].map(({ chain, priceType }) => ({ chain, priceType })),
      Array.from({ length: 3 }, () => ({ chain: { targetQuantity: 600 }, priceType: 5 })),
    )
    t.equal(holder.bench.state.tracked.size, 0)
    holder.ticks(10.2)
    t.strictSame(holder.sent, [PART, PART, PART, 'auto_full 200'])
  },
)

t.test('a part that would be sold too cheap is left to the exit of the rest', async (t) => {
  const holder = limited(2_200).ticks(10.61, 10.7, 10.64, 10.49)
  holder.fill('7001')
  t.strictSame(holder.sent, [PART], '10.4943 is the least that a first profit is worth')
  holder.ticks(10.64)
  t.strictSame(holder.sent, [PART], 'nor later')
  holder.ticks(10.27)
  t.strictSame(holder.sent, [PART, 'auto_full 200'])
})

t.test('the next part is sent once, also where the process ends before it could be', async (t) => {
  const holder = limited(2_200).ticks(10.61, 10.7, 10.64)
  const { bench } = holder
  bench.quotes.delete(BANK) // what it would be sent at is not known
  holder.fill('7001')
  t.strictSame(holder.sent, [PART])
  const next = reborn(bench)
  started(next, { positions: [holding(800)] })
  Object.assign(next.state, { risk: bench.state.risk })
  t.strictSame(submitted(tick(next, 10.62)), [], 'what may be sold is not known yet')
  next.wallMs += policy.limits.holdingsLagMs
  const asked = commands(next.input(timer('poll')))
  const sent = submitted(next.answerQueries(asked, { positions: [holding(800)] }))
  t.match(sent, [{ kind: 'submit', order: { quantity: 200, strategy: 'auto_partial' } }])
  t.strictSame(submitted(tick(next, 10.63)), [])
})

t.test(
  'a part that is filled while it is canceled for its age has the next one follow',
  async (t) => {
    const holder = limited(2_200).ticks(10.61, 10.7, 10.64)
    const { bench } = holder
    const [order] = bench.state.orders.values()
    if (order === undefined) throw new Error('no order')
    const { clientOrderId, side, quantity, createdMs: timeMs } = order
    push(bench, { clientOrderId, orderId: '7001', side, quantity, timeMs, price: yuan(10.64) })
    holder.later(policy.pending.timeoutMs).ticks(10.7)
    t.match(bench.state.orders.get(clientOrderId), { status: 'pendingCancel' })
    holder.fill('7001')
    t.strictSame(holder.sent, [PART, PART])
  },
)

t.test('what a person cancels of it, or switches off, is followed by no part', async (t) => {
  const off = limited(2_200).ticks(10.61, 10.7, 10.64)
  off.bench.state.settings = { ...off.bench.state.settings, ENABLE_AUTO_TRADING: false }
  off.fill('7001')
  t.strictSame(off.sent, [PART])
  const canceled = limited(2_200).ticks(10.61, 10.7, 10.64)
  const [order] = canceled.bench.state.orders.values()
  if (order === undefined) throw new Error('no order')
  const { clientOrderId, side, quantity, createdMs: timeMs } = order
  const row = { clientOrderId, orderId: '7001', side, quantity, timeMs, price: yuan(10.64) }
  push(canceled.bench, row)
  const byHand = { kind: 'cancelOrder', orderId: '7001', source: 'user' } as const
  canceled.bench.input({ kind: 'request', ref: 9, request: byHand })
  canceled.fill('7001').ticks(10.63)
  t.strictSame(canceled.sent, [PART], 'also where the fill was faster')
})

t.test(
  'where not even the fewest shares fit, these are sold, one order after the other',
  async (t) => {
    const holder = limited(1).ticks(9.2)
    t.strictSame(holder.sent, ['stop_loss 100'])
    holder.fill('7001').ticks(9.19)
    t.strictSame(holder.sent, ['stop_loss 100', 'stop_loss 100'])
  },
)

t.test('so is the rest of a stop that is sent again', async (t) => {
  const chain = new Chain()
  const { state } = chain.bench
  Object.assign(state, { risk: { ...state.risk, maxOrderValue: 8_000 } })
  chain.ring()
  const sent = commands(chain.report({ status: 54, filledQuantity: 0 as Quantity }))
  t.match(sent, [{ kind: 'submit', order: { quantity: 200, price: BOOK.bid[2] } }])
})

const submitted = (effects: Parameters<typeof commands>[0]) =>
  commands(effects).filter(({ kind }) => kind === 'submit')

function tick(bench: Bench, price: number) {
  bench.nowMs += 3_000
  bench.wallMs += 3_000
  bench.quotes.set(BANK, quote(price, bench.nowMs))
  return bench.input({ kind: 'quotes', crossed: [BANK] })
}

t.test('a take-profit gives way to a stop that will be sold in parts', async (t) => {
  const own = {
    ...policy,
    stopProfit: { ...policy.stopProfit, isTakeProfitReplaced: true },
    settings: { ...policy.settings, ENABLE_AUTO_OPERATION: true, ENABLE_AUTO_TRADING: true },
    risk: { ...policy.risk, maxOrderValue: 7_000 },
  }
  const bench = new Bench(emptyState(own)).ready([holding(1_000)])
  const tick = (price: number) => {
    bench.nowMs += 3_000
    bench.wallMs += 3_000
    bench.quotes.set(BANK, { ...quote(price, bench.nowMs), lastClose: yuan(10) })
    return commands(bench.input({ kind: 'quotes', crossed: [BANK] }))
  }
  for (const price of [10.61, 10.7, 10.64]) tick(price)
  const [order] = bench.state.orders.values()
  if (order === undefined) throw new Error('no order')
  const { clientOrderId, side, quantity, createdMs: timeMs } = order
  push(bench, { clientOrderId, orderId: '7001', side, quantity, timeMs, price: yuan(10.64) })
  t.match(tick(9.2), [{ kind: 'cancel' }])
})

t.test('orders of people are bound as ever', async (t) => {
  const holder = limited(500)
  holder.sell(1, 100)
  t.strictSame(holder.sent, [])
  t.equal(holder.bench.state.positions.get(BANK)?.quantity, 1_000)
})
