import { exchangeDay } from '../../domain/exchange-time.ts'
import { CLIENT_ORDER_ID, isTail } from '../../domain/ids.ts'
import type { Quantity } from '../../domain/money.ts'
import {
  type BrokerDeal,
  type BrokerOrder,
  isCaughtUp,
  type OrderRecord,
  PRICE_TYPE,
} from '../../domain/order.ts'
import { isOpen, type OrderStatus } from '../../domain/order-state.ts'
import { isOwnStrategy } from '../../domain/trade-record.ts'
import type { OrdersReport } from '../../protocol/driver.ts'
import { leavesOf } from '../model/order-book.ts'
import { beginList, noteNumber } from '../model/order-numbers.ts'
import type { AccountState } from '../model/state.ts'
import { countTriesAnew, sendHeld } from '../orders/cancels.ts'
import { recordOf } from '../orders/deal-record.ts'
import { mayFillOurs, ordersLike } from '../orders/doubt-rules.ts'
import { followExDay } from '../orders/ex-day.ts'
import { orderAnswered } from '../turn/replies.ts'
import type { Turn } from '../turn/turn.ts'
import {
  bearsLostId,
  hasTermsOf,
  isByNumberAlone,
  namedInstead,
  numberedAs,
  numberLostTo,
} from './bearer.ts'
import { onFillsBehind } from './catch-up.ts'
import { type BookedFills, earlierFills } from './earlier-fills.ts'
import { doubtMissing, type Listed, noteBearer, noteListed } from './listed.ts'
import {
  claimOf,
  goneBearer,
  isOfUnknownNumber,
  isWaitedFor,
  leaveNumbers,
  otherBearer,
  renumber,
  takeBack,
} from './renumbered.ts'
import { keysListed, keyTold, newKey } from './same-number.ts'
import { isOtherText } from './seen.ts'

/** Our order behind a row of the broker: by its number, else by the remark it carries. */
export function ownOrder(turn: Turn, row: BrokerOrder | BrokerDeal): OrderRecord | undefined {
  const { state } = turn
  const numbered = numberedAs(state, row.orderId)
  const named = state.orders.bearing(row.clientOrderId)
  const isNumbered = numbered !== undefined && isBearer(turn, numbered, row)
  if (isNumbered && named === numbered) return numbered
  const isAnothers = hasNumberOfAnother(state, row, numbered)
  if (isNumbered && !isAnothers) return numbered
  // A remark that another number bears already was copied by somebody.
  const isFree = named?.orderId === '' || named?.orderId === row.orderId
  if (named !== undefined && isFree && isSameStock(named, row)) return named
  const sharer = isNumbered ? undefined : sharerOf(state, row, numbered)
  return sharer ?? (isAnothers ? undefined : ofEarlierDay(state, row))
}

/**
 * After an exchange of numbers two orders may be known by the same one until a list shows the other elsewhere: somebody
 * else's is told by its moment and terms.
 */
function sharerOf(
  { orders }: AccountState,
  row: BrokerOrder | BrokerDeal,
  numbered: OrderRecord | undefined,
): OrderRecord | undefined {
  if (numbered === undefined || !('filledQuantity' in row)) return undefined
  for (const order of orders.values()) {
    const isOfItsMoment = order.orderId === row.orderId && order.createdMs === row.timeMs
    if (isOfItsMoment && order.strategy === 'external' && hasTermsOf(order, row)) return order
  }
  return undefined
}

/** Whether its number says nothing of whose it is: it was that of another order before. */
function hasNumberOfAnother(
  state: AccountState,
  row: BrokerOrder | BrokerDeal,
  numbered: OrderRecord | undefined,
): boolean {
  // Of a deal the order row that was laid aside says whose its number is, where it does not say so itself.
  const shown = 'filledQuantity' in row ? row : state.parked.get(row.orderId)
  const isOfLost = numbered?.strategy !== 'external' && bearsLostId(state, row)
  const isTaken = isOfLost || (shown !== undefined && numberLostTo(state, shown) !== undefined)
  return isTaken || namedInstead(state, row) !== undefined
}

/** Whose number another order bears by now: seldom, while a client still lists what was before today. */
function ofEarlierDay(state: AccountState, row: BrokerOrder | BrokerDeal): OrderRecord | undefined {
  const day = exchangeDay(row.timeMs)
  if (day >= state.day) return undefined
  for (const order of state.orders.values()) {
    if (order.orderId === row.orderId && order.day === day && isSameStock(order, row)) return order
  }
  return undefined
}

/**
 * Numbers may begin anew every day, so an order that ended on another day has lost its own; and a row of a
 * day before ours was made, which a client may list for a while, is of whoever had the number then.
 */
function isBearer(turn: Turn, order: OrderRecord, row: BrokerOrder | BrokerDeal): boolean {
  const day = exchangeDay(row.timeMs)
  // Where our clock was wrong, its day is the one that the broker has told.
  const isBefore = day !== order.day && (day < exchangeDay(order.createdMs) || day < order.day)
  const isEarlier =
    isBefore && row.clientOrderId !== order.clientOrderId && !isOfItsMoment(turn, order, row)
  return isSameStock(order, row) && (order.day === day || isOpen(order.status)) && !isEarlier
}

/**
 * Whether a row that seems to be of a day before the order is of the very moment of the order, by the clock that the
 * computer shows now: while nobody knows what day it is, the clock by which the order was made may have been a day ahead.
 */
function isOfItsMoment(turn: Turn, order: OrderRecord, row: BrokerOrder | BrokerDeal): boolean {
  const { state, inputs } = turn
  if (inputs.clockDoubt === undefined || ofEarlierDay(state, row) !== undefined) return false
  const { matchBeforeMs, matchAfterMs } = state.policy.limits
  const momentMs = order.createdMs + inputs.clockDoubt.offMs
  const afterMs = row.timeMs - momentMs
  // A fill may come late, but not on a day after that moment: a clock that lost its battery shows one of years ago.
  if (afterMs < -matchBeforeMs || exchangeDay(row.timeMs) > exchangeDay(momentMs)) return false
  if (!('filledQuantity' in row)) return row.quantity <= leavesOf(order)
  const isSamePrice = order.priceType !== PRICE_TYPE.limit || order.price === row.price
  return row.quantity === order.quantity && isSamePrice && afterMs <= matchAfterMs
}

const isSameStock = (order: OrderRecord, row: Pick<BrokerOrder, 'code' | 'side'>): boolean =>
  order.code === row.code && order.side === row.side

/** It may be an order of ours that has no number yet: asked for again when that one is decided. */
function park(turn: Turn): void {
  const { state } = turn
  if (state.hasParked) return
  state.hasParked = true
  turn.timer('doubt', state.policy.limits.doubtQueryIntervalMs)
}

/** A whole list of orders: rows as below, and what is missing in several lists in a row is in doubt again. */
export function onOrderList(turn: Turn, report: OrdersReport): void {
  const { rows } = report
  const listed = noteListed(turn, rows)
  const { numbers, orders } = turn.state
  beginList(numbers, report, (id) => isOpen(orders.get(id)?.status ?? 'expired'))
  for (const row of rows) onOrderReport(turn, row, listed)
  leaveNumbers(turn, listed)
  doubtMissing(turn)
  sendHeld(turn)
}

/**
 * A row of the broker, pushed or of this list: news of an order of ours, or one that somebody else
 * placed.
 */
export function onOrderReport(turn: Turn, report: BrokerOrder, listed?: Listed): void {
  const { state } = turn
  const order = ownOrder(turn, report)
  if (order?.orderId === report.orderId) return onItsNumber(turn, order, { report, listed })
  // Pushed, it may take a number from ours, which one list more will show under another.
  const isEarly = listed === undefined && numberLostTo(state, report) !== undefined
  if (order === undefined && bearsLostId(state, report)) {
    return isEarly ? lay(turn, report) : recover(turn, report, listed)
  }
  const other = otherBearer(state, report, listed)
  if (other !== undefined) return onOtherNumber(turn, report, { other, listed })
  if (order === undefined) {
    if (!isEarly && ordersLike(state, report).length === 0) return adopt(turn, report)
    return lay(turn, report)
  }
  followRow(turn, order, report)
}

interface Told {
  readonly report: BrokerOrder
  readonly listed: Listed | undefined
}

/** News under the number that an order has; of one that a push alone says to be ours a list has to say so first. */
function onItsNumber(turn: Turn, order: OrderRecord, { report, listed }: Told): void {
  const { state } = turn
  const isEarly = listed === undefined && isByNumberAlone(state, order, report)
  return isEarly ? lay(turn, report) : followRow(turn, order, report)
}

/** Nobody's until lists say more. */
function lay(turn: Turn, report: BrokerOrder): void {
  turn.state.parked.set(report.orderId, report)
  park(turn)
}

interface OtherNumber {
  readonly other: OrderRecord
  readonly listed: Listed | undefined
}

/** It bears the id of an order of ours that has another number. */
function onOtherNumber(turn: Turn, report: BrokerOrder, { other, listed }: OtherNumber): void {
  const { state } = turn
  const isFormer = other.formerIds?.includes(report.orderId) === true
  switch (claimOf(turn, other, { row: report, listed })) {
    case 'unclear':
      return lay(turn, report)
    case 'renumbered':
      renumber(turn, other, report)
      if (listed !== undefined) noteBearer(listed, report)
      break
    case 'stranger':
      if (!isFormer) return adopt(turn, report)
      takeBack(turn, other, report)
  }
  followRow(turn, state.orders.get(other.clientOrderId) ?? other, report)
}

function followRow(turn: Turn, order: OrderRecord, report: BrokerOrder): void {
  const { state } = turn
  state.unlisted.delete(order.clientOrderId)
  noteNumber(state.numbers, order.clientOrderId)
  if (!isNews(state, order, report)) return
  const { clientOrderId } = order
  turn.emit({ kind: 'orderReported', clientOrderId, report })
  // What was tried while it was missing says nothing of it.
  if (order.vanishedMs !== undefined) countTriesAnew(turn, clientOrderId)
  state.absentSinceMs.delete(clientOrderId)
  orderAnswered(turn, clientOrderId)
  const after = state.orders.get(clientOrderId) ?? order
  // It stood in a call over night: of the day before, as it passed for, no cancel could be asked.
  if (after.day > order.day) countTriesAnew(turn, clientOrderId)
  if (!isOpen(order.status) && isOpen(after.status)) {
    turn.warnOfOrder(
      clientOrderId,
      `shown by the trading client after it had ended (${order.status})`,
    )
  }
  onFillsBehind(turn, after, report)
}

const isNews = ({ day }: AccountState, order: OrderRecord, report: BrokerOrder): boolean =>
  order.orderId !== report.orderId ||
  order.vanishedMs !== undefined ||
  order.goneQuantity !== undefined ||
  order.venueStatus !== report.status ||
  isOtherText(order.statusMessage, report.statusMessage) ||
  (report.price > 0 && report.price !== order.price) ||
  (report.filledQuantity > Math.max(order.filledQuantity, order.venueFilledQuantity ?? 0) &&
    report.filledQuantity <= order.quantity &&
    // Of one that ended on an earlier day its deals were given up, and the row may be listed all night.
    (isOpen(order.status) || order.day >= day))

/** Strategy of an order of ours when the trading client does not say which it was. */
const RECOVERED = 'recovered'

const ADOPTED_STATUS: Partial<Record<BrokerOrder['status'], OrderStatus>> = {
  51: 'pendingCancel',
  52: 'pendingCancel',
  53: 'canceled',
  54: 'canceled',
  57: 'rejected',
}

/** An order of ours comes back into the books, under the id that it bears. */
function recover(turn: Turn, report: BrokerOrder, listed: Listed | undefined): void {
  const { clientOrderId, orderId, strategy } = report
  const own = isOwnStrategy(strategy) ? strategy : RECOVERED
  const fills = earlierFills(turn.state, report, { isOurs: true, listed })
  file(turn, report, { clientOrderId, strategy: own, isRecovered: true, fills })
  const text = `order ${clientOrderId}, ${orderId} at the trading client, bears an id of this service that its books had lost; taken back as ${own}`
  turn.warn(text)
}

/**
 * What somebody's order is called here: after its number, and where another one of his is called so already, with a count
 * behind it: that had the number before the client was started anew, or has it at another exchange. Undefined: it is that
 * other one.
 */
function strangersId(state: AccountState, report: BrokerOrder): string | undefined {
  const { orders } = state
  const first = `external-${exchangeDay(report.timeMs)}-${report.orderId}`
  if (!orders.has(first)) return first
  const isLost = numberLostTo(state, report)?.strategy === 'external'
  if (!isLost && hasStranger(state, report)) return undefined
  let count = 2
  while (orders.has(`${first}-${count}`)) count += 1
  return `${first}-${count}`
}

/** Whether somebody's order of that stock has the number of this row in the books. */
function hasStranger({ orders }: AccountState, { orderId, code, timeMs }: BrokerOrder): boolean {
  const day = exchangeDay(timeMs)
  for (const order of orders.values()) {
    const isOfRow = order.orderId === orderId && order.code === code && order.day === day
    if (isOfRow && order.strategy === 'external') return true
  }
  return false
}

/** An order that somebody else placed. */
function adopt(turn: Turn, report: BrokerOrder): void {
  const { clientOrderId: remark } = report
  const clientOrderId = strangersId(turn.state, report)
  if (clientOrderId === undefined) return
  file(turn, report, {
    clientOrderId,
    strategy: 'external',
    fills: earlierFills(turn.state, report, { isOurs: false, listed: undefined }),
    ...(isTail(remark) && { remark }),
    ...(CLIENT_ORDER_ID.test(remark) && { copyOf: remark }),
  })
}

type Filed = Pick<
  OrderRecord,
  'clientOrderId' | 'strategy' | 'isRecovered' | 'remark' | 'copyOf'
> & { readonly fills: BookedFills }

/** A row of the broker becomes an order in the books, with the deals of it that came before it. */
function file(turn: Turn, report: BrokerOrder, as: Filed): void {
  const order = adopted(report, as)
  turn.emit({ kind: 'orderAdopted', order })
  noteNumber(turn.state.numbers, order.clientOrderId)
  onFillsBehind(turn, order, report)
}

function adopted(report: BrokerOrder, { fills, ...as }: Filed): OrderRecord {
  const { filled, amount } = fills
  const status = ADOPTED_STATUS[report.status] ?? (filled > 0 ? 'partiallyFilled' : 'accepted')
  const isBehind = filled < report.filledQuantity && report.filledQuantity <= report.quantity
  return {
    ...as,
    orderId: report.orderId,
    code: report.code,
    side: report.side,
    quantity: report.quantity,
    priceType: report.priceType,
    price: report.price,
    status: filled === report.quantity ? 'filled' : status,
    venueStatus: report.status,
    statusMessage: report.statusMessage,
    filledQuantity: filled as Quantity, // further deals are booked one by one, like those of our own
    filledAmount: amount as OrderRecord['filledAmount'],
    createdMs: report.timeMs,
    updatedMs: report.timeMs,
    day: exchangeDay(report.timeMs),
    requestHash: '',
    ...(isBehind && { venueFilledQuantity: report.filledQuantity }),
  }
}

/** Whether a list of the orders has to say first whose the number of a deal is. */
function waitsForList(turn: Turn, deal: BrokerDeal, own: OrderRecord | undefined): boolean {
  const { state } = turn
  if (own === undefined) return mayFillOurs(state, deal) || isOfUnknownNumber(turn, deal)
  // Not for ever: its order may have left the lists. Before the first ones a sidecar tells of hours when nobody listened.
  const mayBeTold = !state.isReady || isWaitedFor(turn, deal)
  const isOfLists = exchangeDay(deal.timeMs) >= state.day // what an earlier day has filled no list tells again
  return mayBeTold && isOfLists && isByNumberAlone(state, own, deal)
}

const ownerOf = (turn: Turn, deal: BrokerDeal): OrderRecord | undefined =>
  ownOrder(turn, deal) ?? goneBearer(turn, deal)

/** Under what the deals of a list are booked. */
export const dealsBooked = (turn: Turn, rows: readonly BrokerDeal[]) =>
  keysListed(turn.state, rows, (deal) => ownerOf(turn, deal))

/** Books a deal once, whatever the order in which pushes, answers and queries arrive. */
export function onDealReport(turn: Turn, deal: BrokerDeal, isListed = false): void {
  const { state } = turn
  if (keyTold(state, deal) !== undefined) return
  const own = ownerOf(turn, deal)
  const key = newKey(state, { deal, own }, isListed)
  if (key === undefined) return
  if (waitsForList(turn, deal, own)) return park(turn)
  const isTooMuch = own !== undefined && own.filledQuantity + deal.quantity > own.quantity
  if (isTooMuch) {
    const text = `deal ${deal.dealId} fills more than was ordered; booked beside the order`
    turn.warnOfOrder(own.clientOrderId, text)
  }
  const order = isTooMuch ? undefined : own
  followExDay(turn, deal.code) // what it has cost, or earned, is of the scale of its day
  turn.emit({
    kind: 'dealBooked',
    key,
    deal,
    clientOrderId: order?.clientOrderId ?? '',
    record: recordOf(state, deal, own),
  })
  if (order === undefined) return
  const { day = '' } = state.orders.get(order.clientOrderId) ?? {}
  if (day > order.day) countTriesAnew(turn, order.clientOrderId)
  if (!isOpen(order.status) && isCaughtUp(order)) {
    const text = `deal ${deal.dealId} came after it had ended (${order.status})`
    turn.warnOfOrder(order.clientOrderId, text)
  }
  orderAnswered(turn, order.clientOrderId)
}
