import type { DirtyRow } from '../model/dirty-row.ts'
import type { AccountEvent } from '../model/events.ts'
import type { AccountState } from '../model/state.ts'
import { putOrder } from './order-fold.ts'

/**
 * Folds who knows what became of orders. The answer to an order in doubt has told of nothing yet. That a process has told of one
 * for good stays, as in the rows of a release that does not know it: between two starts of this one that may have gone on.
 */
export function foldTold(
  state: AccountState,
  event: Extract<AccountEvent, { kind: 'orderTold' | 'orderUntold' }>,
  timeMs: number,
): readonly DirtyRow[] {
  return event.clientOrderIds.flatMap((id) => {
    const order = state.orders.get(id)
    if (order === undefined) return []
    const { untoldMs: _, ...rest } = order
    if (event.kind === 'orderUntold') return putOrder(state, { ...rest, untoldMs: timeMs })
    return putOrder(state, event.isForGood === true ? { ...rest, isTold: true } : rest)
  })
}
