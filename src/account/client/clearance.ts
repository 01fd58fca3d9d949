import type { OrderRecord } from '../../domain/order.ts'
import type { DriverEvent } from '../../protocol/driver.ts'
import type { AccountState } from '../model/state.ts'
import { isUncleared, mayArrive } from '../orders/doubt-rules.ts'
import type { Turn } from '../turn/turn.ts'

/**
 * Clearance of orders in doubt: the driver has said, in answer to a barrier that was sent behind their
 * submits, that these can no longer arrive. Only then do lists, which come through another lane, show
 * by not showing an order that the broker never got it.
 *
 * A submit of an earlier life of this account is before every barrier of this one. Nothing of it is kept:
 * a new connection asks anew.
 */

/** Asks for the clearance of all that has none. One barrier at a time. */
export function askForClearance(turn: Turn): void {
  const { state } = turn
  forgetDecided(state)
  if (!state.isReady || turn.isBarred || mayFormerArrive(turn)) return
  const clientOrderIds = [...state.orders.doubtful()]
    .filter((order) => isUncleared(state, order))
    .map(({ clientOrderId }) => clientOrderId)
  if (clientOrderIds.length > 0) askBehind(turn, clientOrderIds)
}

/** What was sent after a backup is in no book: whether any of it may still arrive. */
export function askWhetherLaneIsEmpty(turn: Turn): void {
  if (!turn.isBarred && !mayFormerArrive(turn)) askBehind(turn, [])
}

/**
 * The trading client that is asked here knows nothing of calls that another computer began before this one took the
 * account over.
 */
const mayFormerArrive = ({ state, inputs }: Turn): boolean => inputs.wallMs < state.formerUntilMs

function askBehind(turn: Turn, clientOrderIds: readonly string[]): void {
  turn.call(
    { kind: 'barrier', clientOrderIds },
    (callId) => ({ kind: 'barrier', callId, clientOrderIds }),
    turn.state.policy.limits.callTimeoutMs,
  )
}

/** What a barrier says of the orders that it stands behind; whether they have their clearance now. */
export function takeClearance(
  turn: Turn,
  { callId, result }: Extract<DriverEvent, { kind: 'barrierAnswered' }>,
): boolean {
  const { state, inputs } = turn
  const call = state.calls.get(callId)
  state.calls.delete(callId)
  if (call?.kind !== 'barrier') return false // answered after its time was up
  const fault = result.ok ? '' : result.error.message
  if (fault !== '' && fault !== state.laneFault) turn.warn(`orders may still arrive: ${fault}`)
  state.laneFault = fault
  if (!result.ok) return false
  state.isLaneEmpty = true
  for (const id of call.clientOrderIds) state.laneClearedMs.set(id, inputs.wallMs)
  forgetDecided(state)
  return true
}

/** A new connection, or none: what an earlier one said counts no longer. */
export function dropClearances(state: AccountState): void {
  state.laneClearedMs.clear()
  state.laneFault = ''
}

const FORMER_MAY_ARRIVE =
  '账户刚由本机接管，此前的电脑发出的委托可能仍在途中 (this computer has just taken the account over: what the one before has sent may still be on its way)'

/** Why an order may still arrive, for people; empty when it cannot. */
export function whatStands(turn: Turn, order: OrderRecord): string {
  const { state } = turn
  if (!mayArrive(state, order)) return ''
  if (mayFormerArrive(turn)) return FORMER_MAY_ARRIVE
  const { laneFault } = state
  return laneFault === ''
    ? '交易客户端尚未确认该委托不会再到达 (the trading client has not said that it can no longer arrive)'
    : `该委托可能仍会到达柜台：${laneFault}`
}

function forgetDecided({ laneClearedMs, orders }: AccountState): void {
  for (const clientOrderId of laneClearedMs.keys()) {
    if (orders.get(clientOrderId)?.status !== 'inDoubt') laneClearedMs.delete(clientOrderId)
  }
}
