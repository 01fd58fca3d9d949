import { type BrokerOrder, isInHand, type OrderRecord } from '../../domain/order.ts'
import { onCancelRefused } from '../orders/cancels.ts'
import type { Turn } from '../turn/turn.ts'
import { ownOrder } from './reports.ts'

const UNDONE =
  '撤单已被柜台受理，但未成功：委托仍在交易所 (the counter took the cancel and it came to nothing: the order works on)'

/**
 * After a list was followed. The counter takes a cancel (51, 52), and the exchange may still refuse it: the order is shown
 * as it was before. A push, or a list that is behind, shows that too; lists that are asked for far enough apart prove it.
 */
export function seeUndone(turn: Turn, rows: readonly BrokerOrder[]): void {
  const { state, asked } = turn
  if (asked === undefined) return
  const { undoneSinceMs } = state
  const before = new Map(undoneSinceMs)
  undoneSinceMs.clear()
  for (const order of shownAsBefore(turn, rows)) {
    const { clientOrderId } = order
    // A clock that was set back since must not put it off until that time comes again.
    const sinceMs = Math.min(before.get(clientOrderId) ?? asked.wallMs, asked.wallMs)
    if (asked.wallMs - sinceMs < state.policy.limits.doubtSettleMs) {
      undoneSinceMs.set(clientOrderId, sinceMs)
    } else undo(turn, order)
  }
}

/** Whose cancel is in hand by the last news, and which this list shows without one. */
function shownAsBefore(turn: Turn, rows: readonly BrokerOrder[]): readonly OrderRecord[] {
  const waiting = [...turn.state.orders.open()].filter(
    (order) => order.status === 'pendingCancel' && isInHand(order),
  )
  if (waiting.length === 0) return []
  const shown = new Set<OrderRecord>()
  for (const row of rows) {
    if (row.status !== 50 && row.status !== 55) continue
    const order = ownOrder(turn, row)
    if (order !== undefined && !lacksFills(row, order)) shown.add(order)
  }
  return waiting.filter((order) => shown.has(order))
}

/** It is behind what is known, and perhaps behind the cancel too. */
const lacksFills = (row: BrokerOrder, { filledQuantity, venueFilledQuantity }: OrderRecord) =>
  row.filledQuantity < Math.max(filledQuantity, venueFilledQuantity ?? 0)

/** What a time limit or a change wanted is tried again; a person, or whoever it was elsewhere, has to know. */
function undo(turn: Turn, { clientOrderId, isReorderWanted, isReplaced }: OrderRecord): void {
  const { cancels, cancelsGivenUp } = turn.state
  // What gives way to a change, or to a stop, is canceled until it has ended, also after a start: whoever asked was told so.
  if (isReplaced === true && !cancels.has(clientOrderId) && !cancelsGivenUp.has(clientOrderId)) {
    cancels.set(clientOrderId, { tries: 0, isPersistent: true })
  }
  const isFollowed = isReorderWanted === true || cancels.get(clientOrderId)?.isPersistent === true
  turn.moveOrder(clientOrderId, 'refuseCancel')
  if (!isFollowed) turn.warnOfOrder(clientOrderId, UNDONE)
  onCancelRefused(turn, clientOrderId)
}
