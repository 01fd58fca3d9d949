import fc from 'fast-check'
import t from 'tap'
import type { Gates } from '../../../src/strategy/stop-profit/gates.ts'
import {
  evaluateStopProfit,
  type Judgment,
  type StopProfitState,
} from '../../../src/strategy/stop-profit/stop-profit.ts'
import { minimumPrice } from '../../../src/strategy/stop-profit/trigger-prices.ts'
import { kindOf } from '../../../src/strategy/stop-profit/verdicts.ts'
import { armed, at, codes, fresh, OPEN, play, policy, price, shares, taken } from './fixture.ts'

const judge = (state: typeof fresh, input: ReturnType<typeof at>) =>
  evaluateStopProfit(policy, state, input)

t.test('the first take-profit follows the vectors', async (t) => {
  const VECTORS: readonly (readonly [readonly number[], string])[] = [
    [
      [10.55, 10.61, 10.59, 10.7, 10.64],
      'no_breakout breakout_started pullback_small pullback_small take_profit_half',
    ],
    [[10.61, 10.45], 'breakout_started below_minimum'],
    [[10.61, 10.54], 'breakout_started take_profit_half'],
    [[10.61, 9.2], 'breakout_started stop_loss'],
  ]
  for (const [prices, expected] of VECTORS) {
    t.equal(codes(play(fresh, prices).judged), expected, prices.join(', '))
  }
  t.equal(minimumPrice(policy, price(10)), 104_943, 'lowest unit at or above 10.494265')
  t.equal(minimumPrice(policy, price(38.13)), 400_147, 'lowest unit at or above 40.014632445')
})

t.test('the worked example goes from breakout to half sale to full exit', async (t) => {
  const first = play(fresh, [10.6, 10.8, 10.74])
  t.equal(codes(first.judged), 'breakout_started pullback_small take_profit_half')
  const filled = { ...first.state, profitTriggered: true }
  const rest = play(filled, [10.37, 10.36], { quantity: shares(400), sellable: shares(400) })
  t.equal(codes(rest.judged), 'above_exit take_profit_full')
  t.equal(rest.judged[1]?.threshold, price(10.368))
})

t.test(
  'a fast rally sells nothing until a pullback, and never on the tick of the breakout',
  async (t) => {
    const { judged, state } = play(fresh, [12, 12.5, 13])
    t.equal(codes(judged), 'breakout_started pullback_small pullback_small')
    t.equal(state.breakoutHighestPrice, price(13))
  },
)

t.test('a pullback below the minimum clears the breakout instead of selling late', async (t) => {
  const { state } = play(fresh, [10.61, 10.45])
  t.strictSame(state, { ...fresh, highestPrice: price(10.61) })
  t.equal(codes(play(state, [10.55, 10.6]).judged), 'no_breakout breakout_started')
})

t.test('with nothing sellable a half exit emits nothing and keeps the state', async (t) => {
  const state = armed(10.7)
  const [next, judgment] = judge(state, at(10.64, { sellable: shares(0) }))
  t.equal(next, state)
  t.equal(judgment.code, 'nothing_sellable')
  t.equal(judgment.signal, undefined)
})

t.test('stop-loss is judged first, also after a take-profit, with the ratio of now', async (t) => {
  t.equal(judge(taken(10.8), at(9.25))[1].code, 'stop_loss')
  const stored = { ...taken(10.8), stopLossPrice: price(5) }
  t.equal(judge(stored, at(9.25))[1].code, 'stop_loss', 'whatever price is stored')
  const [, tight] = evaluateStopProfit({ ...policy, stopLossRatio: -0.05 }, fresh, at(9.5))
  t.equal(tight.code, 'stop_loss')
})

t.test('the exact threshold price fires, one unit beside it does not', async (t) => {
  for (const [cost, threshold] of [
    [10, 10.6],
    [5, 5.3],
    [7, 7.42],
    [38.13, 40.4178],
  ] as const) {
    const state = { ...fresh, highestPrice: price(cost) }
    const input = at(threshold, { costPrice: price(cost) })
    t.equal(judge(state, input)[1].code, 'breakout_started', `breakout ${cost} ${threshold}`)
    t.equal(judge(state, { ...input, price: price(threshold - 0.0001) })[1].code, 'no_breakout')
  }
  t.equal(judge(fresh, at(9.25))[1].code, 'stop_loss')
  t.equal(judge(fresh, at(9.2501))[1].code, 'no_breakout')
  t.equal(judge(armed(10.8), at(10.746))[1].code, 'take_profit_half')
  t.equal(judge(armed(10.8), at(10.7461))[1].code, 'pullback_small')
  t.equal(judge(armed(10.6), at(10.4943))[1].code, 'take_profit_half', 'just above the minimum')
  t.equal(judge(armed(10.6), at(10.4942))[1].code, 'below_minimum')
  t.equal(judge(taken(10.5), at(10.08))[1].code, 'take_profit_full', 'tier of exactly 5 %')
  t.equal(judge(taken(10.5), at(10.0801))[1].code, 'above_exit')
  const nine = at(9.072, { costPrice: price(9) })
  t.equal(judge(taken(9.45), nine)[1].code, 'take_profit_full', '(9.45 − 9) / 9 is 5 %')
})

t.test('below the lowest tier the fixed stop holds, without tiers 0.95 of the high', async (t) => {
  t.equal(judge(taken(10.49), at(9.26))[1].code, 'above_exit')
  t.equal(judge(taken(10.49), at(9.25))[1].code, 'stop_loss')
  const bare = { ...policy, tiers: [] }
  const [, judgment] = evaluateStopProfit(bare, taken(12), at(11.4))
  t.equal(judgment.code, 'take_profit_full')
})

t.test(
  'gates are asked in their order, and only the first two leave the tick unseen',
  async (t) => {
    const ORDER: readonly (readonly [keyof Gates, string])[] = [
      ['isInSession', 'outside_session'],
      ['isQuoteTrusted', 'quote_refused'],
      ['isMasterOn', 'master_off'],
      ['isModuleOn', 'module_off'],
      ['isTradingOn', 'trading_off'],
      ['isStockOn', 'stock_off'],
      ['isFreeOfOrders', 'order_open'],
    ]
    let gates: Gates = { ...OPEN }
    for (const [gate, code] of ORDER.toReversed()) {
      gates = { ...gates, [gate]: false }
      const [state, { code: found, signal }] = judge(fresh, at(10.7, { gates }))
      t.equal(found, code)
      t.equal(signal, undefined)
      const isSeen = kindOf(found) === 'closed'
      t.equal(state.highestPrice, price(isSeen ? 10.7 : 10), `${gate}: the high`)
      t.equal(state.breakoutTriggered, false)
    }
    t.equal(judge(fresh, at(0, { gates: { ...OPEN, isMasterOn: false } }))[1].code, 'no_price')
  },
)

t.test('what cannot be judged leads to nothing', async (t) => {
  t.equal(judge(fresh, at(9, { costPrice: price(0) }))[1].code, 'no_cost')
  const gone = { quantity: shares(0), sellable: shares(0) }
  t.strictSame(judge(fresh, at(11, gone))[0], fresh, 'no position, no new high')
  t.equal(judge(fresh, at(11, gone))[1].code, 'no_position')
  const [, odd] = evaluateStopProfit({ ...policy, stopLossRatio: 0.05 }, fresh, at(10.2))
  t.equal(odd.code, 'loss_implausible', 'a stop above the cost')
  const wide = { ...policy, tiers: [{ level: 0.05, coefficient: 1.2 }] }
  t.equal(evaluateStopProfit(wide, taken(11), at(10.9))[1].code, 'exit_implausible')
})

t.test(
  'a high that cannot be true is not used, and a missing one starts at the cost',
  async (t) => {
    t.equal(judge(taken(500), at(10.5))[1].code, 'above_exit')
    t.equal(judge(taken(0), at(9.9))[0].highestPrice, price(10))
    t.equal(judge(taken(0), at(10.2))[0].highestPrice, price(10.2))
  },
)

t.test('a signal carries what its execution is checked against', async (t) => {
  const signalAt = (state: typeof fresh, yuan: number) => judge(state, at(yuan))[1].signal
  const of = (yuan: number) => ({ price: price(yuan), costPrice: price(10) })
  const stop = { ...of(9.2), type: 'stop_loss', stopPrice: price(9.25) } as const
  t.strictSame(signalAt(fresh, 9.2), stop)
  t.strictSame(signalAt(taken(11), 9.2), stop)
  const half = { ...of(10.64), type: 'take_profit_half', sellRatio: 0.6 } as const
  t.strictSame(signalAt(armed(10.7), 10.64), half)
  t.strictSame(signalAt(taken(11), 10.2), { ...of(10.2), type: 'take_profit_full' })
})

const ticks = fc.array(
  fc.record({
    units: fc.integer({ min: 0, max: 160_000 }),
    sellable: fc.constantFrom(0, 50, 1_000),
    gate: fc.constantFrom<keyof Gates | undefined>(
      undefined,
      undefined,
      'isQuoteTrusted',
      'isMasterOn',
    ),
    isFilled: fc.boolean(),
  }),
  { maxLength: 60 },
)
const inputOf = ({
  units,
  sellable,
  gate,
}: {
  units: number
  sellable: number
  gate: keyof Gates | undefined
}) =>
  at(units / 10_000, {
    sellable: shares(sellable),
    gates: gate === undefined ? OPEN : { ...OPEN, [gate]: false },
  })

type Tick = Parameters<typeof inputOf>[0] & { readonly isFilled: boolean }

const isPeakKept = (before: StopProfitState, after: StopProfitState) =>
  after.highestPrice >= before.highestPrice &&
  (!after.breakoutTriggered || after.breakoutHighestPrice >= before.breakoutHighestPrice)

/** A signal only with its code, with shares to sell and through open gates. */
const isSignalRight = ({ sellable, gate }: Tick, { code, signal }: Judgment) =>
  (signal !== undefined) === (kindOf(code) === 'signal') &&
  (signal === undefined || (sellable > 0 && gate === undefined && signal.type === code))

t.test('the peak never falls, closed gates and unsellable shares give no signal', async () => {
  const holds = fc.property(ticks, (sequence) => {
    let state = fresh
    return sequence.every((tick) => {
      const [next, judgment] = judge(state, inputOf(tick))
      const isRight = isPeakKept(state, next) && isSignalRight(tick, judgment)
      const isUntouched = next.profitTriggered === state.profitTriggered
      const isFilled = judgment.code === 'take_profit_half' && tick.isFilled
      state = isFilled ? { ...next, profitTriggered: true } : next
      return isRight && isUntouched
    })
  })
  fc.assert(holds, { numRuns: 500 })
})

t.test(
  'the same arguments give the same answer, and a tick judged again changes nothing',
  async () => {
    const holds = fc.property(ticks, (sequence) => {
      let state = fresh
      for (const tick of sequence) {
        const input = inputOf(tick)
        const [next, judgment] = judge(state, input)
        if (JSON.stringify(judge(state, input)) !== JSON.stringify([next, judgment])) return false
        if (judgment.signal !== undefined && judge(next, input)[0] !== next) return false
        state = next
      }
      return true
    })
    fc.assert(holds, { numRuns: 200 })
  },
)
