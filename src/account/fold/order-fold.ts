import { strict as assert } from 'node:assert'
import { exchangeDay } from '../../domain/exchange-time.ts'
import type { Money, Quantity } from '../../domain/money.ts'
import {
  type BrokerOrder,
  isCaughtUp,
  isGoneOnWith,
  isInHand,
  isVanished,
  type OrderRecord,
  takenNumber,
  type VenueStatus,
} from '../../domain/order.ts'
import {
  isOpen,
  nextStatus,
  type OrderEventKind,
  type OrderStatus,
} from '../../domain/order-state.ts'
import type { DirtyRow } from '../model/dirty-row.ts'
import type { AccountEvent } from '../model/events.ts'
import type { AccountState } from '../model/state.ts'
import { formerBearer, indexNumbers, withNumber } from './order-numbers.ts'
import { unheard } from './unheard.ts'
import { noteUnseen } from './unseen.ts'

/** What the broker has told so far never goes back (docs/domain.md 3.5). */
const RANK: Readonly<Record<VenueStatus, number>> = {
  255: 0,
  48: 1,
  49: 2,
  50: 3,
  55: 4,
  51: 5,
  52: 5,
  53: 6,
  54: 6,
  56: 7,
  57: 7,
}
/** Fills move an order only by their deals, so 55 and 56 are not in it. */
const MOVED_BY: Partial<Record<VenueStatus, OrderEventKind>> = {
  50: 'accept',
  51: 'requestCancel',
  52: 'requestCancel',
  53: 'cancel',
  54: 'cancel',
  57: 'reject',
}

type Fold<Kind extends AccountEvent['kind']> = Extract<AccountEvent, { kind: Kind }>

/** Files an order as it is from now on, and keeps the indexes that follow from it. */
export function putOrder(state: AccountState, order: OrderRecord): readonly DirtyRow[] {
  assert(order.filledQuantity <= order.quantity, `order ${order.clientOrderId} overfilled`)
  const { isQuarantined: _, ...free } = order
  const before = state.orders.get(order.clientOrderId)
  const filed = order.status === 'inDoubt' ? order : settledFrom(before, unheard(sent(seen(free))))
  noteUnseen(state, before, filed)
  const former = before?.orderId === filed.orderId ? undefined : formerBearer(state, filed)
  state.orders.set(filed.clientOrderId, filed)
  indexOrder(state, filed)
  const row = { table: 'orders', key: filed.clientOrderId } as const
  if (former === undefined) return [row]
  return [row, ...putOrder(state, { ...former, orderId: takenNumber(former.orderId) })]
}

/** An order that is shown, or whose end was, is not missing any more. */
function seen(order: OrderRecord): OrderRecord {
  if (order.vanishedMs === undefined || order.status === 'expired') return order
  const { vanishedMs: _, ...shown } = order
  return shown
}

/** What the broker shows after all was sent, whatever was said of it here. */
function sent(order: OrderRecord): OrderRecord {
  if (order.isTooLate !== true || order.status === 'rejected') return order
  const { isTooLate: _, isReorderWanted: _rest, ...shown } = order
  return shown
}

/** An order that was in doubt until now: when that ended, and that a person who wanted it does not know yet. */
function settledFrom(before: OrderRecord | undefined, order: OrderRecord): OrderRecord {
  if (before?.status !== 'inDoubt') return order
  // Whoever wanted it knew that it was there, and there it is.
  if (before.vanishedMs !== undefined && isOpen(order.status)) return order
  const { updatedMs, requestHash } = order
  const doubtEnded = { ...order, doubtEndedMs: updatedMs }
  return requestHash === '' ? doubtEnded : { ...doubtEnded, untoldMs: updatedMs }
}

/** What is looked up by other keys than its own; also after a load. */
export function indexOrder(state: AccountState, order: OrderRecord): void {
  indexNumbers(state, order)
  if (order.amendment?.outcome === 'canceling') state.amending.add(order.clientOrderId)
  else state.amending.delete(order.clientOrderId)
  if (order.signalType === undefined) return
  const isUnfinished = isOpen(order.status) || isGoneOnWith(order) || !isCaughtUp(order)
  const isUnsettled = order.filledQuantity > 0 && order.isSettled !== true
  if (isUnfinished || isUnsettled) state.tracked.add(order.clientOrderId)
  else state.tracked.delete(order.clientOrderId)
}

/** A resubmission takes over from the order before it in the same step, so that it happens once. */
export function submitOrder(state: AccountState, order: OrderRecord): readonly DirtyRow[] {
  state.idCounter += 1
  const before = state.orders.get(order.chain?.follows ?? '')
  return [
    ...putOrder(state, order),
    ...(before === undefined ? [] : putOrder(state, withoutReorder(before))),
    { table: 'meta', key: 'account' },
  ]
}

export function dropReorder(state: AccountState, clientOrderId: string): readonly DirtyRow[] {
  const order = state.orders.get(clientOrderId)
  return order === undefined ? [] : putOrder(state, withoutReorder(order))
}

/** It works on although its time was up. */
export function keepOrder(
  state: AccountState,
  { clientOrderId, keptFor }: Fold<'orderKept'>,
): readonly DirtyRow[] {
  const order = state.orders.get(clientOrderId)
  return order === undefined ? [] : putOrder(state, { ...order, keptFor })
}

/** Counted as if the broker had, once it has ended: there will be no deal. */
export function takeForFilled(
  state: AccountState,
  { clientOrderId, quantity }: Fold<'orderTakenForFilled'>,
): readonly DirtyRow[] {
  const order = state.orders.get(clientOrderId)
  return order === undefined ? [] : putOrder(state, { ...order, goneQuantity: quantity })
}

/** What its fills mean has been done. */
export function settleOrder(state: AccountState, clientOrderId: string): readonly DirtyRow[] {
  const order = state.orders.get(clientOrderId)
  return order === undefined ? [] : putOrder(state, { ...order, isSettled: true })
}

function withoutReorder(order: OrderRecord): OrderRecord {
  const { isReorderWanted: _, hasNextPart: _part, ...rest } = order
  return rest
}

export function moveOrder(
  state: AccountState,
  move: Fold<'orderMoved'>,
  timeMs: number,
): readonly DirtyRow[] {
  const before = state.orders.get(move.clientOrderId)
  assert(before !== undefined, `order ${move.clientOrderId} unknown`)
  const moved: OrderRecord = {
    ...(move.event === 'requestCancel' ? withoutReorder(before) : before),
    status: restingStatus(before, nextStatus(before.status, move.event)),
    venueStatus: move.event === 'refuseCancel' ? uncanceled(before) : before.venueStatus,
    orderId: move.orderId === '' ? before.orderId : move.orderId,
    statusMessage: move.message === '' ? before.statusMessage : move.message,
    // Sent as a day ended, taken on the next one.
    day: before.status === 'expired' && move.event === 'accept' ? state.day : before.day,
    updatedMs: timeMs,
  }
  if (before.orderId === '' && move.orderId !== '') return takeNumber(state, moved)
  return putOrder(state, marked(move, before, moved))
}

/** With what a move says besides the status. */
function marked(move: Fold<'orderMoved'>, before: OrderRecord, moved: OrderRecord): OrderRecord {
  const { event, isTooLate, isCancelWanted } = move
  switch (event) {
    case 'vanish':
      return { ...moved, vanishedMs: moved.updatedMs, ...(isCancelWanted && { isCancelWanted }) }
    case 'expire':
      return isVanished(before) || !isOpen(before.status) ? ended(moved) : moved
    case 'reject':
      return isTooLate ? tooLate(moved) : moved
    case 'requestCancel':
      return asked(move, before, moved)
    default:
      return moved
  }
}

/** Where its status says that a cancel is seen to, no mark has to. */
function asked(
  { isReorderWanted, isReplaced, isCancelWanted }: Fold<'orderMoved'>,
  { hasNextPart }: OrderRecord,
  { isCancelWanted: marked, ...moved }: OrderRecord,
): OrderRecord {
  const isMarked = moved.status !== 'pendingCancel' && (isCancelWanted ?? marked)
  return {
    ...moved,
    ...(isMarked === true && { isCancelWanted: true }),
    ...(isReorderWanted && { isReorderWanted }),
    // For its age, and it may be filled all the same.
    ...(isReorderWanted && hasNextPart && { hasNextPart }),
    ...(isReplaced && { isReplaced }),
  }
}

/**
 * A first order is found again by its signal. A rest, or a next part, is not: the order before it has done what the
 * signal asked for, so that what is left is sent again as after a cancel.
 */
const tooLate = (order: OrderRecord): OrderRecord =>
  order.chain === undefined || order.chain.follows === ''
    ? { ...order, isTooLate: true }
    : { ...order, isTooLate: true, isReorderWanted: true }

/** Nothing more of it is waited for: what the broker counted and never told stays unknown. */
function ended(order: OrderRecord): OrderRecord {
  const { venueFilledQuantity: _, ...rest } = order
  return rest
}

/** Somebody else's order until now, under the number that turns out to be ours. */
export function strangerLike(
  { orders, orderIds }: AccountState,
  order: OrderRecord,
  orderId: string,
): OrderRecord | undefined {
  const bearer = orders.get(orderIds.get(orderId) ?? '')
  if (bearer === undefined || bearer.strategy !== 'external') return undefined
  // A broker may number its orders anew every day: one of a day before ours only had the number first.
  const isEarlier = bearer.day < exchangeDay(order.createdMs)
  const isSame =
    bearer.code === order.code && bearer.side === order.side && bearer.quantity === order.quantity
  return isSame && !isEarlier ? bearer : undefined
}

/** Files an order under its number. What was told of it as a stranger's is told of ours. */
function takeNumber(state: AccountState, order: OrderRecord): readonly DirtyRow[] {
  const stranger = strangerLike(state, order, order.orderId)
  if (stranger === undefined) return putOrder(state, order)
  const { clientOrderId, status, venueStatus, day } = stranger
  const filledQuantity = order.filledQuantity + stranger.filledQuantity
  const filledAmount = order.filledAmount + stranger.filledAmount
  state.orders.delete(clientOrderId)
  state.unseen.delete(clientOrderId)
  return [
    { table: 'orders', key: clientOrderId },
    ...putOrder(state, {
      ...order,
      status,
      venueStatus,
      // Of one that had another number before, what was filled under that one counts too.
      filledQuantity: Math.min(filledQuantity, order.quantity) as Quantity,
      filledAmount: filledAmount as Money,
      day,
    }),
  ]
}

/** A refused cancel leaves an order as far filled as it was. */
function restingStatus(order: OrderRecord, status: OrderStatus | undefined): OrderStatus {
  if (status === 'accepted' && order.filledQuantity > 0) return 'partiallyFilled'
  return status ?? order.status
}

/** The one way back in rank: the cancel was refused, so the order is no longer about to end. */
function uncanceled(order: OrderRecord): VenueStatus {
  if (!isInHand(order)) return order.venueStatus
  return order.filledQuantity > 0 ? 55 : 50
}

export function quarantine(
  state: AccountState,
  { clientOrderId, reason }: Fold<'orderQuarantined'>,
): readonly DirtyRow[] {
  const before = state.orders.get(clientOrderId)
  assert(before !== undefined, `order ${clientOrderId} unknown`)
  return putOrder(state, { ...before, isQuarantined: true, statusMessage: reason })
}

export function decideDoubt(
  state: AccountState,
  { clientOrderId, orderId, isOver }: Fold<'doubtDecided'>,
  timeMs: number,
): readonly DirtyRow[] {
  const before = state.orders.get(clientOrderId)
  assert(before !== undefined, `order ${clientOrderId} unknown`)
  if (isOver) {
    const statusMessage = '人工确认：该委托已终结'
    return putOrder(state, {
      ...ended(before),
      status: 'expired',
      statusMessage,
      updatedMs: timeMs,
    })
  }
  const status = nextStatus(before.status, orderId === '' ? 'absent' : 'accept')
  assert(status !== undefined, `order ${clientOrderId} is not in doubt`)
  const statusMessage = orderId === '' ? '人工确认：交易客户端未收到该委托' : ''
  const decided = { ...withNumber(before, orderId), status, statusMessage, updatedMs: timeMs }
  return orderId === '' ? putOrder(state, decided) : takeNumber(state, decided)
}

export function reportOrder(
  state: AccountState,
  { clientOrderId, report }: Fold<'orderReported'>,
  timeMs: number,
): readonly DirtyRow[] {
  const before = state.orders.get(clientOrderId)
  assert(before !== undefined, `order ${clientOrderId} unknown`)
  const isAgain = isShownAgain(state, before, report)
  const isNewer = isNewerThan(before, report, isAgain)
  // Whatever its status: an order that has a number, or is shown again, is at the broker.
  const isFound = before.orderId === '' || isAgain
  const found = isFound ? (nextStatus(before.status, 'accept') ?? before.status) : before.status
  const event = isNewer ? movedBy(report, before) : undefined
  // What is shown of it says what it has filled.
  const { goneQuantity: _, ...told } = before
  const moved = event === undefined ? undefined : nextStatus(found, event)
  const order: OrderRecord = {
    ...told,
    orderId: report.orderId,
    // For a price type that takes no price the row shows the one that the client gave it.
    price: report.price > 0 ? report.price : before.price,
    status: restingStatus(before, moved ?? found),
    venueStatus: isNewer ? report.status : before.venueStatus,
    statusMessage: isNewer ? report.statusMessage : before.statusMessage,
    day: dayOf({ ...before, status: found }, report.timeMs),
    updatedMs: timeMs,
  }
  const { venueFilledQuantity = 0, filledQuantity } = before
  const isAhead = report.filledQuantity > Math.max(venueFilledQuantity, filledQuantity)
  const isPossible = report.filledQuantity <= order.quantity
  return putOrder(
    state,
    isAhead && isPossible ? { ...order, venueFilledQuantity: report.filledQuantity } : order,
  )
}

/** What was missing may come back without the cancel that was in hand: no row of before is on its way so long. */
function isNewerThan(before: OrderRecord, { status }: BrokerOrder, isAgain: boolean): boolean {
  const isUndone = isAgain && isInHand(before) && (status === 50 || status === 55)
  return isUndone || RANK[status] >= RANK[before.venueStatus]
}

/** Missing until now, or taken for ended because it was: not a row of a day that is over. */
const isShownAgain = (
  { day }: AccountState,
  { status, vanishedMs }: OrderRecord,
  { timeMs }: BrokerOrder,
): boolean => vanishedMs !== undefined && (status === 'inDoubt' || exchangeDay(timeMs) >= day)

/** Sent as a day ended, an order may be of the next one: the broker's time says which. */
const dayOf = ({ status, day }: OrderRecord, timeMs: number): string =>
  isOpen(status) ? exchangeDay(timeMs) : day

/** Voided after it was filled in part: the rest is gone, the fills are not. */
function movedBy(report: BrokerOrder, before: OrderRecord): OrderEventKind | undefined {
  const hasFills = before.filledQuantity > 0 || report.filledQuantity > 0
  return report.status === 57 && hasFills ? 'cancel' : MOVED_BY[report.status]
}

export function bookDeal(
  state: AccountState,
  booked: Fold<'dealBooked'>,
  timeMs: number,
): readonly DirtyRow[] {
  const { key, deal, record, clientOrderId } = booked
  assert(!state.deals.has(key), `deal ${key} booked twice`)
  const { id: recordId, strategy } = record
  state.deals.set(key, { deal, recordId, strategy, clientOrderId, day: state.day })
  // The deals of a grid's order share a record.
  state.nextRecordId = Math.max(state.nextRecordId, record.id + 1)
  state.recordsVersion += 1
  const dirtyRows: DirtyRow[] = [
    { table: 'deals', key },
    { table: 'records', key: record.id, row: record },
    { table: 'meta', key: 'account' },
  ]
  const order = state.orders.get(clientOrderId)
  if (order === undefined) return dirtyRows
  const filledQuantity = (order.filledQuantity + deal.quantity) as Quantity
  const event = filledQuantity >= order.quantity ? 'fillRest' : 'fillPart'
  return [
    ...dirtyRows,
    ...putOrder(state, {
      ...order,
      orderId: order.orderId === '' ? deal.orderId : order.orderId,
      filledQuantity,
      filledAmount: (order.filledAmount + deal.amount) as Money,
      status: nextStatus(order.status, event) ?? order.status,
      day: dayOf(order, deal.timeMs),
      updatedMs: timeMs,
    }),
  ]
}
