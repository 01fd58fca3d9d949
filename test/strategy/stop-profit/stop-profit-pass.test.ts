import fc from 'fast-check'
import t from 'tap'
import {
  EMPTY_SLOT,
  type SignalSlot,
  slotAfterTick,
} from '../../../src/strategy/stop-profit/signal-slot.ts'
import {
  evaluateStopProfit,
  type StopProfitState,
} from '../../../src/strategy/stop-profit/stop-profit.ts'
import {
  type PassInput,
  type PassState,
  runPass,
} from '../../../src/strategy/stop-profit/stop-profit-pass.ts'
import { armed, at, fresh, NOW_MS, OPEN, policy, price, shares, taken } from './fixture.ts'

const holding = { quantity: shares(1_000), sellable: shares(1_000), costPrice: price(10) }
const input = (yuan: number, other: Partial<PassInput> = {}): PassInput => ({
  nowMs: NOW_MS,
  gates: OPEN,
  holding,
  hasPendingOrder: false,
  exitsBeside: new Set(),
  price: price(yuan),
  rule: { lotMin: 100, quantityMax: 1_000_000 },
  largestSale: (sellable) => sellable,
  isBuyAllowed: true,
  isBreakerOpen: false,
  isSellAllowed: true,
  isTotalKnown: () => true,
  coming: shares(0),
  isSimulation: false,
  lastAddMs: () => 0,
  ...other,
})
const queued = (position: StopProfitState, yuan: number): PassState => {
  const [, judgment] = evaluateStopProfit(policy, position, at(yuan))
  return { position, slot: slotAfterTick(policy, EMPTY_SLOT, { judgment, nowMs: NOW_MS }) }
}
const HALF = queued(armed(10.7), 10.64)
const STOP = queued(fresh, 9.2)
const FULL = queued(taken(11), 10.2)

const codesOf = (state: PassState, given: PassInput, rules = policy) =>
  runPass(rules, state, given)[1]
    .verdicts.map(({ code }) => code)
    .join(' ')

t.test('a waiting signal becomes one sale', async (t) => {
  const TABLE = [
    [HALF, 10.64, 'take_profit_half', 600],
    [FULL, 10.2, 'take_profit_full', 1_000],
    [STOP, 9.2, 'stop_loss', 1_000],
  ] as const
  for (const [state, yuan, signalType, quantity] of TABLE) {
    const [next, { intent }] = runPass(policy, state, input(yuan))
    const expected = { signalType, side: 'sell', quantity, signalPrice: price(yuan) }
    t.strictSame(intent, expected, signalType)
    t.equal(next.slot.waiting, state.slot.waiting, 'it waits until the order has been taken')
  }
})

t.test('blocked is not failed: the signal stays and no try is counted', async (t) => {
  const BLOCKED: readonly (readonly [Partial<PassInput>, string])[] = [
    [{ hasPendingOrder: true }, 'pending_order'],
    [{ gates: { ...OPEN, isFreeOfOrders: false } }, 'pending_order'],
    [{ holding: { ...holding, sellable: shares(0) } }, 'available_zero_sync_delay'],
    [{ isSellAllowed: false }, 'sell_not_permitted'],
  ]
  for (const [other, code] of BLOCKED) {
    const [next, { verdicts, intent }] = runPass(policy, HALF, input(10.64, other))
    t.equal(verdicts[0]?.code, code)
    t.equal(intent, undefined)
    t.strictSame(next.slot, HALF.slot, code)
  }
})

t.test('a failed take-profit is tried three times and then dropped', async (t) => {
  let state = HALF
  for (const isWaiting of [true, true, false]) {
    const [next, { verdicts }] = runPass(policy, state, input(10.64, { holding: undefined }))
    t.equal(verdicts[0]?.code, 'nothing_to_sell')
    t.equal(next.slot.waiting !== undefined, isWaiting)
    state = next
  }
  t.equal(codesOf(state, input(10.64, { holding: undefined })), 'no_signal')
})

t.test('a half signal is refused after 120 s, and too cheap a one ends the breakout', async (t) => {
  t.equal(codesOf(HALF, input(10.64, { nowMs: NOW_MS + 120_001 })), 'signal_expired add_drop_small')
  const averaged = { ...holding, costPrice: price(10.2) }
  const [next] = runPass(policy, HALF, input(10.64, { holding: averaged }))
  t.equal(next.position.breakoutTriggered, false)
})

t.test('a closed gate sends nothing and drops the signal, a refused quote leaves it', async (t) => {
  const [closed] = runPass(policy, STOP, input(9.2, { gates: { ...OPEN, isTradingOn: false } }))
  t.equal(closed.slot, EMPTY_SLOT)
  const [skipped] = runPass(policy, STOP, input(9.2, { gates: { ...OPEN, isQuoteTrusted: false } }))
  t.equal(skipped.slot, STOP.slot)
  for (const gate of ['isMasterOn', 'isModuleOn', 'isTradingOn', 'isStockOn', 'isInSession']) {
    const [, { intent }] = runPass(policy, STOP, input(9.2, { gates: { ...OPEN, [gate]: false } }))
    t.equal(intent, undefined, gate)
  }
})

t.test('scenario A buys before it stops, scenario B stops and never buys', async (t) => {
  const [, { intent }] = runPass(policy, STOP, input(9.28))
  t.match(intent, { signalType: 'add_position', side: 'buy', quantity: 3_700 })
  t.equal(intent?.signalPrice, price(9.28))
  t.equal(codesOf(STOP, input(9.2)), 'add_stop_reached order_sell')
  const stopFirst = { ...policy, addLevel: 0.92 }
  t.equal(codesOf(STOP, input(9.28), stopFirst), 'order_sell')
  t.equal(codesOf({ position: fresh, slot: EMPTY_SLOT }, input(9.28), stopFirst), 'no_signal')
  t.equal(codesOf(HALF, input(10.64)), 'order_sell', 'a take-profit comes first')
  t.equal(
    codesOf({ position: fresh, slot: EMPTY_SLOT }, input(9.3, { price: price(0) })),
    'no_price',
  )
})

t.test(
  'a pass never sells more than is sellable, nor through a closed gate or an open order',
  async (t) => {
    let sales = 0
    const cases = fc.record({
      prices: fc.array(fc.integer({ min: 85_000, max: 115_000 }), { maxLength: 40 }),
      sellable: fc.constantFrom(0, 50, 150, 1_000),
      isTradingOn: fc.boolean(),
      hasPendingOrder: fc.boolean(),
      isSellAllowed: fc.boolean(),
      isTriggered: fc.boolean(),
    })
    const holds = fc.property(cases, ({ prices, sellable, isTradingOn, isTriggered, ...flags }) => {
      const gates = { ...OPEN, isTradingOn }
      const live = { ...holding, sellable: shares(sellable) }
      let position: StopProfitState = { ...fresh, profitTriggered: isTriggered }
      let slot: SignalSlot = EMPTY_SLOT
      return prices.every((units, index) => {
        const nowMs = NOW_MS + index * 3_000
        const [judged, judgment] = evaluateStopProfit(
          policy,
          position,
          at(units / 10_000, { ...live, gates }),
        )
        slot = slotAfterTick(policy, slot, { judgment, nowMs })
        const given = input(units / 10_000, { nowMs, gates, holding: live, ...flags })
        const [next, { intent }] = runPass(policy, { position: judged, slot }, given)
        position = next.position
        slot = next.slot
        if (intent === undefined || intent.side === 'buy') return true
        sales += 1
        const mayTrade = isTradingOn && flags.isSellAllowed && !flags.hasPendingOrder
        return mayTrade && intent.quantity > 0 && intent.quantity <= sellable
      })
    })
    fc.assert(holds, { numRuns: 500, seed: 20_260_811 })
    t.ok(sales > 0, `${sales} sales`)
  },
)
