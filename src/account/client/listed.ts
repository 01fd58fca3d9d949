import { exchangeDay } from '../../domain/exchange-time.ts'
import { type BrokerOrder, isVanished, type OrderRecord, toldNumber } from '../../domain/order.ts'
import { isOpen } from '../../domain/order-state.ts'
import type { AccountState, Unlisted } from '../model/state.ts'
import { isAwaited } from '../orders/cancels.ts'
import type { Turn } from '../turn/turn.ts'
import { namedInstead, numberedAs, numberLostTo } from './bearer.ts'
import { isWhole } from './left-out.ts'

/**
 * Orders that the trading client had under a number and lists no more. One list says nothing: clients send
 * short ones right after a reconnect. Two that are far enough apart do; then the order is in doubt again, and
 * what becomes of it is decided with the others in doubt.
 */

/** A list with fewer than this part of the orders that it should show is a fault of the client until it lasts. */
const SHORT_LIST = 0.5
/** So many times as long as another one a short list has to last before it is believed. */
const SHORT_LIST_PATIENCE = 6

/** A whole list of orders. */
export interface Listed {
  readonly rows: readonly BrokerOrder[]
  /** With day and stock of each: they may begin anew every day, the day before may be listed still, and two exchanges may give the same. */
  readonly numbers: Set<string>
  /** By the same, orders whose number is that of another one of ours now. */
  readonly exchanged: ReadonlyMap<string, OrderRecord>
}

type Numbered = Pick<OrderRecord, 'day' | 'code' | 'orderId'>
const keyOf = ({ day, code, orderId }: Numbered): string => `${day} ${code} ${orderId}`

export const isListed = ({ numbers }: Listed, order: Numbered): boolean => numbers.has(keyOf(order))

/** A row of the list has become that of its order: another one that bears the same id is a copy. */
export function noteBearer({ numbers }: Listed, row: BrokerOrder): void {
  numbers.add(keyOf({ ...row, day: exchangeDay(row.timeMs) }))
}

/** Another order of ours has its number now, so it has another one. */
export const isExchanged = ({ exchanged }: Listed, order: Numbered): boolean =>
  exchanged.has(keyOf(order))

function listedIn(state: AccountState, rows: readonly BrokerOrder[]): Listed {
  const numbers = new Set<string>()
  const exchanged = new Map<string, OrderRecord>()
  for (const row of rows) {
    const former = formerBearer(state, row)
    if (former === undefined) numbers.add(keyOf({ ...row, day: exchangeDay(row.timeMs) }))
    else exchanged.set(keyOf(former), former)
  }
  return { rows, numbers, exchanged }
}

/** The order whose number it was before this row came. */
function formerBearer(state: AccountState, row: BrokerOrder): OrderRecord | undefined {
  if (namedInstead(state, row) !== undefined) return numberedAs(state, row.orderId)
  const loser = numberLostTo(state, row)
  return loser?.orderId === row.orderId ? loser : undefined
}

/** Notes what a whole list of orders does not show. */
export function noteListed(turn: Turn, rows: readonly BrokerOrder[]): Listed {
  const { state, asked } = turn
  const listed = listedIn(state, rows)
  // A row that nobody could read may be the one that is missing.
  if (asked === undefined || !isOfToday(turn) || !isWhole(state, 'orders')) return listed
  const due = dueOrders(turn)
  const isShort = isShortOf(rows, due)
  const wasMissing = isAnyMissing(state)
  for (const clientOrderId of state.unlisted.keys()) {
    if (!isDue(turn, state.orders.get(clientOrderId))) state.unlisted.delete(clientOrderId)
  }
  for (const order of due) {
    const { clientOrderId } = order
    if (isListed(listed, order)) state.unlisted.delete(clientOrderId)
    else state.unlisted.set(clientOrderId, missing(turn, asked.wallMs, { clientOrderId, isShort }))
  }
  // Once: it goes on by itself, and a list that comes meanwhile must not put it off.
  const isMissing = !wasMissing && isAnyMissing(state)
  if (isMissing) turn.timer('doubt', state.policy.limits.doubtQueryIntervalMs)
  return listed
}

function missing(
  { state }: Turn,
  askedMs: number,
  { clientOrderId, isShort }: { readonly clientOrderId: string; readonly isShort: boolean },
): Unlisted {
  const settleMs = state.policy.limits.doubtSettleMs
  const before = state.unlisted.get(clientOrderId)
  const anyMs = before?.anyMs ?? askedMs
  const fullMs = before?.fullMs ?? (isShort ? undefined : askedMs)
  const isFull = !isShort && fullMs !== undefined && askedMs - fullMs >= settleMs
  const hasLasted = askedMs - anyMs >= settleMs * SHORT_LIST_PATIENCE
  return { anyMs, fullMs, isSettled: isFull || hasLasted }
}

/** How long what this list does not show must be missing before that means something, milliseconds. */
export function settleMsOf(turn: Turn, rows: readonly BrokerOrder[]): number {
  const { doubtSettleMs } = turn.state.policy.limits
  return isShortOf(rows, dueOrders(turn)) ? doubtSettleMs * SHORT_LIST_PATIENCE : doubtSettleMs
}

const isShortOf = (rows: readonly BrokerOrder[], due: readonly OrderRecord[]): boolean =>
  rows.length === 0 || rows.length < due.length * SHORT_LIST

/** Around midnight, and by a clock in doubt, the list may be that of another day. */
const isOfToday = ({ state, inputs }: Turn): boolean =>
  exchangeDay(inputs.nowMs) === state.day && inputs.clockDoubt === undefined

/** What a list must show: what had a number before it can be behind, and is not known to be missing. */
const dueOrders = (turn: Turn): readonly OrderRecord[] =>
  [...turn.state.orders.values()].filter((order) => isDue(turn, order))

const isDue = ({ state, inputs }: Turn, order: OrderRecord | undefined): boolean =>
  order !== undefined &&
  order.orderId !== '' &&
  order.day === state.day &&
  order.vanishedMs === undefined &&
  // One that is missing already stays so, whatever else is done about it.
  (state.unlisted.has(order.clientOrderId) ||
    order.updatedMs <= inputs.nowMs - state.policy.limits.doubtSettleMs ||
    // By a clock that was wrong: how long ago nobody knows, and it must not be hours until it counts.
    order.updatedMs > inputs.nowMs)

/** Whether it is proven by now that the number of an order is listed no more. */
export const isGone = (
  { unlisted }: AccountState,
  { clientOrderId, vanishedMs }: OrderRecord,
): boolean => vanishedMs !== undefined || unlisted.get(clientOrderId)?.isSettled === true

/** Whether open orders are missing of which nothing is concluded yet: they are looked for soon. */
export const isAnyMissing = ({ unlisted, orders }: AccountState): boolean =>
  [...unlisted.keys()].some((id) => isOpen(orders.get(id)?.status ?? 'expired'))

/** After a list was followed: open orders that are proven to be missing are in doubt again. */
export function doubtMissing(turn: Turn): void {
  const { state } = turn
  for (const [clientOrderId, { isSettled }] of [...state.unlisted]) {
    const order = state.orders.get(clientOrderId)
    if (!isSettled || order === undefined || !isOpen(order.status)) continue
    if (order.status === 'inDoubt' || isVanished(order)) continue
    state.unlisted.delete(clientOrderId)
    state.absentSinceMs.delete(clientOrderId)
    state.doubtSinceMs.delete(clientOrderId)
    const isCancelWanted = isAwaited(state, order)
    turn.moveOrder(clientOrderId, 'vanish', {
      message: VANISHED,
      ...(isCancelWanted && { isCancelWanted }),
    })
    turn.timer('doubt', state.policy.limits.doubtQueryIntervalMs)
    turn.warn(
      `order ${clientOrderId}, ${toldNumber(order) || 'its number that of another one now'}, is open and the trading client lists it no more`,
    )
  }
}

const VANISHED =
  '交易客户端的当日委托中已找不到该委托，正在核实 (the trading client lists it no more)'
