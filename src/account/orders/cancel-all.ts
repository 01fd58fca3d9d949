import { isNamed, type OrderRecord } from '../../domain/order.ts'
import { openSinceMs } from '../../domain/session.ts'
import type { CancelTry } from '../model/cancel-watch.ts'
import { isItsNumber } from '../model/order-numbers.ts'
import type { AccountState } from '../model/state.ts'
import type { Turn } from '../turn/turn.ts'
import { cancelsUnderWay, tellHeld } from './cancels.ts'
import { cancel } from './orders.ts'

const SOURCE = 'kill_switch'
const DOUBLINGS_MAX = 7

/** Open, and known to the broker by a number. */
export const openOrders = ({ orders }: AccountState): readonly OrderRecord[] =>
  [...orders.open()].filter(({ orderId }) => orderId !== '')

const cancelable = (state: AccountState) => openOrders(state).filter(isNamed)

/**
 * While the kill switch is at `cancel_all`, after every input: cancels what is open, those of others
 * too, and whatever appears open later (an order in doubt that is found). So many at a time: each
 * answer brings the next, so that no queue on the way overflows. A cancel that did nothing is tried
 * again, each time after twice the wait, and after those that have not been tried. Each open begins anew.
 */
export function cancelAllOpen(turn: Turn): void {
  const { state } = turn
  const { cancelTries } = state
  if (state.killSwitch.level !== 'cancel_all') return cancelTries.clear()
  if (state.connection.phase !== 'connected') return
  const underWay = cancelsUnderWay(state)
  const free = state.policy.limits.cancelsAtOnceMax - underWay.size
  if (free <= 0) return
  const open = cancelable(state)
  if (open.length < cancelTries.size) forgetEnded(cancelTries, open)
  forgetClosed(turn)
  const own = open.filter((order) => isItsNumber(state.numbers, order))
  if (own.length < open.length) tellOthers(turn, open)
  const due = own.filter((order) => !underWay.has(order.clientOrderId) && isDue(turn, order))
  const countOf = ({ clientOrderId }: OrderRecord) => cancelTries.get(clientOrderId)?.count ?? 0
  due.sort((a, b) => countOf(a) - countOf(b))
  for (const { clientOrderId } of due.slice(0, free)) {
    const count = (cancelTries.get(clientOrderId)?.count ?? 0) + 1
    cancelTries.set(clientOrderId, { atMs: turn.inputs.wallMs, count })
    cancel(turn, clientOrderId, undefined, SOURCE)
  }
  if (due.length > 0) watch(turn)
}

/** Nobody has asked for them one by one, so nobody else would hear that they work on. */
function tellOthers(turn: Turn, open: readonly OrderRecord[]): void {
  for (const order of open) if (!isItsNumber(turn.state.numbers, order)) tellHeld(turn, order)
}

/** The timer between two tries; it goes on until nothing is open. */
export function retryCancels(turn: Turn): void {
  const { state } = turn
  if (state.killSwitch.level === 'cancel_all' && cancelable(state).length > 0) watch(turn)
}

function watch(turn: Turn): void {
  turn.timer('cancelAll', turn.state.policy.limits.cancelRetryIntervalMs)
}

function isDue(turn: Turn, { clientOrderId }: OrderRecord): boolean {
  const { state, inputs } = turn
  const tried = state.cancelTries.get(clientOrderId)
  if (tried === undefined) return true
  const doublings = Math.min(tried.count - 1, DOUBLINGS_MAX)
  return inputs.wallMs - tried.atMs >= state.policy.limits.cancelRetryIntervalMs * 2 ** doublings
}

/** Counters refuse cancels while they are closed: what was tried then says nothing of the hours that run. */
function forgetClosed({ state, inputs }: Turn): void {
  const { cancelTries, policy } = state
  const sinceMs = policy.isAlwaysOpen ? undefined : openSinceMs(inputs.nowMs)
  if (cancelTries.size === 0 || sinceMs === undefined) return
  const openedMs = inputs.wallMs - (inputs.nowMs - sinceMs)
  for (const [id, { atMs }] of cancelTries) if (atMs < openedMs) cancelTries.delete(id)
}

function forgetEnded(tries: Map<string, CancelTry>, open: readonly OrderRecord[]): void {
  const ids = new Set(open.map(({ clientOrderId }) => clientOrderId))
  for (const id of tries.keys()) if (!ids.has(id)) tries.delete(id)
}
