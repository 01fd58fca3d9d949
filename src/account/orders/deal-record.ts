import { exchangeDay } from '../../domain/exchange-time.ts'
import type { Money, Quantity } from '../../domain/money.ts'
import type { BrokerDeal, OrderRecord } from '../../domain/order.ts'
import { type TradeRecord, tradeOf } from '../../domain/trade-record.ts'
import { averagePrice } from '../../strategy/grid/ledger.ts'
import type { AccountState, BookedDeal } from '../model/state.ts'
import { nameOf } from '../turn/holding.ts'

/** The record of a deal: its own; an order of a grid has one for all its deals, under its own number. */
export function recordOf(
  state: AccountState,
  deal: BrokerDeal,
  order: OrderRecord | undefined,
): TradeRecord {
  const record = tradeOf(deal, {
    id: state.nextRecordId,
    name: nameOf(state, deal.code),
    strategy: order?.strategy ?? 'external',
  })
  if (order === undefined || !state.grid.orders.has(order.clientOrderId)) return record
  const isBeside = order.filledQuantity + deal.quantity > order.quantity
  return isBeside ? record : gathered(state, record, order)
}

/** For grid fills the serial number equals the order number (docs/domain.md 4.6). */
function gathered(state: AccountState, record: TradeRecord, order: OrderRecord): TradeRecord {
  const earlier = [...state.deals.values()].filter((booked) => isOfOrder(booked, record, order))
  const sumOf = (field: 'quantity' | 'amount' | 'fee') =>
    earlier.reduce((sum, { deal }) => sum + deal[field], record[field] as number)
  const quantity = sumOf('quantity') as Quantity
  const amount = sumOf('amount') as Money
  const fee = sumOf('fee') as Money
  return {
    ...record,
    id: earlier[0]?.recordId ?? record.id,
    price: averagePrice(amount, quantity),
    quantity,
    amount,
    fee,
    dealId: record.orderId,
  }
}

/** By the day of the deals: what comes after the next day has opened belongs to the same order. */
function isOfOrder(
  { deal, strategy, clientOrderId }: BookedDeal,
  record: TradeRecord,
  order: OrderRecord,
): boolean {
  // Clients exchange the numbers of orders: one may have been that of another order when its deals were told.
  const isIts =
    clientOrderId === undefined
      ? [record.orderId, order.orderId, ...(order.formerIds ?? [])].includes(deal.orderId)
      : clientOrderId === order.clientOrderId
  return (
    isIts &&
    deal.code === record.code &&
    deal.side === record.side &&
    strategy === record.strategy &&
    exchangeDay(deal.timeMs) === exchangeDay(record.timeMs)
  )
}
