import { isInHand, isVanished, type OrderRecord } from '../../domain/order.ts'
import { isOpen, nextStatus } from '../../domain/order-state.ts'
import { nextOpenMs, opensAgainToday, sessionAt } from '../../domain/session.ts'
import { isItsNumber } from '../model/order-numbers.ts'
import { isUnconfirmed } from '../model/restore.ts'
import type { AccountState } from '../model/state.ts'
import type { Turn } from '../turn/turn.ts'
import { isNothingInstead } from './nothing-instead.ts'

/** Whether an order still waits for the end that a cancel of ours should bring, also of an earlier life. */
export function isAwaited(state: AccountState, order: OrderRecord): boolean {
  const { clientOrderId } = order
  if (isForAnother(order) && isUnconfirmed(state.restore)) return false
  if (state.cancels.has(clientOrderId)) return isOpen(order.status)
  if (order.isCancelWanted === true) {
    return isOpen(order.status) && !state.cancelsGivenUp.has(clientOrderId)
  }
  const isOurs = order.strategy !== 'external' || !isInHand(order)
  return order.status === 'pendingCancel' && isOurs
}

/**
 * Canceled for the sake of an order that takes its place: while that one may not leave, neither does the cancel. One of a
 * change that was given up goes on, as whoever asked for it was told.
 */
const isForAnother = ({ isReorderWanted, isReplaced, amendment }: OrderRecord): boolean =>
  isReorderWanted === true || (isReplaced === true && amendment?.outcome !== 'dropped')

/** Orders whose cancel has not been answered yet. */
export function cancelsUnderWay({ calls }: AccountState): ReadonlySet<string> {
  const ids = new Set<string>()
  for (const call of calls.values()) if (call.kind === 'cancel') ids.add(call.clientOrderId)
  return ids
}

interface Wanted {
  readonly ref?: number | undefined
  readonly isPersistent: boolean
}

/** Asks the broker to cancel and remembers to see to it; what may be another order's number by now has to wait. */
export function sendCancel(turn: Turn, order: OrderRecord, { ref, isPersistent }: Wanted): void {
  const { state } = turn
  if (!isItsNumber(state.numbers, order)) {
    return order.day < state.day ? outlive(turn, order, ref) : hold(turn, order, ref)
  }
  const { clientOrderId, orderId } = order
  const { callTimeoutMs, cancelRetryIntervalMs } = state.policy.limits
  const before = state.cancels.get(clientOrderId)
  state.cancels.set(clientOrderId, { tries: (before?.tries ?? 0) + 1, isPersistent })
  turn.call(
    { kind: 'cancel', clientOrderId, ref },
    (callId) => ({ kind: 'cancel', callId, orderId }),
    callTimeoutMs,
  )
  turn.timer('cancels', cancelRetryIntervalMs)
}

/** Of an order that is listed no more a cancel may come to nothing: what ends it then. */
export function hintOf(order: OrderRecord): string {
  if (!isVanished(order)) return ''
  const { clientOrderId, isQuarantined } = order
  const then = isQuarantined
    ? `请在交易终端核对后以 POST /api/orders/${clientOrderId}/resolve 人工确认 (look at the terminal, then resolve it)`
    : `正在核实，无法核实时可人工确认 (being looked for; can be resolved when that comes to nothing)`
  return `；交易客户端的当日委托中已无该委托 (the client lists the order no more)，${then}`
}

/** The next list says which number it has: whoever asked is told so and need not wait for it. */
function hold(turn: Turn, order: OrderRecord, ref: number | undefined): void {
  const { state } = turn
  const { clientOrderId, orderId } = order
  const { tries = 0, isHeld = false } = state.cancels.get(clientOrderId) ?? {}
  state.cancels.set(clientOrderId, { tries, isPersistent: true, isHeld: true })
  turn.reply(ref, { result: 0, orderId, message: `${HELD}${hintOf(order)}` })
  // Once: as long as it is held, the timer looks.
  if (!isHeld && state.isReady && !turn.isAsked('cancel')) turn.query('orders', 'cancel')
  turn.timer('cancels', state.policy.limits.cancelRetryIntervalMs)
}

/** Answered after its day was over: no list has it any more, and its number may be that of an order of today. */
function outlive(turn: Turn, order: OrderRecord, ref: number | undefined): void {
  const { clientOrderId, orderId } = order
  turn.reply(ref, { result: -1, orderId, message: OUTLIVED })
  giveUp(turn, clientOrderId)
}

const OUTLIVED =
  '该委托属于之前的交易日，今日无法撤单 (of an earlier day: it cannot be canceled today)'
const HELD =
  '撤单已登记，待交易客户端列出该委托的编号后发出 (noted: it is sent as soon as the trading client lists the number of the order)'

/** After every list: what it shows under its number is canceled at last, so many at a time. */
export function sendHeld(turn: Turn): void {
  const { state } = turn
  let free = state.policy.limits.cancelsAtOnceMax - cancelsUnderWay(state).size
  for (const [clientOrderId, { isHeld }] of [...state.cancels]) {
    if (free <= 0) return // the timer sees to the others
    const order = state.orders.get(clientOrderId)
    if (isHeld !== true || order === undefined || !isTriable(turn, order)) continue
    if (!isItsNumber(state.numbers, order)) tellHeld(turn, order)
    else {
      tryAgain(turn, order)
      free -= 1
    }
  }
}

/** From a list with unread rows nothing follows, so this may last all day: once, a person is told. */
export function tellHeld(turn: Turn, { clientOrderId }: OrderRecord): void {
  const { hasUnread, told } = turn.state.numbers
  if (!hasUnread || told.has(clientOrderId)) return
  told.add(clientOrderId)
  turn.warnOfOrder(clientOrderId, UNREAD)
}

const UNREAD =
  '撤单尚未发出：委托列表中有无法读取的行，可能占用了该编号，请在交易终端撤单 (not canceled yet: rows of the list cannot be read, and one of them may have its number; cancel it at the terminal)'

/** A cancel was refused: the order goes on. A person reads the answer; a time limit tries again. */
export function onCancelRefused(turn: Turn, clientOrderId: string): void {
  const { state } = turn
  const watch = state.cancels.get(clientOrderId)
  if (watch?.isPersistent === true && watch.tries < triesMax(state)) return
  if (waitsForOpen(turn, state.orders.get(clientOrderId))) return
  state.cancels.delete(clientOrderId)
  if (watch?.isPersistent === true) giveUp(turn, clientOrderId)
  // Perhaps it had ended already and the push is lost.
  if (state.isReady) turn.query('orders', 'poll')
}

/** Cancels whose end has not been seen: look first, then perhaps ask once more. */
export function followCancels(turn: Turn): void {
  const { state } = turn
  for (const clientOrderId of [...state.cancels.keys()]) {
    const order = state.orders.get(clientOrderId)
    if (order === undefined || !isOpen(order.status)) state.cancels.delete(clientOrderId)
  }
  const awaited = [...state.orders.values()].filter((order) => isAwaited(state, order))
  if (awaited.length === 0) return
  const waiting = awaited.filter((order) => waitsForOpen(turn, order))
  // What was tried before the break says nothing of the afternoon.
  for (const { clientOrderId } of waiting) forgetTries(state, clientOrderId)
  if (waiting.length === awaited.length) return turn.timer('cancels', untilOpenMs(turn))
  if (state.isReady && !turn.isAsked('cancel')) turn.query('orders', 'cancel')
  turn.timer('cancels', state.policy.limits.cancelRetryIntervalMs)
}

/**
 * In the break at noon a counter refuses cancels, or leaves them without an answer, and the tries would be used up before the
 * market can answer one. A person who wanted it sees that; the change of an order has a deadline of its own.
 */
function waitsForOpen(
  { state, inputs }: Turn,
  order: OrderRecord | undefined,
): order is OrderRecord {
  const { policy, cancels } = state
  if (order === undefined || order.amendment !== undefined || policy.isAlwaysOpen) return false
  // Of an earlier life nobody knows any more who wanted it.
  const isOwn = order.requestHash === '' && order.strategy !== 'external'
  const isPersistent = cancels.get(order.clientOrderId)?.isPersistent ?? isOwn
  const { nowMs } = inputs
  return isPersistent && sessionAt(nowMs) === 'closed' && opensAgainToday(nowMs)
}

/** Not all of it at once: the market clock may be set meanwhile. */
function untilOpenMs({ state, inputs }: Turn): number {
  const { cancelRetryIntervalMs, positionQueryIntervalMs } = state.policy.limits
  const leftMs = Math.min(nextOpenMs(inputs.nowMs) - inputs.nowMs, positionQueryIntervalMs)
  return Math.max(leftMs, cancelRetryIntervalMs)
}

/** The day's orders have been applied; what still works although it should end is canceled again, so many at a time. */
export function cancelAgain(turn: Turn): void {
  const { state } = turn
  const underWay = cancelsUnderWay(state)
  let free = state.policy.limits.cancelsAtOnceMax - underWay.size
  for (const order of [...state.orders.values()]) {
    if (free <= 0) return // the next look finds the others
    if (!isTriable(turn, order) || underWay.has(order.clientOrderId)) continue
    tryAgain(turn, order)
    if (isItsNumber(state.numbers, order)) free -= 1 // what is held takes no place
  }
}

const isTriable = (turn: Turn, order: OrderRecord): boolean =>
  isAwaited(turn.state, order) &&
  order.orderId !== '' &&
  !isInHand(order) &&
  !waitsForOpen(turn, order)

function tryAgain(turn: Turn, order: OrderRecord): void {
  const { state } = turn
  const { clientOrderId } = order
  if (isNothingInstead(turn, order)) return callOff(turn, order)
  const watch = state.cancels.get(clientOrderId)
  if (watch !== undefined && watch.tries >= triesMax(state)) return giveUp(turn, clientOrderId)
  // Of an earlier life nobody is left who would read a refusal.
  const isPersistent = watch?.isPersistent ?? true
  // What is in doubt stays so.
  if (order.status !== 'pendingCancel' && nextStatus(order.status, 'requestCancel') !== undefined) {
    const { isReorderWanted } = order
    turn.moveOrder(clientOrderId, 'requestCancel', isReorderWanted ? { isReorderWanted } : {})
  }
  sendCancel(turn, order, { isPersistent })
}

/** It works on, and is looked at as one whose time is up. What is in doubt waits until it can be sent again. */
function callOff(turn: Turn, { clientOrderId, status }: OrderRecord): void {
  turn.state.cancels.delete(clientOrderId)
  if (status === 'pendingCancel') turn.moveOrder(clientOrderId, 'refuseCancel')
}

const triesMax = ({ policy }: AccountState): number => Math.max(1, policy.limits.cancelRetriesMax)

/** The client knows the order by another number: what was tried under the one before says nothing of this one. */
export function countTriesAnew(turn: Turn, clientOrderId: string): void {
  const { cancelsGivenUp, cancelTries, orders, policy } = turn.state
  cancelsGivenUp.delete(clientOrderId)
  cancelTries.delete(clientOrderId)
  forgetTries(turn.state, clientOrderId)
  if (orders.get(clientOrderId)?.isCancelWanted !== true) return
  turn.timer('cancels', policy.limits.cancelRetryIntervalMs)
}

function forgetTries({ cancels }: AccountState, clientOrderId: string): void {
  const watch = cancels.get(clientOrderId)
  if (watch !== undefined) cancels.set(clientOrderId, { ...watch, tries: 0 })
}

/**
 * A connection stands: what the client refused on the one before, or left without an answer, says nothing of this one. Of
 * what has ended meanwhile it stays given up: somebody else has ended it.
 */
export function countAllTriesAnew(turn: Turn): void {
  for (const { clientOrderId } of turn.state.orders.open()) countTriesAnew(turn, clientOrderId)
}

/** No more tries: the order works on, and a person is told. */
function giveUp(turn: Turn, clientOrderId: string): void {
  const { state } = turn
  state.cancels.delete(clientOrderId)
  state.cancelsGivenUp.add(clientOrderId)
  if (state.orders.get(clientOrderId)?.status === 'pendingCancel') {
    turn.moveOrder(clientOrderId, 'refuseCancel', { message: '撤单未成功，请人工处理' })
  }
  turn.warnOfOrder(clientOrderId, 'not canceled after the allowed tries; cancel it by hand')
}
