import type { PositionRow } from '../shared/wire.ts'

/** How far the price is above the stop, as a percent number of the price; undefined without either. */
export function stopDistance(
  row: Pick<PositionRow, 'current_price' | 'stop_loss_price'>,
): number | undefined {
  const { current_price: now, stop_loss_price: stop } = row
  return now > 0 && stop > 0 ? ((now - stop) / now) * 100 : undefined
}
