import type { Price } from '../../domain/money.ts'
import { type Band, EVERY_TICK } from '../band.ts'
import type { StopProfitState } from './stop-profit.ts'
import {
  breakoutPrice,
  exitPrice,
  isPlausibleHigh,
  pullbackPrice,
  type StopProfitPolicy,
  stopPrice,
} from './trigger-prices.ts'

/**
 * The prices around the present one at which nothing happens to a holding: no signal, no breakout,
 * no new high, no supplementary purchase. It depends on what is given and on nothing else, so it
 * holds until the policy, the state or the cost changes.
 *
 * `addPrice`  price from which downward a supplementary purchase is possible (`addPriceOf`); 0 = none is.
 */
export function bandOf(
  policy: StopProfitPolicy,
  state: StopProfitState,
  { costPrice, addPrice }: { readonly costPrice: Price; readonly addPrice: Price },
): Band {
  const { highestPrice } = state
  if (costPrice <= 0) return band(0, highestPrice)
  if (!isPlausibleHigh(highestPrice, costPrice)) return EVERY_TICK
  const stop = stopPrice(policy, costPrice)
  if (state.profitTriggered) {
    return band(Math.max(stop, exitPrice(policy, { costPrice, highestPrice })), highestPrice)
  }
  const lower = Math.max(stop, addPrice)
  if (state.breakoutTriggered) {
    const high = state.breakoutHighestPrice
    return band(Math.max(lower, pullbackPrice(policy, high)), Math.min(highestPrice, high))
  }
  return band(lower, Math.min(highestPrice, breakoutPrice(policy, costPrice) - 1))
}

/**
 * The price up to which a new high of a holding decides nothing: before a breakout no rule looks at the high, and after it
 * the high is above the price of the breakout. 0 = every high may decide.
 */
export function quietUpTo(
  policy: StopProfitPolicy,
  { highestPrice, profitTriggered, breakoutTriggered }: StopProfitState,
  costPrice: Price,
): Price {
  if (profitTriggered || breakoutTriggered) return NO_PRICE
  if (costPrice <= 0 || !isPlausibleHigh(highestPrice, costPrice)) return NO_PRICE
  return Math.max(0, breakoutPrice(policy, costPrice) - 1) as Price
}
const NO_PRICE = 0 as Price

/** From just above the price that acts, up to the highest that does not. */
const band = (acting: number, high: number): Band => ({
  low: (acting + 1) as Price,
  high: high as Price,
})
