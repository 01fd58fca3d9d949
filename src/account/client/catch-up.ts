import { isCaughtUp, isPartUntold, type OrderRecord } from '../../domain/order.ts'
import { isOpen } from '../../domain/order-state.ts'
import type { AccountState } from '../model/state.ts'
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
export function onFillsBehind(turn: Turn, order: OrderRecord): void {
  if (isPartUntold(order)) return lookForPart(turn, order)
  if (isCaughtUp(order)) return
  if (!isOpen(order.status)) return askForFills(turn)
  const { doubtQueryIntervalMs } = turn.state.policy.limits
  turn.timer('fills', doubtQueryIntervalMs)
}

function askForFills(turn: Turn): void {
  const { state } = turn
  if (state.isReady && !turn.isAsked('fills')) turn.query('deals', 'fills')
  turn.timer('fills', state.policy.limits.doubtQueryIntervalMs)
}

/** What takes the place of such an order, or of its rest, waits for one list of deals that is asked for after its end. */
function lookForPart(turn: Turn, { clientOrderId, amendment, isReorderWanted }: OrderRecord): void {
  const { partEnds, nextCallId } = turn.state
  const hasSuccessor = amendment?.outcome === 'canceling' || isReorderWanted === true
  if (!hasSuccessor || partEnds.has(clientOrderId)) return
  partEnds.set(clientOrderId, nextCallId)
  askForFills(turn)
}

/** A list of deals has come, asked for by the call of this number. */
export function onDealsListed({ partEnds }: AccountState, callId: number): void {
  for (const [id, from] of partEnds) if (callId >= from) partEnds.delete(id)
}
