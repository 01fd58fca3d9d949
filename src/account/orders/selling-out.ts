import type { StockCode } from '../../domain/instrument.ts'
import type { OrderRecord } from '../../domain/order.ts'
import { isFullExit } from '../../domain/protective.ts'
import type { AccountState } from '../model/state.ts'
import type { Sight } from '../turn/turn.ts'
import { trackedOrders } from './follow-up.ts'

/** Whether a stop-loss of the stock waits for an order of its own to end, at the price that is seen. */
export function isStopHeld(
  { heldStops }: AccountState,
  sight: Pick<Sight, 'quote'>,
  code: StockCode,
): boolean {
  const held = heldStops.get(code)
  const price = sight.quote(code)?.lastPrice ?? 0
  return held !== undefined && price > 0 && price <= held.threshold
}

/**
 * Whether all of a stock is about to be sold: an order for that is not finished, or waits for others to end. What is
 * bought meanwhile could not be sold before tomorrow, and its order would keep the sale back.
 */
export const isSellingOut = (
  state: AccountState,
  sight: Pick<Sight, 'quote'>,
  code: StockCode,
): boolean =>
  isStopHeld(state, sight, code) || trackedOrders(state).some((order) => isExitOf(order, code))

const isExitOf = (order: OrderRecord, code: StockCode): boolean =>
  order.code === code && isFullExit(order.signalType)
