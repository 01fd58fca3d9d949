import type { BoardRule } from './data/board-rules.ts'
import type { Quantity } from './money.ts'

/**
 * Shares that strategies and orders for an amount count in, on every board: one hand (手). What the exchange itself takes is
 * in `data/board-rules.ts`, and on some boards finer.
 */
export const LOT = 100

/** The whole hundreds of a number of shares. */
export const wholeLots = (shares: number): number => Math.floor(shares / LOT) * LOT

/** Fewest shares that a strategy orders: whole hundreds, and what the board asks for. */
export const fewestShares = ({ lotMin }: Pick<BoardRule, 'lotMin'>): Quantity =>
  Math.max(LOT, lotMin) as Quantity

/** What the board lets be bought of a number of shares: whole steps, and none below its fewest. */
export function boardLots(
  shares: number,
  { lotMin, lotStep }: Pick<BoardRule, 'lotMin' | 'lotStep'>,
): Quantity {
  const whole = Math.max(0, shares - (shares % lotStep))
  return (whole < lotMin ? 0 : whole) as Quantity
}
