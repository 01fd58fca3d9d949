import { exchangeDay, exchangeTime } from '../domain/exchange-time.ts'
import type { StockCode } from '../domain/instrument.ts'
import { bareCode } from '../domain/instrument.ts'
import type { Price, Quantity } from '../domain/money.ts'
import type { BrokerDeal, BrokerOrder, BrokerPosition, OrderRecord } from '../domain/order.ts'
import type { OrderStatus } from '../domain/order-state.ts'
import type { Position } from '../domain/position.ts'
import { dealKey } from './events.ts'
import { displayedStop } from './quote-rules.ts'
import { orderAnswered } from './replies.ts'
import type { AccountState } from './state.ts'
import type { Turn } from './turn.ts'

/** Our order behind a row of the trading client: by its number, else by the remark it carries. */
export function ownOrder(
  state: AccountState,
  row: { readonly orderId: string; readonly clientOrderId: string },
): OrderRecord | undefined {
  const id = state.orderIds.get(row.orderId) ?? row.clientOrderId
  return state.orders.get(id)
}

/** A row of the trading client, pushed or queried: news of an order of ours, or one that somebody else placed. */
export function onOrderReport(turn: Turn, report: BrokerOrder): void {
  const { state } = turn
  const order = ownOrder(state, report)
  if (order === undefined) {
    turn.emit({ kind: 'orderAdopted', order: adopted(report) })
    return
  }
  if (!isNews(order, report)) return
  turn.emit({ kind: 'orderReported', clientOrderId: order.clientOrderId, report })
  state.absentSinceMs.delete(order.clientOrderId)
  orderAnswered(turn, order.clientOrderId)
}

const isNews = (order: OrderRecord, report: BrokerOrder): boolean =>
  order.orderId !== report.orderId ||
  order.venueStatus !== report.status ||
  order.statusMessage !== report.statusMessage ||
  (report.price > 0 && report.price !== order.price)

const ADOPTED_STATUS: Partial<Record<BrokerOrder['status'], OrderStatus>> = {
  51: 'pendingCancel',
  52: 'pendingCancel',
  53: 'canceled',
  54: 'canceled',
  57: 'rejected',
}

function adopted(report: BrokerOrder): OrderRecord {
  return {
    clientOrderId: `external-${exchangeDay(report.timeMs)}-${report.orderId}`,
    orderId: report.orderId,
    code: report.code,
    side: report.side,
    quantity: report.quantity,
    priceType: report.priceType,
    price: report.price,
    strategy: 'external',
    status: ADOPTED_STATUS[report.status] ?? 'accepted',
    venueStatus: report.status,
    statusMessage: report.statusMessage,
    filledQuantity: 0 as Quantity, // its deals are booked one by one, like those of our own
    filledAmount: 0 as OrderRecord['filledAmount'],
    createdMs: report.timeMs,
    updatedMs: report.timeMs,
    day: exchangeDay(report.timeMs),
    requestHash: '',
  }
}

/** Books a deal once, whatever the order in which pushes, answers and queries arrive. */
export function onDealReport(turn: Turn, deal: BrokerDeal): void {
  const { state } = turn
  const key = dealKey(exchangeDay(deal.timeMs), deal)
  if (state.deals.has(key)) return
  const order = ownOrder(state, deal)
  if (order !== undefined && order.filledQuantity + deal.quantity > order.quantity) {
    turn.warn(`deal ${deal.dealId} would overfill order ${order.clientOrderId}: not booked`)
    return
  }
  turn.emit({
    kind: 'dealBooked',
    key,
    deal,
    clientOrderId: order?.clientOrderId ?? '',
    record: {
      id: state.nextRecordId,
      code: deal.code,
      name: state.positions.get(deal.code)?.name ?? bareCode(deal.code),
      timeMs: deal.timeMs,
      side: deal.side,
      price: deal.price,
      quantity: deal.quantity,
      amount: deal.amount,
      fee: deal.fee,
      dealId: deal.dealId,
      orderId: deal.orderId,
      strategy: order?.strategy ?? 'external',
    },
  })
  if (order !== undefined) orderAnswered(turn, order.clientOrderId)
}

/** A holding as the trading client sees it now. Quantity 0 is a closed holding: what is bought again starts fresh. */
export function onPositionReport(turn: Turn, row: BrokerPosition): void {
  const { state } = turn
  const before = state.positions.get(row.code)
  state.missing.delete(row.code)
  if (row.quantity <= 0) {
    if (before !== undefined) closePosition(turn, row.code)
    return
  }
  const position = before === undefined ? opened(turn, row) : updated(state, before, row)
  if (before !== undefined && !isChanged(before, position)) return
  turn.emit({ kind: 'positionReported', position: { ...position, updatedMs: turn.inputs.nowMs } })
  turn.state.dataVersion += 1
  if (before === undefined) turn.after({ kind: 'bands' })
}

export function closePosition(turn: Turn, code: StockCode): void {
  turn.emit({ kind: 'positionClosed', code })
  turn.state.dataVersion += 1
  turn.after({ kind: 'bands' })
}

function isChanged(before: Position, after: Position): boolean {
  return (
    before.quantity !== after.quantity ||
    before.sellable !== after.sellable ||
    before.costPrice !== after.costPrice ||
    before.name !== after.name ||
    before.stopLossPrice !== after.stopLossPrice
  )
}

/** A broker that reports no cost: the base cost, else one cent, so that ratios stay defined. */
const FALLBACK_COST = 100 as Price

function opened(turn: Turn, row: BrokerPosition): Position {
  const quote = turn.inputs.quote(row.code)
  const costPrice = row.costPrice > 0 ? row.costPrice : FALLBACK_COST
  const highestPrice = Math.max(costPrice, quote?.lastPrice ?? 0) as Price
  const holding = { costPrice, highestPrice, profitTriggered: false }
  return {
    code: row.code,
    name: row.name === '' ? bareCode(row.code) : row.name,
    quantity: row.quantity,
    sellable: row.sellable,
    baseCostPrice: costPrice,
    ...holding,
    stopLossPrice: displayedStop(turn.state, holding),
    breakoutTriggered: false,
    breakoutHighestPrice: 0 as Price,
    stopProfitEnabled: true,
    openDate:
      row.openDate === undefined ? exchangeTime(turn.inputs.nowMs) : `${row.openDate} 00:00:00`,
    actedTickMs: quote?.timeMs ?? 0,
    updatedMs: turn.inputs.nowMs,
  }
}

function updated(state: AccountState, before: Position, row: BrokerPosition): Position {
  const known = before.baseCostPrice > 0 ? before.baseCostPrice : FALLBACK_COST
  const costPrice = row.costPrice > 0 ? row.costPrice : known
  const after = {
    ...before,
    name: row.name === '' ? before.name : row.name,
    quantity: row.quantity,
    sellable: row.sellable,
    costPrice,
    baseCostPrice: before.baseCostPrice > 0 ? before.baseCostPrice : costPrice,
  }
  const isSameCost = Math.abs(costPrice - before.costPrice) <= FALLBACK_COST
  return isSameCost ? after : { ...after, stopLossPrice: displayedStop(state, after) }
}

/**
 * A whole list of holdings: rows as above, and what is missing in several lists in a row is gone.
 * One short list proves nothing; clients send those right after a reconnect.
 */
export function onPositionList(turn: Turn, rows: readonly BrokerPosition[]): void {
  const { state } = turn
  for (const row of rows) onPositionReport(turn, row)
  const listed = new Set(rows.map(({ code }) => code))
  for (const code of [...state.positions.keys()]) {
    if (listed.has(code)) continue
    const count = (state.missing.get(code) ?? 0) + 1
    state.missing.set(code, count)
    if (count < state.policy.limits.missingConfirmations) continue
    state.missing.delete(code)
    closePosition(turn, code)
  }
}
