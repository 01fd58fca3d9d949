import {
  type BrokerDeal,
  type BrokerOrder,
  isCaughtUp,
  type OrderRecord,
} from '../../domain/order.ts'
import { isOpen } from '../../domain/order-state.ts'
import type { AccountState } from '../model/state.ts'
import { isPartSought } from '../orders/follow-up.ts'
import type { Turn } from '../turn/turn.ts'

/**
 * Deals are asked for again while an order shows more fills than its deals have told. The timer
 * goes on until all have come, or it has polled as long as for an order in doubt.
 */
export function pollFills(turn: Turn): void {
  const { state } = turn
  const { doubtQueryIntervalMs, doubtQuarantineMs } = state.policy.limits
  const behind = [...state.orders.values()].find(
    (order) => !isCaughtUp(order) || state.partEnds.has(order.clientOrderId),
  )
  if (behind === undefined) {
    state.fillPolls = 0
    return
  }
  state.fillPolls += 1
  if (state.fillPolls * doubtQueryIntervalMs > doubtQuarantineMs) {
    turn.warn(`order ${behind.clientOrderId}: fills that the trading client counts never came`)
    state.fillPolls = 0
    return
  }
  askForFills(turn)
}

/** A report told of fills that no deal has shown yet. An order that has ended is asked about at once. */
export function onFillsBehind(turn: Turn, order: OrderRecord, report: BrokerOrder): void {
  if (report.status === 53) noteCount(turn, order, report)
  if (isCaughtUp(order) && !isPartSought(turn.state, order)) return
  if (!isOpen(order.status)) return askForFills(turn)
  const { doubtQueryIntervalMs } = turn.state.policy.limits
  turn.timer('fills', doubtQueryIntervalMs)
}

function askForFills(turn: Turn): void {
  const { state } = turn
  if (state.isReady && !turn.isAsked('fills')) turn.query('deals', 'fills')
  turn.timer('fills', state.policy.limits.doubtQueryIntervalMs)
}

/**
 * An end that says that a part was filled, and counts none of it, says nothing of how much. What takes the place of such an
 * order, of its rest, or of a signal that is found anew, waits for one list of deals that is asked for after the end, whatever deals have been told by then.
 */
function noteCount(
  { state: { partEnds, nextCallId } }: Turn,
  { clientOrderId, amendment, isReorderWanted, signalType }: OrderRecord,
  { filledQuantity }: BrokerOrder,
): void {
  const isFollowed = isReorderWanted === true || signalType !== undefined
  const hasSuccessor = amendment?.outcome === 'canceling' || isFollowed
  if (filledQuantity > 0) partEnds.delete(clientOrderId)
  else if (hasSuccessor && !partEnds.has(clientOrderId)) partEnds.set(clientOrderId, nextCallId)
}

/**
 * A list of deals has come, asked for by the call of this number. One without a deal that is known of such an order is
 * behind, and may lack the others too. `keysOf`: under what those are booked that it shows.
 */
export function onDealsListed(
  { partEnds, deals, orders, day }: AccountState,
  callId: number,
  keysOf: () => ReadonlyMap<BrokerDeal, string>,
): void {
  if (partEnds.size === 0) return
  const listed = new Set(keysOf().values())
  const behind = new Set<string | undefined>()
  for (const [key, { clientOrderId }] of deals) if (!listed.has(key)) behind.add(clientOrderId)
  for (const [id, from] of partEnds) {
    // Of an earlier day no list tells any more.
    const isOver = (orders.get(id)?.day ?? '') < day
    if (isOver || (callId >= from && !behind.has(id))) partEnds.delete(id)
  }
}
