import { stopDistance } from '../shared/rows.ts'
import { figuresOf } from '../shared/sums.ts'
import type { PositionRow } from '../shared/wire.ts'

/** A loss that is smaller sells nothing, whatever the stop. */
const LOSS_MIN = 0.02
/** Doubles err by less than this part of a price. */
const NOISE = 1e-9

/**
 * Holdings that are sold at once as soon as nothing keeps their stop back: the price is at it, or below. `stopLoss` is a stop
 * that is to hold from now on, as a percent number of the cost; a wider one than that of now brings nothing nearer.
 */
export const atTheirStop = (
  rows: readonly PositionRow[],
  stopLoss?: number,
): readonly PositionRow[] =>
  rows.filter(
    (row) =>
      row.stop_profit_enabled && row.available > 0 && (isPast(row) || isUnder(row, stopLoss)),
  )

const isPast = (row: PositionRow): boolean => (stopDistance(row) ?? 1) <= 0

function isUnder(row: PositionRow, stopLoss: number | undefined): boolean {
  const { price, cost } = figuresOf(row)
  if (stopLoss === undefined || price === undefined || cost === undefined) return false
  const share = Math.max(stopLoss / 100, LOSS_MIN)
  return price > 0 && price <= cost * (1 - share + NOISE)
}
