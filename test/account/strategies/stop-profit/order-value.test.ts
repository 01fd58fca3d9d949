import t from 'tap'
import { emptyState } from '../../../../src/account/model/state.ts'
import type { Quantity } from '../../../../src/domain/money.ts'
import { BANK, Bench, commands, policy, push, quote, yuan } from '../../fixture.ts'
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

t.test('a take-profit is cut likewise, and what it leaves goes with the full exit', async (t) => {
  const holder = limited(2_200).ticks(10.61, 10.7, 10.64)
  t.strictSame(holder.sent, ['auto_partial 200'])
  holder.fill('7001')
  t.equal(holder.bench.state.positions.get(BANK)?.profitTriggered, true)
  holder.ticks(10.63, 10.64)
  t.strictSame(holder.sent, ['auto_partial 200'], 'no second part')
  holder.ticks(10.2)
  t.strictSame(holder.sent, ['auto_partial 200', 'auto_full 200'])
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
