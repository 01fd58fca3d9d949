import fc from 'fast-check'
import t from 'tap'
import type { Price } from '../../../src/domain/money.ts'
import {
  breakoutPrice,
  exitPrice,
  isPlausibleHigh,
  minimumPrice,
  pullbackPrice,
  shownStop,
  stopPrice,
} from '../../../src/strategy/stop-profit/trigger-prices.ts'
import { policy, price } from './fixture.ts'

/** Up to 2000 yuan; exact arithmetic in whole numbers beside the doubles of the rules. */
const prices = fc.integer({ min: 1, max: 20_000_000 }).map((units) => units as Price)
const floorOf = (value: bigint, scale: bigint) => Number(value / scale)
const ceilOf = (value: bigint, scale: bigint) => Number((value + scale - 1n) / scale)

t.test('every trigger price is the whole price nearest to the exact threshold', async () => {
  const percents = fc.integer({ min: 1, max: 20 })
  const areExact = fc.property(prices, percents, (units, percent) => {
    const exact = BigInt(units)
    const whole = BigInt(percent)
    const ratio = percent / 100
    return (
      stopPrice({ ...policy, stopLossRatio: -ratio }, units) ===
        floorOf(exact * (100n - whole), 100n) &&
      breakoutPrice({ ...policy, breakoutRatio: ratio }, units) ===
        ceilOf(exact * (100n + whole), 100n) &&
      pullbackPrice({ ...policy, pullbackRatio: ratio / 10 }, units) ===
        floorOf(exact * (1_000n - whole), 1_000n)
    )
  })
  fc.assert(areExact, { numRuns: 20_000, seed: 20_260_811 })
})

t.test('the minimum and the exit of each tier are exact for round costs', async (t) => {
  for (let cents = 101; cents <= 20_000; cents += 7) {
    const costPrice = (cents * 100) as Price
    const minimum = ceilOf(BigInt(costPrice) * 10_494_265n, 10_000_000n)
    if (minimumPrice(policy, costPrice) !== minimum) t.fail(`minimum of ${cents}`)
    for (const { level, coefficient } of policy.tiers) {
      const highestPrice = Math.ceil((cents * Math.round(level * 100 + 100)) / 100) * 100
      const exact = BigInt(highestPrice) * BigInt(Math.round(coefficient * 100))
      const exit = exitPrice(policy, { costPrice, highestPrice: highestPrice as Price })
      if (exit !== floorOf(exact, 100n)) t.fail(`exit of ${cents} at ${level}`)
    }
  }
  t.equal(exitPrice(policy, { costPrice: price(38.13), highestPrice: price(41.06) }), 394_176)
})

t.test('the stop that is shown is rounded to the tick of its board', async (t) => {
  const held = { highestPrice: price(4.126), profitTriggered: false }
  const shown = (cost: number, tickSize: number) =>
    shownStop(policy, { ...held, costPrice: price(cost) }, tickSize)
  t.equal(shown(4.123, 10), price(3.814), '3.813775 of a fund')
  t.equal(shown(4.123, 100), price(3.81), 'of a stock')
  t.equal(shown(36.07, 100), price(33.36), '33.36475')
})

t.test('a high is plausible from a tenth to twenty times the cost', async (t) => {
  const isIt = (high: number) => isPlausibleHigh(price(high), price(10))
  t.strictSame([0, 0.9999, 1, 200, 200.0001].map(isIt), [false, false, true, true, false])
})
