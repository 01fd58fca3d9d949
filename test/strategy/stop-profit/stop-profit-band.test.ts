import fc from 'fast-check'
import t from 'tap'
import type { Price } from '../../../src/domain/money.ts'
import type { Band } from '../../../src/strategy/band.ts'
import { addPriceOf } from '../../../src/strategy/stop-profit/add-position.ts'
import {
  evaluateStopProfit,
  type StopProfitState,
} from '../../../src/strategy/stop-profit/stop-profit.ts'
import { bandOf, quietUpTo } from '../../../src/strategy/stop-profit/stop-profit-band.ts'
import { runPass } from '../../../src/strategy/stop-profit/stop-profit-pass.ts'
import { armed, at, fresh, NOW_MS, OPEN, policy, price, shares, taken } from './fixture.ts'

const bandAt = (state: StopProfitState, costPrice: Price): Band => {
  const addPrice = addPriceOf(policy, { costPrice, profitTriggered: state.profitTriggered })
  return bandOf(policy, state, { costPrice, addPrice })
}
const isInside = ({ low, high }: Band, units: number) => units >= low && units <= high

t.test('a band ends at the nearest prices at which something happens', async (t) => {
  const TABLE: readonly (readonly [string, StopProfitState, number, number])[] = [
    ['a new high, a purchase', fresh, 9.3001, 10],
    ['the breakout', { ...fresh, highestPrice: price(11) }, 9.3001, 10.5999],
    ['a new high after the breakout, the pullback', armed(10.8), 10.7461, 10.8],
    ['a new high, the exit', taken(11), 10.2301, 11],
    ['a new high, the stop', taken(10.3), 9.2501, 10.3],
  ]
  for (const [name, state, low, high] of TABLE) {
    t.strictSame(bandAt(state, price(10)), { low: price(low), high: price(high) }, name)
  }
  const noPurchase = bandOf(policy, fresh, { costPrice: price(10), addPrice: price(0) })
  t.equal(noPurchase.low, price(9.2501))
  const noCost = bandOf(policy, fresh, { costPrice: price(0), addPrice: price(0) })
  t.strictSame(noCost, { low: 1, high: price(10) }, 'only a new high')
  const damaged = bandAt(taken(500), price(10))
  t.ok(damaged.low > damaged.high, 'damaged data: every tick is looked at')
})

const states = fc.record({
  highestPrice: fc.integer({ min: 0, max: 2_500_000 }).map((units) => units as Price),
  profitTriggered: fc.boolean(),
  breakoutTriggered: fc.boolean(),
  breakoutHighestPrice: fc.integer({ min: 0, max: 200_000 }).map((units) => units as Price),
})
const costs = fc.integer({ min: 1, max: 200_000 }).map((units) => units as Price)
const sellables = fc.constantFrom(0, 50, 1_000)

t.test('inside the band a tick changes nothing and gives neither signal nor order', async () => {
  let inside = 0
  const holds = fc.property(
    states,
    costs,
    sellables,
    fc.double({ min: 0, max: 1, noNaN: true }),
    (state, costPrice, sellable, share) => {
      const { low, high } = bandAt(state, costPrice)
      if (low > high) return true
      inside += 1
      const quantity = shares(1_000)
      const units = (low + Math.floor(share * (high - low))) as Price
      const input = { ...at(0), costPrice, sellable: shares(sellable), price: units }
      const [next, judgment] = evaluateStopProfit(policy, state, input)
      const [, { intent }] = runPass(
        policy,
        { position: state, slot: {} },
        {
          nowMs: NOW_MS,
          gates: OPEN,
          holding: { quantity, sellable: shares(sellable), costPrice },
          price: units,
          rule: { lotMin: 100, quantityMax: 1_000_000 },
          largestSale: (free) => free,
          hasPendingOrder: false,
          exitsBeside: new Set(),
          isBuyAllowed: true,
          isBreakerOpen: false,
          isSellAllowed: true,
          isTotalKnown: () => true,
          coming: shares(0),
          isSimulation: false,
          lastAddMs: () => 0,
        },
      )
      return next === state && judgment.signal === undefined && intent === undefined
    },
  )
  fc.assert(holds, { numRuns: 3_000, seed: 20_260_811 })
  t.ok(inside > 500, `${inside} bands held something`)
})

/** A holding whose high is near its cost, as most are. */
const near = fc
  .tuple(
    states,
    fc.integer({ min: 20_000, max: 200_000 }),
    fc.double({ min: 0.8, max: 1.3, noNaN: true }),
  )
  .map(([state, cost, ratio]) => ({
    costPrice: cost as Price,
    state: { ...state, highestPrice: Math.round(cost * ratio) as Price },
  }))

t.test('up to the quiet price a new high changes nothing but itself', async (t) => {
  let quiet = 0
  const holds = fc.property(near, fc.double({ min: 0, max: 1, noNaN: true }), (held, share) => {
    const { state, costPrice } = held
    const { low, high } = bandAt(state, costPrice)
    const top = quietUpTo(policy, state, costPrice)
    if (low > high || top <= high) return
    quiet += 1
    const units = (high + 1 + Math.floor(share * (top - high - 1))) as Price
    const input = { ...at(0), costPrice, sellable: shares(1_000), price: units, dayHigh: units }
    const [next, judgment] = evaluateStopProfit(policy, state, input)
    t.strictSame({ ...next, highestPrice: 0 }, { ...state, highestPrice: 0 })
    t.equal(judgment.signal, undefined)
    t.equal(bandAt(next, costPrice).low, low, 'and no price below acts that did not before')
  })
  fc.assert(holds, { numRuns: 2_000, seed: 20_260_811 })
  t.ok(quiet > 80, `${quiet} bands had quiet prices`)
})

const steps = fc.array(
  fc.record({
    move: fc.oneof(
      { weight: 5, arbitrary: fc.integer({ min: -300, max: 320 }) },
      { weight: 1, arbitrary: fc.integer({ min: -2_500, max: 2_500 }) },
    ),
    /** Now and then the position changes between two ticks. */
    change: fc.oneof(
      { weight: 40, arbitrary: fc.constant('') },
      { weight: 1, arbitrary: fc.constantFrom('cost', 'sellable', 'fill', 'rebought') },
    ),
  }),
  { maxLength: 300, size: 'max' },
)
type Steps = readonly { readonly move: number; readonly change: string }[]

interface Walk {
  readonly state: StopProfitState
  readonly costPrice: Price
  readonly sellable: number
}
const CHANGES: Readonly<Record<string, (walk: Walk) => Walk>> = {
  cost: (now) => ({ ...now, costPrice: Math.max(1, now.costPrice - 2_000) as Price }),
  sellable: (now) => ({ ...now, sellable: now.sellable === 0 ? 1_000 : 0 }),
  fill: (now) => ({ ...now, state: { ...now.state, profitTriggered: true } }),
  rebought: (now) => ({ ...now, state: fresh, costPrice: price(10) }),
}

/** All signals of a walk and where it ends; with bands only the ticks outside them are judged. */
function walk(sequence: Steps, { isBanded }: { readonly isBanded: boolean }) {
  let now: Walk = { state: fresh, costPrice: price(10), sellable: 1_000 }
  let units = 100_000
  let judged = 0
  const signals: string[] = []
  let band = bandAt(now.state, now.costPrice)
  sequence.forEach(({ move, change }, index) => {
    now = CHANGES[change]?.(now) ?? now
    if (change !== '') band = bandAt(now.state, now.costPrice)
    units = Math.max(100, units + move)
    if (isBanded && isInside(band, units)) return
    judged += 1
    const { costPrice, sellable } = now
    const input = { ...at(0), price: units as Price, costPrice, sellable: shares(sellable) }
    const [state, { code, signal }] = evaluateStopProfit(policy, now.state, input)
    now = { ...now, state }
    band = bandAt(state, costPrice)
    if (signal !== undefined) signals.push(`${code} ${index} ${JSON.stringify(signal)}`)
  })
  return { signals, state: now.state, judged }
}

t.test(
  'judging only the ticks outside the band gives the signals of judging them all',
  async (t) => {
    let all = 0
    let banded = 0
    const types = new Set<string>()
    const holds = fc.property(steps, (sequence) => {
      const every = walk(sequence, { isBanded: false })
      const some = walk(sequence, { isBanded: true })
      all += every.judged
      banded += some.judged
      for (const signal of every.signals) types.add(signal.split(' ')[0] ?? '')
      return (
        JSON.stringify(every.signals) === JSON.stringify(some.signals) &&
        JSON.stringify(every.state) === JSON.stringify(some.state)
      )
    })
    fc.assert(holds, { numRuns: 300, seed: 20_260_811 })
    t.strictSame([...types].sort(), ['stop_loss', 'take_profit_full', 'take_profit_half'])
    t.ok(banded < all, `${banded} of ${all} ticks were judged`)
  },
)
