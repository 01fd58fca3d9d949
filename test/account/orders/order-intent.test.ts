import t from 'tap'
import { type OrderIntent, submitIntent } from '../../../src/account/orders/order-intent.ts'
import type { Price, Quantity } from '../../../src/domain/money.ts'
import {
  BANK,
  type Bench,
  commands,
  driver,
  holder,
  KEY,
  MORNING_MS,
  policy,
  quote,
  set,
  yuan,
} from '../fixture.ts'

const INTENT: OrderIntent = {
  code: BANK,
  side: 'sell',
  quantity: 300 as Quantity,
  priceType: 5,
  price: 0 as Price,
  strategy: 'later_strategy',
  source: 'later_strategy',
  signalPrice: yuan(36),
  terms: {},
}
/** What became of an intent, and what was written and done about it. */
function submit(bench: Bench, intent: Partial<OrderIntent> = {}) {
  const turn = bench.turn()
  const outcome = submitIntent(turn, { ...INTENT, ...intent })
  bench.journal.push(...turn.events)
  const events = turn.events.map(({ event }) => event.kind)
  return { outcome, events, sent: commands(turn.effects), effects: turn.effects }
}

t.test('an intent of any strategy becomes one order under a key of its own', async (t) => {
  const bench = holder()
  const { outcome, events, sent } = submit(bench)
  t.strictSame(events, ['orderSubmitted'])
  t.match(outcome, { kind: 'sent', fills: undefined })
  const id = outcome.kind === 'sent' ? outcome.clientOrderId : ''
  t.match(sent, [{ kind: 'submit', order: { clientOrderId: id, strategy: 'later_strategy' } }])
  t.equal(bench.state.orders.get(id)?.chain, undefined, 'a chain is for signals')
})

t.test(
  'why nothing was sent is returned, and a refusal that only repeats does nothing',
  async (t) => {
    const bench = holder()
    set(bench, 'all', 'drill')
    const first = submit(bench)
    t.match(first.outcome, {
      kind: 'refused',
      refusal: { code: 'KILL_SWITCH', message: /drill/, isPassing: true },
    })
    t.strictSame(first.events, ['orderDenied'])
    bench.nowMs += policy.limits.refusalRepeatMs - 1
    const again = submit(bench)
    t.strictSame(again.outcome, first.outcome, 'the same reason')
    t.strictSame([again.events, again.effects], [[], []], 'nothing written, nothing done')
    t.strictSame(submit(bench, { side: 'buy' }).events, ['orderDenied'], 'another intent is news')
    t.strictSame(submit(bench, { strategy: 'x' }).events, ['orderDenied'], 'and another strategy')
    set(bench, 'off')
    bench.quotes.set(BANK, quote(0, bench.nowMs))
    t.match(submit(bench).outcome, { refusal: { code: 'HALTED' } })
  },
)

t.test('refusals that take turns are told once in a while too, each for itself', async (t) => {
  const bench = holder({ maxOrderValue: 1 })
  let told = 0
  for (let n = 0; n < 20; n++) {
    bench.quotes.set(BANK, quote(n % 2 === 0 ? 0 : 36, bench.nowMs))
    told += submit(bench).events.length
    bench.nowMs += 2_000
  }
  t.equal(told, 2, 'halted, and above the limit of one order')
})

t.test('the same refusal is told again once in a while, and after an order was sent', async (t) => {
  const bench = holder()
  const refuse = () => {
    set(bench, 'all')
    return submit(bench).events
  }
  t.strictSame(refuse(), ['orderDenied'])
  bench.nowMs += policy.limits.refusalRepeatMs
  t.strictSame(refuse(), ['orderDenied'])
  t.strictSame(refuse(), [])
  set(bench, 'off')
  t.strictSame(submit(bench).events, ['orderSubmitted'])
  t.strictSame(refuse(), ['orderDenied'])
})

t.test('nothing is sent beside an order that must be finished first', async (t) => {
  const bench = holder()
  const unfinished = submit(bench, { terms: { findUnfinished: () => KEY } })
  t.match(unfinished.outcome, {
    kind: 'refused',
    refusal: { code: 'order_unfinished', message: new RegExp(KEY) },
  })
  t.strictSame(unfinished.events, [])
  const signal = { signalType: 'stop_loss', strategy: 'stop_loss' } as const
  t.match(submit(bench, { ...signal, terms: { findUnfinished: () => undefined } }).outcome, {
    kind: 'sent',
  })
})

t.test('what the broker has just refused is not asked again, by its own strategy', async (t) => {
  const bench = holder()
  const [command] = submit(bench).sent
  const callId = command?.callId ?? 0
  const clientOrderId = command?.kind === 'submit' ? command.order.clientOrderId : ''
  const outcome = { kind: 'rejected', message: '可用股份不足' } as const
  driver(bench, { kind: 'submitAnswered', callId, clientOrderId, outcome })
  const refused = submit(bench)
  t.match(refused.outcome, { kind: 'refused', refusal: { code: 'just_refused', isPassing: true } })
  t.strictSame([refused.events, refused.sent], [[], []])
  t.match(submit(bench, { side: 'buy' }).outcome, { kind: 'sent' }, 'the other side may')
  const stop = { signalType: 'stop_loss', strategy: 'stop_loss' } as const
  t.match(submit(bench, stop).outcome, { kind: 'sent' }, 'no grid keeps a stop-loss back')
  bench.nowMs = MORNING_MS + policy.limits.positionQueryIntervalMs
  t.match(submit(bench).outcome, { kind: 'sent' }, 'once the holdings have been asked for again')
})

t.test('the rest of a canceled order passes no guard again, and bears its chain on', async (t) => {
  const bench = holder()
  const signal = { signalType: 'stop_loss', strategy: 'stop_loss' } as const
  submit(bench, signal)
  const [first] = bench.state.orders.values()
  if (first === undefined) throw new Error('no order')
  const terms = { findUnfinished: () => first.clientOrderId }
  const next = submit(bench, { ...signal, quantity: 200 as Quantity, follows: first, terms })
  const id = next.outcome.kind === 'sent' ? next.outcome.clientOrderId : ''
  t.match(bench.state.orders.get(id)?.chain, {
    rootClientOrderId: first.clientOrderId,
    targetQuantity: 300,
    attempt: 1,
    follows: first.clientOrderId,
  })
})

t.test('in simulation mode the outcome has the fills', async (t) => {
  const bench = holder()
  const request = { kind: 'saveConfig', changes: { simulationMode: true }, source: 'test' } as const
  bench.input({ kind: 'request', ref: 1, request })
  const terms = { simulatedPrefix: 'LATER' }
  const { outcome, events, sent } = submit(bench, { priceType: 11, price: yuan(36.1), terms })
  t.match(outcome, {
    kind: 'sent',
    fills: { orderId: `LATER_SELL_${bench.nowMs}`, quantity: 300, amount: 300 * yuan(36.1) },
  })
  t.strictSame([events, sent], [['orderSimulated'], []])
  t.match(bench.state.simulation?.positions.get(BANK), { quantity: 700 })
  submit(bench)
  const labels = bench.journal.flatMap(({ event }) =>
    event.kind === 'orderSimulated' ? [event.record.strategy] : [],
  )
  t.strictSame(labels, ['later_strategy', 'simu'], 'not as an order of a person')
})
