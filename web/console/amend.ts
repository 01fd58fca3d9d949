import type { OrderRow } from '../shared/wire.ts'

/** Orders that the strategies follow by themselves: the service changes none of them. */
const FOLLOWED = new Set([...['stop_loss', 'auto_partial', 'auto_full', 'add_position', 'grid']])
/** Of the trading client: a cancel is in hand. */
const CANCELING = new Set([51, 52])

/** Whether a button to change it makes sense; the service decides. */
export const canAmend = ({ is_pending, status, strategy, amendment }: OrderRow): boolean =>
  is_pending &&
  !CANCELING.has(status) &&
  !FOLLOWED.has(strategy) &&
  amendment?.state !== 'canceling'

/** What is typed: a price in yuan, and the shares that both orders together may fill. */
export interface Wanted {
  readonly price: number
  readonly volume: number
}

/** The body that changes an order, undefined as long as nothing would change or it cannot be. */
export function amendmentBody(order: OrderRow, { price, volume }: Wanted): object | undefined {
  const isPriced = price !== order.price
  const isSized = volume !== order.volume
  // One wrong field is no wish to change the other alone.
  if (isPriced && !(Number.isFinite(price) && price > 0)) return undefined
  if (!Number.isInteger(volume) || volume <= order.traded_volume) return undefined
  if (!isPriced && !isSized) return undefined
  return { ...(isPriced && { price }), ...(isSized && { order_volume: volume }) }
}
