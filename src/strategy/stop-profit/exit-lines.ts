import type { Price } from '../../domain/money.ts'
import type { StopProfitState } from './stop-profit.ts'
import {
  breakoutPrice,
  executedStop,
  exitPrice,
  isPlausibleHigh,
  pullbackPrice,
  type StopProfitPolicy,
} from './trigger-prices.ts'

/**
 * The prices that a holding waits for, on the tick size of its board: the first that trade and act, so that
 * what is shown is what happens. 0 = not known.
 */
export interface ExitLines {
  /** What comes next, besides the stop: the breakout, the fall from the high since then, or the exit of the rest. */
  readonly waitsFor: 'breakout' | 'pullback' | 'exit'
  readonly next: Price
  /** The stop that the cost gives, which acts at any time. */
  readonly stop: Price
  /** What the fall or the exit is measured from; 0 before the breakout. */
  readonly high: Price
  /** The exit sells above this price only, the cost: no profit is taken that is none. 0 where no exit is waited for. */
  readonly above: Price
}

const NONE = 0 as Price

/** By the rules that judge a tick; undefined while the cost is not known. */
export function exitLines(
  policy: StopProfitPolicy,
  state: StopProfitState,
  { costPrice, tickSize }: { readonly costPrice: Price; readonly tickSize: number },
): ExitLines | undefined {
  if (costPrice <= 0) return undefined
  const down = (price: Price) => (Math.floor(price / tickSize) * tickSize) as Price
  const stop = down(executedStop(policy, costPrice))
  const above = NONE
  if (state.profitTriggered) {
    const { highestPrice } = state
    // A high that no rule relies on: what they take instead depends on the price of the moment.
    if (!isPlausibleHigh(highestPrice, costPrice)) {
      return { waitsFor: 'exit', next: NONE, stop, high: NONE, above }
    }
    const exit = down(exitPrice(policy, { costPrice, highestPrice }))
    const next = exit > costPrice ? exit : stop
    return { waitsFor: 'exit', next, stop, high: highestPrice, above: costPrice }
  }
  if (state.breakoutTriggered) {
    const high = state.breakoutHighestPrice
    return { waitsFor: 'pullback', next: down(pullbackPrice(policy, high)), stop, high, above }
  }
  const next = (Math.ceil(breakoutPrice(policy, costPrice) / tickSize) * tickSize) as Price
  return { waitsFor: 'breakout', next, stop, high: NONE, above }
}
