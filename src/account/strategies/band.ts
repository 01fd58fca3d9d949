import type { StockCode } from '../../domain/instrument.ts'
import type { Price } from '../../domain/money.ts'
import type { Band } from '../../strategy/band.ts'
import type { AccountState } from '../model/state.ts'
import { markPrice } from '../orders/quote-rules.ts'
import { positionsOf } from '../turn/holding.ts'
import type { BandSight } from './manifest.ts'
import { STRATEGIES } from './registry.ts'
import { strategyBand } from './run.ts'

/**
 * The prices of a stock between which nothing happens: no strategy acts, and the loss of the day
 * stays below its limit (`floor`, the part of the present price that `lossFloor` gives; 0 = off).
 */
export function accountBand(
  state: AccountState,
  code: StockCode,
  { floor, ...sight }: BandSight & { readonly floor: number },
  strategies = STRATEGIES,
): Band {
  const band = strategyBand(state, code, sight, strategies)
  const position = positionsOf(state).get(code)
  if (floor <= 0 || position === undefined) return band
  const low = Math.floor(markPrice(position, sight.quote(code)) * floor) + 1
  return low > band.low ? { low: low as Price, high: band.high } : band
}
