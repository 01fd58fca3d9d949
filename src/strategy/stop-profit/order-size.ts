import type { BoardRule } from '../../domain/data/board-rules.ts'
import { fewestShares, LOT } from '../../domain/lot.ts'
import type { Money, Price, Quantity } from '../../domain/money.ts'
import type { StopProfitSignal } from './stop-profit-signal.ts'

/** What the board allows for one order. */
export type LotRule = Pick<BoardRule, 'lotMin' | 'quantityMax'>

const PPM = 1_000_000

/**
 * Shares to sell for a signal, never more than may be sold nor than one order may hold. The first
 * take-profit sells its part in whole hundreds, at least one lot; less than a lot is sold whole,
 * because an odd remainder may not be split. The others sell everything.
 *
 * Source  docs/domain.md 5.10.
 */
export function saleQuantity(
  signal: StopProfitSignal,
  sellable: Quantity,
  rule: LotRule,
): Quantity {
  const wanted =
    signal.type === 'take_profit_half' ? partQuantity(signal.sellRatio, sellable, rule) : sellable
  return Math.min(wanted, sellable, rule.quantityMax) as Quantity
}

/**
 * A part of what may be sold, in whole lots (hundreds, for strategies), at least the fewest that the board asks for: a small
 * part is never the whole of a large holding. The ratio in millionths keeps the product whole: 0.58 of 100 is 58, not 57.99.
 */
export function partQuantity(
  ratio: number,
  sellable: Quantity,
  { lot = LOT, lotMin }: Pick<LotRule, 'lotMin'> & { readonly lot?: number },
): Quantity {
  const least = Math.max(lot, lotMin)
  if (sellable < least) return sellable
  const whole = Math.floor((sellable * Math.round(ratio * PPM)) / (PPM * lot)) * lot
  return Math.max(least, whole) as Quantity
}

/** Whole hundreds that an amount buys; 0 when it does not buy the fewest that may be bought. */
export function purchaseQuantity(amount: Money, price: Price, rule: LotRule): Quantity {
  const whole = Math.floor(amount / (price * LOT)) * LOT
  return (whole < fewestShares(rule) ? 0 : Math.min(whole, rule.quantityMax)) as Quantity
}
