import type { StockCode } from '../../domain/instrument.ts'
import type { Price } from '../../domain/money.ts'
import { ANY_PRICE, type Band, EVERY_TICK, intersection } from '../../strategy/band.ts'
import type { AccountState } from '../model/state.ts'
import { isCompared, isScaleUnknown } from '../orders/ex-day.ts'
import { markPrice } from '../orders/quote-rules.ts'
import { nameOf, positionsOf } from '../turn/holding.ts'
import type { Sight } from '../turn/turn.ts'
import { STRATEGIES } from './registry.ts'

/**
 * The prices of a stock between which nothing happens: no strategy acts, the breaker counts nothing,
 * and the loss of the day stays below its limit (`floor`, the part of the present price that
 * `lossFloor` gives; 0 = off). A quote that the trust in quotes waits for is looked at at any price; so is
 * the first of a day, for an ex-day, and every one while nobody knows on which scale the prices are.
 */
export function accountBand(
  state: AccountState,
  code: StockCode,
  sight: Sight & { readonly floor: number },
  strategies = STRATEGIES,
): Band {
  const position = positionsOf(state).get(code)
  const quote = position && sight.quote(code)
  if (position !== undefined && state.quoteTrust.awaitsQuote(code, { nowMs: sight.nowMs, quote })) {
    return EVERY_TICK
  }
  if (!isCompared(state, code) || (position !== undefined && isScaleUnknown(position))) {
    return EVERY_TICK
  }
  let band = ANY_PRICE
  for (const strategy of strategies) {
    band = intersection(band, strategy.bandOf(state, code, sight))
  }
  if (position === undefined) return band
  const named = { code, name: nameOf(state, code) }
  if (quote !== undefined) band = intersection(band, state.quoteTrust.goodPrices(named, quote))
  if (sight.floor <= 0) return band
  const low = Math.floor(markPrice(position, quote) * sight.floor) + 1
  return low > band.low ? { ...band, low: low as Price } : band
}
