import { isCaughtUp, type OrderRecord } from '../../../domain/order.ts'
import { isOpen } from '../../../domain/order-state.ts'
import type { GridSession } from '../../../strategy/grid/session.ts'
import type { GridOrder } from '../../model/grid-book.ts'
import type { GridOutcome } from '../../model/grid-events.ts'
import type { AccountState } from '../../model/state.ts'
import { freeShares } from '../../orders/approval.ts'
import { sendCancel } from '../../orders/cancels.ts'
import type { Turn } from '../../turn/turn.ts'
import { bookFills } from './booking.ts'
import { execute } from './execute.ts'
import { areGridsOn } from './gates.ts'
import { isAwake, liveSessions, openOrders } from './lookups.ts'

/**
 * After every input: fills of grid orders that have ended are booked, each once; orders that wait
 * too long, or whose session ends, are canceled; and a session that waited for its last order stops.
 */
export function tendGrids(turn: Turn): void {
  const { grid } = turn.state
  for (const clientOrderId of new Set([...grid.open, ...lateFills(turn)])) {
    const order = grid.orders.get(clientOrderId)
    if (order !== undefined) tend(turn, order)
  }
  for (const session of liveSessions(turn.state)) {
    if (session.status !== 'stopping' || openOrders(turn.state, session.id).length > 0) continue
    const { id: sessionId, stopReason: reason } = session
    turn.emit({ kind: 'gridStopped', sessionId, reason, source: 'grid' })
    turn.state.dataVersion += 1
  }
}

/** A deal may come after its order has ended, and counts all the same. */
function lateFills({ state, events }: Turn): readonly string[] {
  return events.flatMap(({ event }) =>
    event.kind === 'dealBooked' && state.grid.orders.has(event.clientOrderId)
      ? [event.clientOrderId]
      : [],
  )
}

function tend(turn: Turn, grid: GridOrder): void {
  const { state, inputs } = turn
  const order = state.orders.get(grid.clientOrderId)
  const session = state.grid.sessions.get(grid.sessionId)
  if (order === undefined || session === undefined) return
  if (!isOpen(order.status)) {
    // The counter may have filled more than its deals have told.
    if (isCaughtUp(order)) settle(turn, { grid, order, session })
    return
  }
  if (!mayCancel(state, order)) return
  if (session.status === 'stopping') return cancel(turn, order, 'grid_stop')
  if (isOverdue(state, { grid, order, nowMs: inputs.nowMs })) timeOut(turn, grid, order)
}

interface Ended {
  readonly grid: GridOrder
  readonly order: OrderRecord
  readonly session: GridSession
}

function settle(turn: Turn, ended: Ended): void {
  const { grid, order } = ended
  const { clientOrderId, orderId, filledQuantity: quantity, filledAmount: amount } = order
  if (quantity > grid.bookedQuantity) bookFills(turn, clientOrderId, { orderId, quantity, amount })
  if (grid.isClosed) return
  const isReorder = isReorderWanted(turn.state, ended)
  if (isReorder && isHeld(turn, ended)) return
  const isReordered = isReorder && reorder(turn, ended)
  const outcome = isReordered ? 'reordered' : outcomeOf(order)
  turn.emit({ kind: 'gridOrderClosed', clientOrderId, outcome })
  turn.state.dataVersion += 1
  turn.after({ kind: 'bands' })
}

const outcomeOf = ({ status, filledQuantity }: OrderRecord): GridOutcome => {
  if (status === 'filled') return 'filled'
  if (filledQuantity > 0) return 'partial_filled_canceled'
  return status === 'rejected' ? 'rejected' : 'canceled'
}

/** Another order may take its place only while everything still lets it. */
const isReorderWanted = (state: AccountState, { grid, order, session }: Ended): boolean =>
  grid.isReorderWanted &&
  order.filledQuantity === 0 &&
  order.status === 'canceled' &&
  order.day === state.day &&
  session.status === 'active' &&
  session.isEnabled &&
  isAwake(state, session) &&
  areGridsOn(state)

/** What the canceled order had frozen is free again only with the next report, which is on its way. */
function isHeld({ state, inputs }: Turn, { grid, order }: Ended): boolean {
  if (inputs.nowMs >= order.updatedMs + state.policy.grid.pendingTimeoutMs) return false
  return grid.side === 'sell'
    ? freeShares(state, grid.code) < grid.requested
    : (state.asset?.available ?? 0) < grid.requested * grid.reservedPrice
}

/** At the price of now, without waiting for the cool-downs again. */
function reorder(turn: Turn, { grid, session }: Ended): boolean {
  const { side, level, triggerPrice, peakPrice, valleyPrice, callbackPpm } = grid
  const reason = execute(turn, session, {
    side,
    level,
    triggerPrice,
    peakPrice,
    valleyPrice,
    callbackPpm,
    sessionId: session.id,
    timeMs: turn.inputs.nowMs,
    follows: grid,
  })
  if (reason === undefined) return true
  turn.warn(`grid ${session.id}: order ${grid.clientOrderId} is not sent again: ${reason}`)
  return false
}

/** Taken by the trading client, not being canceled, and not given up. */
const mayCancel = (state: AccountState, { clientOrderId, orderId, status }: OrderRecord): boolean =>
  state.isReady &&
  orderId !== '' &&
  (status === 'accepted' || status === 'partiallyFilled') &&
  !state.cancels.has(clientOrderId) &&
  !state.cancelsGivenUp.has(clientOrderId)

interface Waiting {
  readonly grid: GridOrder
  readonly order: OrderRecord
  readonly nowMs: number
}

/** Only an order without any fill is canceled for its age. */
const isOverdue = (state: AccountState, { grid, order, nowMs }: Waiting): boolean =>
  order.filledQuantity === 0 &&
  (order.venueFilledQuantity ?? 0) === 0 &&
  deadlineOf(state, grid) <= nowMs

/** Market time from which an order has waited too long; Infinity when it may wait. */
const deadlineOf = ({ policy }: AccountState, { placedMs }: GridOrder): number =>
  policy.grid.isAutoCancel ? placedMs + policy.grid.pendingTimeoutMs : Number.POSITIVE_INFINITY

/** Moments of the market clock at which an open order is to be looked at. */
export const orderAlarms = (
  state: AccountState,
): readonly (readonly [GridOrder['code'], number])[] =>
  [...state.grid.open].flatMap((id) => {
    const grid = state.grid.orders.get(id)
    return grid === undefined ? [] : [[grid.code, deadlineOf(state, grid)] as const]
  })

function timeOut(turn: Turn, grid: GridOrder, order: OrderRecord): void {
  const { isAutoReorder, reordersMax } = turn.state.policy.grid
  const isReorderWanted = isAutoReorder && grid.attempt < reordersMax
  const { clientOrderId } = grid
  turn.emit({ kind: 'gridOrderTimedOut', clientOrderId, isReorderWanted })
  cancel(turn, order, 'grid_pending_timeout')
}

function cancel(turn: Turn, order: OrderRecord, source: string): void {
  const { clientOrderId } = order
  turn.emit({
    kind: 'orderMoved',
    clientOrderId,
    event: 'requestCancel',
    orderId: '',
    message: '',
    source,
  })
  sendCancel(turn, order, { isPersistent: true })
}
