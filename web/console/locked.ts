import { bareCode } from '../shared/format.ts'
import type { OrderRow, PositionRow } from '../shared/wire.ts'

/** Shares of a holding that may not be sold now, by what keeps them. */
export interface Locked {
  /** Behind open sales: whoever cancels these has them back. */
  readonly onSale: number
  /** Bought today, or kept by the broker. */
  readonly other: number
}

/** What open sales have not sold yet, by bare code. */
export function sharesOnSale(orders: readonly OrderRow[]): ReadonlyMap<string, number> {
  const onSale = new Map<string, number>()
  for (const { is_pending, trade_type, stock_code, volume, traded_volume } of orders) {
    if (!is_pending || trade_type !== 'SELL') continue
    const code = bareCode(stock_code)
    onSale.set(code, (onSale.get(code) ?? 0) + volume - traded_volume)
  }
  return onSale
}

export function lockedOf(
  { volume, available }: Pick<PositionRow, 'volume' | 'available'>,
  onSale: number,
): Locked {
  const all = Math.max(0, volume - available)
  const sold = Math.min(all, onSale)
  return { onSale: sold, other: all - sold }
}
