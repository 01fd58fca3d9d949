import t from 'tap'
import { killSwitchFields } from '../../../src/account/answers/safety.ts'
import { apply } from '../../../src/account/fold/apply.ts'
import { emptyState } from '../../../src/account/model/state.ts'
import type { SignalOrder } from '../../../src/account/strategies/stop-profit/follow-up.ts'
import type { Price, Quantity } from '../../../src/domain/money.ts'
import { SIGNAL_TYPES } from '../../../src/domain/order.ts'
import {
  BANK,
  type Bench,
  brokerPosition,
  commands,
  holder,
  keyOf,
  policy,
  push,
  quote,
  refusals,
  withRisk,
} from '../fixture.ts'
import { count } from '../play.ts'

const sale = (signalType: SignalOrder['signalType']): SignalOrder => ({
  signalType,
  code: BANK,
  side: signalType === 'add_position' ? 'buy' : 'sell',
  quantity: 100 as Quantity,
  priceType: 5,
  price: 0 as Price,
  signalPrice: 0 as Price,
})
const isSent = (effects: ReturnType<Bench['signal']>): boolean =>
  commands(effects).some(({ kind }) => kind === 'submit')

/** Sends a stop, which the broker takes and fills. */
function sold(bench: Bench, n: number): boolean {
  const sent = isSent(bench.signal(sale('stop_loss')))
  const order = [...bench.state.orders.values()].at(-1)
  if (sent && order !== undefined) {
    const { clientOrderId } = order
    // Canceled by somebody at the counter, so that nothing waits for its deals.
    push(bench, { orderId: String(n), clientOrderId, side: 'sell', status: 54 })
    bench.nowMs += policy.limits.signalRetryMaxMs
    bench.quotes.set(BANK, quote(36, bench.nowMs))
  }
  return sent
}

t.test('protective sales and all other orders are counted for themselves', async (t) => {
  const bench = holder({ maxOrdersPerDay: 1, maxProtectiveOrdersPerDay: 2 })
  t.strictSame(refusals(bench.place({ key: keyOf(1) })), [])
  t.strictSame(refusals(bench.place({ key: keyOf(2) })), ['ORDER_COUNT'])
  t.ok(sold(bench, 11), 'a stop is sent although the others are used up')
  t.equal(isSent(bench.signal(sale('add_position'))), false, 'a purchase is not')
  t.ok(sold(bench, 12))
  t.notOk(sold(bench, 13), 'the limit of protective sales is its own')
  const denials = bench.journal
    .map(({ event }) => event)
    .filter(({ kind }) => kind === 'orderDenied')
  t.match(denials, [{ code: 'ORDER_COUNT' }, { code: 'ORDER_COUNT' }, { code: 'PROTECTIVE_COUNT' }])
  const sale2 = { side: 'sell', key: keyOf(3), priceType: 5 } as const
  t.strictSame(refusals(bench.place(sale2)), ['ORDER_COUNT'], 'a sale by hand is no protective one')
})

t.test('each signal that sells is protective', async (t) => {
  for (const signalType of SIGNAL_TYPES) {
    const bench = holder()
    bench.signal(sale(signalType))
    const isProtective = signalType !== 'add_position'
    t.equal(bench.state.orders.protectiveSince(''), isProtective ? 1 : 0, signalType)
    t.equal(bench.state.orders.oursSince(''), isProtective ? 0 : 1, signalType)
  }
})

t.test(
  'near the limit and at it a person is told, once a day each, also over a restart',
  async (t) => {
    const bench = holder({ maxProtectiveOrdersPerDay: 5 })
    for (let n = 1; n <= 5; n++) {
      t.ok(sold(bench, 20 + n))
      for (let i = 0; i < 3; i++) bench.input({ kind: 'alarm' })
    }
    t.notOk(sold(bench, 30))
    t.equal(count(bench, 'protectiveLimitNeared'), 2, 'at four of five, and at five')
    t.match(bench.state.protectiveTold, { day: '2026-08-11', stage: 'reached' })
    const [trigger] = killSwitchFields(bench.state, bench.turn().inputs).triggers.filter(
      ({ name }) => name === 'max_protective_orders_per_day',
    )
    t.match(trigger, { limit: 5, actual: 5, unit: 'orders' })
    const again = emptyState(bench.state.policy)
    for (const event of bench.journal) apply(again, event)
    t.strictSame(again.protectiveTold, bench.state.protectiveTold)
    bench.nowMs += 86_400_000
    bench.input({ kind: 'dayOpened', day: '2026-08-12' })
    bench.quotes.set(BANK, quote(36, bench.nowMs))
    t.ok(sold(bench, 40), 'the next day has a count of its own')
  },
)

t.test('a limit of 0 counts and tells nothing', async (t) => {
  const bench = withRisk({ maxProtectiveOrdersPerDay: 0 }).ready([brokerPosition()])
  bench.quotes.set(BANK, quote(36, bench.nowMs))
  for (let n = 1; n <= 4; n++) t.ok(sold(bench, 50 + n))
  t.equal(count(bench, 'protectiveLimitNeared'), 0)
})
