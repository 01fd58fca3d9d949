import { DAY_MS, exchangeDay } from '../../domain/exchange-time.ts'
import type { BrokerDeal, BrokerOrder } from '../../domain/order.ts'
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

/** Not while nobody knows what time it is: then the day that is told may be the one that trades. */
const isBeforeTrading = ({ state, inputs: { nowMs, clockDoubt } }: Turn): boolean =>
  !state.policy.isAlwaysOpen &&
  clockDoubt === undefined &&
  (isBeforeAuction(nowMs) || !isOnTradingDay(nowMs))

function datedOrder(turn: Turn, row: BrokerOrder): BrokerOrder {
  if (!row.isUndated) return row
  const { isUndated: _, ...order } = row
  const before = isBeforeTrading(turn) ? orderBefore(turn, order) : undefined
  return before === undefined ? order : { ...order, timeMs: before.createdMs }
}

function orderBefore({ state, inputs }: Turn, row: BrokerOrder) {
  const today = exchangeDay(inputs.nowMs)
  for (const order of state.orders.values()) {
    const isIts =
      order.orderId === row.orderId &&
      order.code === row.code &&
      order.side === row.side &&
      order.quantity === row.quantity &&
      (row.clientOrderId === '' || row.clientOrderId === order.clientOrderId)
    if (isIts && order.day < today && !isOpen(order.status)) return order
  }
  return undefined
}

function datedDeal(turn: Turn, row: BrokerDeal): BrokerDeal {
  if (!row.isUndated) return row
  const { isUndated: _, ...deal } = row
  const before = isBeforeTrading(turn) ? dealBefore(turn.state, deal) : undefined
  return before === undefined ? deal : { ...deal, timeMs: before.timeMs }
}

function dealBefore({ deals }: AccountState, row: BrokerDeal): BrokerDeal | undefined {
  for (let back = 1; back <= DAYS_BACK; back++) {
    const timeMs = row.timeMs - back * DAY_MS
    for (const key of keysOf(deals, { ...row, timeMs })) {
      const { deal } = deals.get(key) ?? {}
      const isIt = deal?.orderId === row.orderId && deal.quantity === row.quantity
      if (isIt && deal.price === row.price) return deal
    }
  }
  return undefined
}
