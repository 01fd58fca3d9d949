import t from 'tap'
import type { Price } from '../../../src/domain/money.ts'
import { protectPrice } from '../../../src/strategy/stop-profit/protect.ts'

const tiers = [
  { level: 0.05, coefficient: 0.96 },
  { level: 0.1, coefficient: 0.93 },
  { level: 0.15, coefficient: 0.9 },
  { level: 0.2, coefficient: 0.87 },
  { level: 0.3, coefficient: 0.85 },
  { level: 0.4, coefficient: 0.83 },
  { level: 0.5, coefficient: 0.8 },
]
const policy = { stopLossRatio: -0.075, tiers }
const price = (yuan: number) => Math.round(yuan * 10_000) as Price

const VECTORS: readonly (readonly [number, number, boolean, number])[] = [
  [10, 10, false, 9.25],
  [10, 12, false, 9.25],
  [10, 10.3, true, 9.25],
  [10, 10.5, true, 10.08],
  [10, 10.99, true, 10.5504],
  [10, 11, true, 10.23],
  [10, 11.5, true, 10.35],
  [10, 12, true, 10.44],
  [10, 13, true, 11.05],
  [10, 13.99, true, 11.8915],
  [10, 14, true, 11.62],
  [10, 15, true, 12],
  [10, 20, true, 16],
  [0, 5, true, 0],
  [10, 0, true, 9.25],
  [38.13, 41.06, true, 39.4176],
  [9, 9.45, true, 9.072], // (9.45 − 9) / 9 is a hair below 0.05 in doubles
]

t.test('the protective price follows the table of tiers', async (t) => {
  for (const [cost, high, profitTriggered, expected] of VECTORS) {
    const input = { costPrice: price(cost), highestPrice: price(high), profitTriggered }
    const result = protectPrice(policy, input) / 10_000
    t.ok(Math.abs(result - expected) < 1e-9, `${cost} ${high} ${profitTriggered}: ${result}`)
  }
  const input = { costPrice: price(10), highestPrice: price(12), profitTriggered: true }
  t.equal(
    protectPrice({ ...policy, tiers: [] }, input) / 10_000,
    11.4,
    'no tiers: 0.95 of the high',
  )
})
