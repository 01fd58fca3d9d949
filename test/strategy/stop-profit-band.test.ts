import fc from 'fast-check'
import t from 'tap'
import type { Price } from '../../src/domain/money.ts'
import { addPriceOf } from '../../src/strategy/add-position.ts'
import { evaluateStopProfit, type StopProfitState } from '../../src/strategy/stop-profit.ts'
import { type Band, bandOf } from '../../src/strategy/stop-profit-band.ts'
import { runPass } from '../../src/strategy/stop-profit-pass.ts'
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
          ...{
            nowMs: NOW_MS,
            gates: OPEN,
            holding: { quantity, sellable: shares(sellable), costPrice },
          },
          ...{ quote: { lastPrice: units, lastClose: units, bid: [], ask: [] } },
          ...{ rule: { lotMin: 100, quantityMax: 1_000_000 }, hasPendingOrder: false },
          ...{ isBuyAllowed: true, isSellAllowed: true, isSimulation: false, lastAddMs: 0 },
        },
      )
      return next === state && judgment.signal === undefined && intent === undefined
    },
  )
  fc.assert(holds, { numRuns: 3_000 })
  t.ok(inside > 500, `${inside} bands held something`)
})

const steps = fc.array(
  fc.record({
    move: fc.integer({ min: -400, max: 420 }),
    /** Now and then the position changes between two ticks. */
    change: fc.constantFrom('', '', '', '', '', '', '', 'cost', 'sellable', 'fill', 'unfill'),
  }),
  { minLength: 20, maxLength: 300 },
)
type Steps = readonly { readonly move: number; readonly change: string }[]

/** All signals of a walk and where it ends; with bands only the ticks outside them are judged. */
function walk(sequence: Steps, { isBanded }: { readonly isBanded: boolean }) {
  let state: StopProfitState = fresh
  let units = 100_000
  let costPrice = price(10)
  let sellable = 1_000
  let judged = 0
  const signals: string[] = []
  let band = bandAt(state, costPrice)
  sequence.forEach(({ move, change }, index) => {
    if (change === 'cost') costPrice = Math.max(1, costPrice - 2_000) as Price
    if (change === 'sellable') sellable = sellable === 0 ? 1_000 : 0
    if (change === 'fill') state = { ...state, profitTriggered: true }
    if (change === 'unfill') state = fresh
    if (change !== '') band = bandAt(state, costPrice)
    units = Math.max(100, units + move)
    if (isBanded && isInside(band, units)) return
    judged += 1
    const input = { ...at(0), price: units as Price, costPrice, sellable: shares(sellable) }
    const [next, judgment] = evaluateStopProfit(policy, state, input)
    state = next
    band = bandAt(state, costPrice)
    if (judgment.signal !== undefined) signals.push(`${index} ${JSON.stringify(judgment.signal)}`)
  })
  return { signals, state, judged }
}

t.test(
  'judging only the ticks outside the band gives the signals of judging them all',
  async (t) => {
    let all = 0
    let banded = 0
    let signals = 0
    const holds = fc.property(steps, (sequence) => {
      const every = walk(sequence, { isBanded: false })
      const some = walk(sequence, { isBanded: true })
      all += every.judged
      banded += some.judged
      signals += every.signals.length
      return (
        JSON.stringify(every.signals) === JSON.stringify(some.signals) &&
        JSON.stringify(every.state) === JSON.stringify(some.state)
      )
    })
    fc.assert(holds, { numRuns: 300 })
    t.ok(signals > 0, `${signals} signals`)
    t.ok(banded < all, `${banded} of ${all} ticks were judged`)
  },
)
