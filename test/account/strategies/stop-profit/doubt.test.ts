import t from 'tap'
import { accountBand } from '../../../../src/account/strategies/band.ts'
import { soldToday } from '../../../../src/account/strategies/standing.ts'
import { standing } from '../../../../src/account/strategies/stop-profit/standing.ts'
import type { Quantity } from '../../../../src/domain/money.ts'
import { BANK, commands, keyOf, policy, refusals, yuan } from '../../fixture.ts'
import { pushed, said } from '../../play.ts'
import { Holder } from './holder.ts'

const { doubtQuarantineMs, doubtSettleMs, positionQueryIntervalMs } = policy.limits

t.test('a stop sells what no order in doubt may have taken', async (t) => {
  const holder = new Holder()
  holder.sell(1, 300)
  holder.doubt().ticks(9.3, 9.25)
  t.strictSame(holder.sent, ['manual 300', 'stop_loss 700'])
  holder.ticks(9.24, 9.23)
  t.equal(holder.sent.length, 2, 'once')
})

t.test('a stop of the very size of what is in doubt is no duplicate of it', async (t) => {
  const holder = new Holder()
  holder.sell(1, 500)
  holder.doubt()
  t.strictSame(refusals(holder.sell(2, 500)), ['ORDER_IN_DOUBT_HELD'], 'a person that repeats it')
  holder.ticks(9.25)
  t.strictSame(holder.sent, ['manual 500', 'stop_loss 500'])
})

t.test('a first take-profit in doubt is not wanted again, and disarms no stop', async (t) => {
  const holder = new Holder().ticks(10.61, 10.7, 10.64)
  t.strictSame(holder.sent, ['auto_partial 600'])
  holder.doubt().ticks(10.7, 10.64, 10.8, 10.7)
  t.strictSame(holder.sent, ['auto_partial 600'])
  const sight = { nowMs: holder.bench.nowMs, quote: () => holder.bench.quotes.get(BANK), floor: 0 }
  const { low } = accountBand(holder.bench.state, BANK, sight)
  t.ok(low > yuan(9.25), 'a price that falls through the stop wakes somebody')
  holder.ticks(9.25)
  t.strictSame(holder.sent, ['auto_partial 600', 'stop_loss 400'])
})

t.test('the rest of a stop goes on beside an order in doubt, with what is left', async (t) => {
  // What a list shows behind its cancel, where the other never came, and where it may have been filled.
  for (const [shown, rest] of [
    [1_000, 700],
    [700, 400],
  ] as const) {
    const holder = new Holder()
    holder.sell(1, 300)
    holder.doubt().ticks(9.25)
    const { bench } = holder
    const [, { clientOrderId = '' } = {}] = [...bench.state.orders.values()]
    const stop = {
      clientOrderId,
      orderId: '7001',
      side: 'sell',
      quantity: 700 as Quantity,
    } as const
    bench.input(pushed({ ...stop, status: 50, price: yuan(9.25), timeMs: bench.nowMs }))
    holder.sellable = shown - 700
    holder.quantity = shown
    holder.later(policy.limits.holdingsLagMs).list()
    holder.later(policy.pending.stopLossTimeoutMs).ticks(9.2)
    bench.input(pushed({ ...stop, status: 54, price: yuan(9.25), timeMs: bench.nowMs }))
    t.strictSame(holder.sent, ['manual 300', 'stop_loss 700'], 'its shares are not free yet')
    holder.sellable = shown
    holder.later(policy.limits.holdingsLagMs).list()
    t.strictSame(holder.sent, ['manual 300', 'stop_loss 700', `reorder_stop_loss ${rest}`])
  }
})

t.test('a stop in doubt is not wanted again', async (t) => {
  const holder = new Holder()
  holder.sell(1, 300)
  holder.doubt().ticks(9.25).doubt().ticks(9.24, 9.2)
  t.strictSame(holder.sent, ['manual 300', 'stop_loss 700'])
})

t.test(
  'F947 a stop in doubt that nobody looks for any more is told as one for a person',
  async (t) => {
    const holder = new Holder().ticks(9.2).doubt().look(false)
    const told = () => {
      const { state, nowMs, quotes } = holder.bench
      const sold = soldToday(state, nowMs)
      return standing(state, BANK, { nowMs, quote: (code) => quotes.get(code), soldToday: sold })
    }
    t.match(told(), { zh: /^止损委托结果未知，正在核实：/ })
    holder.later(doubtQuarantineMs).look(false)
    t.match(told(), {
      order: { status: 'inDoubt' },
      zh: '止损委托结果未知，无法自动核实，请按该委托的说明处理：1,000 股，自 10:00:03',
      en: 'the stop-loss order is in doubt and cannot be cleared up, do as the order says: 1,000 shares, since 10:00:03',
    })
  },
)

t.test('the rest is sold when the doubt ends, without another tick', async (t) => {
  const holder = new Holder()
  holder.sell(1, 300)
  holder.doubt().ticks(9.25)
  holder.fill('7001')
  t.strictSame(holder.sent, ['manual 300', 'stop_loss 700'])
  holder.look(true).later(doubtSettleMs).look(true)
  t.match(holder.bench.state.orders.get(keyOf(1)), { status: 'rejected' }, 'it never came')
  t.strictSame(holder.sent, ['manual 300', 'stop_loss 700', 'stop_loss 300'])
})

t.test('what may still arrive stays reserved, however long', async (t) => {
  const holder = new Holder()
  holder.sell(1, 300)
  holder.doubt().look(false).later(doubtQuarantineMs).look(false)
  t.match(holder.bench.state.orders.get(keyOf(1)), { isQuarantined: true })
  holder.later(doubtQuarantineMs).list().ticks(9.25)
  t.strictSame(holder.sent, ['manual 300', 'stop_loss 700'])
})

t.test('what cannot arrive any more is in the lists of then, if it lives', async (t) => {
  const holder = new Holder()
  holder.sell(1, 300)
  holder.doubt().look(false).later(doubtQuarantineMs).look(false)
  holder.look(true).list()
  t.match(holder.bench.state.orders.get(keyOf(1)), { status: 'inDoubt', isQuarantined: true })
  holder.ticks(9.25)
  t.strictSame(holder.sent, ['manual 300', 'stop_loss 700'], 'no list was asked late enough')
  holder.fill('7001')
  holder.later(doubtSettleMs + positionQueryIntervalMs).list()
  const last = holder.sent.at(-1)
  t.equal(last, 'stop_loss 300', 'a person may decide about the order; the stop does not wait')
  t.match(holder.bench.state.orders.get(keyOf(1)), { status: 'inDoubt' })
})

t.test(
  'a stop that cannot arrive any more is wanted again once a list shows its shares',
  async (t) => {
    const holder = new Holder().ticks(9.25).doubt()
    t.strictSame(holder.sent, ['stop_loss 1000'])
    holder.look(false).later(doubtQuarantineMs).look(false).ticks(9.2)
    t.equal(holder.sent.length, 1, 'it may still come')
    holder
      .look(true)
      .later(doubtSettleMs + positionQueryIntervalMs)
      .list()
    t.strictSame(holder.sent, ['stop_loss 1000', 'stop_loss 1000'])
    t.match(
      [...holder.bench.state.orders.values()],
      [{ status: 'inDoubt' }, { status: 'submitted' }],
    )
  },
)

t.test('an order in doubt that lives is not sold a second time', async (t) => {
  const holder = new Holder()
  holder.sell(1, 300)
  holder.doubt().look(false).later(doubtQuarantineMs).look(false)
  holder.look(true)
  holder.sellable = 700
  holder
    .later(doubtSettleMs + positionQueryIntervalMs)
    .list()
    .ticks(9.25)
  t.strictSame(holder.sent, ['manual 300', 'stop_loss 700'])
  holder.fill('7001').ticks(9.2)
  t.equal(holder.sent.length, 2)
})

t.test(
  'a purchase in doubt is not repeated by hand; another one has the cash that is left',
  async (t) => {
    const { bench } = new Holder()
    const buy = (n: number, quantity: number) =>
      bench.place({ key: keyOf(n), requestHash: `h${n}`, quantity, price: yuan(36) })
    const [submit] = commands(buy(1, 16_000))
    bench.input({ kind: 'callTimedOut', callId: submit?.callId ?? 0 })
    t.strictSame(refusals(buy(2, 16_000)), ['ORDER_IN_DOUBT_HELD'])
    t.strictSame(
      refusals(buy(3, 12_000)),
      ['INSUFFICIENT_CASH'],
      'the doubt has 576,000 of a million',
    )
    t.strictSame(refusals(buy(4, 1_000)), [])
    bench.input(said({ kind: 'disconnected', reason: 'gone' }))
  },
)
