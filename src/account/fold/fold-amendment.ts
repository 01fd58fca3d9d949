import { strict as assert } from 'node:assert'
import type { Amendment, OrderRecord } from '../../domain/order.ts'
import type { DirtyRow } from '../model/dirty-row.ts'
import type { AccountEvent } from '../model/events.ts'
import type { AccountState } from '../model/state.ts'
import { putOrder } from './order-fold.ts'

type Amended = Extract<AccountEvent, { kind: 'orderAmended' | 'amendmentEnded' }>

/** What an order is to be changed into, and what has become of that. */
export function foldAmendment(state: AccountState, event: Amended): readonly DirtyRow[] {
  const order = state.orders.get(event.clientOrderId)
  assert(order !== undefined, `order ${event.clientOrderId} unknown`)
  if (event.kind === 'orderAmended') return put(state, order, event.amendment)
  const { outcome, reason } = event
  assert(order.amendment !== undefined, `order ${event.clientOrderId} was not to be changed`)
  return put(state, order, { ...order.amendment, outcome, reason })
}

const put = (state: AccountState, order: OrderRecord, amendment: Amendment) =>
  putOrder(state, { ...order, amendment })
