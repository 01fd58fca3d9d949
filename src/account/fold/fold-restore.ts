import type { DirtyRow } from '../model/dirty-row.ts'
import type { AccountEvent } from '../model/events.ts'
import { isUncompared, NOTHING_SINCE, type Restore, SINCE_ORDERS_MAX } from '../model/restore.ts'
import type { AccountState } from '../model/state.ts'

type RestoreEvent = Extract<
  AccountEvent,
  { kind: 'restoreFound' | 'restoreCompared' | 'restoreConfirmed' }
>

const META: readonly DirtyRow[] = [{ table: 'meta', key: 'account' }]

/** Books were put back, compared, and what that found was confirmed by a person. */
export function foldRestore(
  state: AccountState,
  event: RestoreEvent,
  timeMs: number,
): readonly DirtyRow[] {
  if (event.kind === 'restoreFound') {
    const { mark, fromEpoch, clientEpoch, former, isPersonAsked } = event
    const asked = isPersonAsked === true ? { confirmedMs: 0, since: NOTHING_SINCE } : {}
    const before = former === undefined ? {} : { former }
    const found = { mark, fromEpoch, clientEpoch, ...before }
    state.restore = { ...found, foundMs: timeMs, comparedMs: 0, ...asked }
  } else if (state.restore?.mark === event.mark) {
    const moment = event.kind === 'restoreCompared' ? 'comparedMs' : 'confirmedMs'
    state.restore = { ...state.restore, [moment]: timeMs }
  }
  return META
}

/** Until the comparison is over, what the client has and the books lacked was placed after the backup. */
const isCounted = (
  restore: Restore | undefined,
): restore is Restore & Required<Pick<Restore, 'since'>> =>
  isUncompared(restore) && restore?.since !== undefined

/** An order that the books lacked. */
export function orderSince(state: AccountState, clientOrderId: string): readonly DirtyRow[] {
  const { restore } = state
  if (!isCounted(restore)) return []
  const { orders, ordersTotal, deals } = restore.since
  const named = orders.length < SINCE_ORDERS_MAX ? [...orders, clientOrderId] : orders
  state.restore = { ...restore, since: { orders: named, ordersTotal: ordersTotal + 1, deals } }
  return META
}

/** A deal that they lacked. */
export function dealSince(state: AccountState): readonly DirtyRow[] {
  const { restore } = state
  if (!isCounted(restore)) return []
  const { since } = restore
  state.restore = { ...restore, since: { ...since, deals: since.deals + 1 } }
  return META
}
