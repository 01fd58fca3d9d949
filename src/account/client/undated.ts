import { DAY_MS, exchangeDay } from '../../domain/exchange-time.ts'
import {
  type BrokerDeal,
  type BrokerOrder,
  isTerminal,
  type OrderRecord,
} from '../../domain/order.ts'
import { isOpen } from '../../domain/order-state.ts'
import { isBeforeAuction, isOnTradingDay } from '../../domain/session.ts'
import type { DriverEvent, QueryRows } from '../../protocol/driver.ts'
import { keysOf } from '../model/deal-key.ts'
import type { AccountState } from '../model/state.ts'
import type { Turn } from '../turn/turn.ts'

/** No two trading days lie further apart. */
const DAYS_BACK = 12

/**
 * What a client gives no time for is of the moment at which it is told. But before the auction, and on a day without
 * trading, nothing of this day can have traded: what is booked of an earlier day is listed once more then.
 */
export function dated(turn: Turn, event: DriverEvent): DriverEvent {
  switch (event.kind) {
    case 'orderPushed':
      return event.order.isUndated ? { ...event, order: datedOrder(turn, event.order) } : event
    case 'dealPushed':
      return event.deal.isUndated ? { ...event, deal: datedDeal(turn, event.deal) } : event
    case 'queryAnswered':
      return event.result.ok
        ? { ...event, result: { ...event.result, value: datedRows(turn, event.result.value) } }
        : event
    default:
      return event
  }
}

function datedRows(turn: Turn, report: QueryRows): QueryRows {
  if (report.what === 'orders' && report.rows.some(({ isUndated }) => isUndated)) {
    return { ...report, rows: report.rows.map((row) => datedOrder(turn, row)) }
  }
  if (report.what === 'deals' && report.rows.some(({ isUndated }) => isUndated)) {
    return { ...report, rows: report.rows.map((row) => datedDeal(turn, row)) }
  }
  return report
}

/**
 * By when it was told, which may be long ago: a sidecar keeps what it has heard. Not while nobody knows what time it is:
 * then the day that is told may be the one that trades.
 */
const isBeforeTrading = ({ state, inputs }: Turn, { timeMs }: BrokerOrder | BrokerDeal): boolean =>
  !state.policy.isAlwaysOpen &&
  inputs.clockDoubt === undefined &&
  (isBeforeAuction(timeMs) || !isOnTradingDay(timeMs))

function datedOrder(turn: Turn, row: BrokerOrder): BrokerOrder {
  if (!row.isUndated) return row
  const { isUndated: _, ...order } = row
  const before = isBeforeTrading(turn, order) ? orderBefore(turn.state, order) : undefined
  return before === undefined ? order : { ...order, timeMs: before.createdMs }
}

/** The newest that it may be: numbers may begin anew every day, and what waits for the auction has one of this day. */
function orderBefore({ orders }: AccountState, row: BrokerOrder): OrderRecord | undefined {
  let newest: OrderRecord | undefined
  for (const order of orders.values()) {
    if (mayBe(order, row) && order.day >= (newest?.day ?? '')) newest = order
  }
  if (newest === undefined || isOpen(newest.status)) return undefined
  return newest.day < exchangeDay(row.timeMs) ? newest : undefined
}

/** By its terms and what it bears; what the broker has ended does not rest again. */
const mayBe = (order: OrderRecord, row: BrokerOrder): boolean =>
  order.code === row.code &&
  order.side === row.side &&
  order.quantity === row.quantity &&
  isNamed(order, row) &&
  (!isTerminal(order.venueStatus) || isTerminal(row.status) || row.status === UNKNOWN)
const UNKNOWN = 255

/** The number alone may be another one's since. */
const isNamed = ({ clientOrderId, copyOf, remark, orderId }: OrderRecord, row: BrokerOrder) =>
  row.clientOrderId === ''
    ? orderId === row.orderId
    : row.clientOrderId === clientOrderId ||
      (row.clientOrderId === (copyOf ?? remark) && orderId === row.orderId)

function datedDeal(turn: Turn, row: BrokerDeal): BrokerDeal {
  if (!row.isUndated) return row
  const { isUndated: _, ...deal } = row
  const before = isBeforeTrading(turn, deal) ? dealBefore(turn.state, deal) : undefined
  return before === undefined ? deal : { ...deal, timeMs: before.timeMs }
}

function dealBefore({ deals }: AccountState, row: BrokerDeal): BrokerDeal | undefined {
  for (let back = 1; back <= DAYS_BACK; back++) {
    const timeMs = row.timeMs - back * DAY_MS
    for (const key of keysOf(deals, { ...row, timeMs })) {
      const { deal } = deals.get(key) ?? {}
      if (deal?.quantity === row.quantity && deal.price === row.price) return deal
    }
  }
  return undefined
}
