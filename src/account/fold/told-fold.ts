import type { OrderRecord } from '../../domain/order.ts'
import type { DirtyRow } from '../model/dirty-row.ts'
import type { AccountEvent } from '../model/events.ts'
import type { AccountState } from '../model/state.ts'
import { putOrder } from './order-fold.ts'

/** Folds who knows what became of orders. The answer to an order in doubt has told of nothing yet. */
export function foldTold(
  state: AccountState,
  { kind, clientOrderIds }: Extract<AccountEvent, { kind: 'orderTold' | 'orderUntold' }>,
  timeMs: number,
): readonly DirtyRow[] {
  return clientOrderIds.flatMap((id) => {
    const order = state.orders.get(id)
    if (order === undefined) return []
    return putOrder(state, kind === 'orderTold' ? told(order) : { ...order, untoldMs: timeMs })
  })
}

function told(order: OrderRecord): OrderRecord {
  const { untoldMs: _, ...rest } = order
  return rest
}
