import { exchangeTime } from '../../domain/exchange-time.ts'
import { orderNumber } from '../../domain/ids.ts'
import { shownCode } from '../../domain/instrument.ts'
import { type Money, marketValue, round, toYuan } from '../../domain/money.ts'
import {
  isPending,
  ORDER_TYPE,
  type OrderRecord,
  toldNumber,
  tradeType,
  VENUE_STATUS,
  type VenueStatus,
} from '../../domain/order.ts'
import { isCostTold, type Position } from '../../domain/position.ts'
import { explainRefusal } from '../../domain/refusals.ts'
import { strategyLabel, type TradeRecord } from '../../domain/trade-record.ts'
import type { Quote } from '../../ports/quotes.port.ts'
import { dayInForce } from '../model/days.ts'
import type { AccountState, BookedDeal } from '../model/state.ts'
import { changePercentage, isQuoted, markPrice } from '../orders/quote-rules.ts'
import { assetOf } from '../turn/holding.ts'
import { answerOf } from '../turn/replies.ts'
import type { WhyFields } from './why.ts'

/** What a row shows of the price of its moment. */
export function pricesOf(position: Position, quote: Quote | undefined) {
  const price = markPrice(position, quote)
  const { costPrice } = position
  // Against a cost that stands in for one that nobody has told, all would be profit.
  const gain = isCostTold(position) ? price - costPrice : 0
  return {
    current_price: toYuan(price),
    market_value: round(toYuan(marketValue(price, position.quantity)), 2),
    profit_amount: round(toYuan((gain * position.quantity) as Money), 2),
    profit_ratio: gain === 0 ? 0 : round((100 * gain) / costPrice, 2),
    change_percentage: changePercentage(quote),
    /** Somebody has quoted it; else the price is its cost, and value and profit say nothing. */
    is_priced: isQuoted(quote),
  }
}
export type RowPrices = ReturnType<typeof pricesOf>

/** What a row shows besides the holding and its price. */
export interface RowMarks {
  readonly isGridActive: boolean
  readonly name: string
  /** What the service thinks of it. */
  readonly why: WhyFields
}

/** Position row with every field that existing clients read; `profit_ratio` is a percent number. */
export function positionRow(
  position: Position,
  quote: Quote | undefined,
  { isGridActive, name, why }: RowMarks,
) {
  return {
    stock_code: shownCode(position.code),
    stock_name: name,
    volume: position.quantity,
    available: position.sellable,
    cost_price: toYuan(position.costPrice),
    base_cost_price: toYuan(position.baseCostPrice),
    is_cost_known: isCostTold(position),
    ...pricesOf(position, quote),
    open_date: position.openDate,
    last_update: exchangeTime(position.updatedMs),
    profit_triggered: position.profitTriggered,
    highest_price: toYuan(position.highestPrice),
    stop_loss_price: toYuan(position.stopLossPrice),
    profit_breakout_triggered: position.breakoutTriggered,
    breakout_highest_price: toYuan(position.breakoutHighestPrice),
    stop_profit_enabled: position.stopProfitEnabled,
    grid_session_active: isGridActive,
    ...why,
  }
}
export type PositionRow = ReturnType<typeof positionRow>

/** A row of the short list: the holding alone, without what the service thinks of it. */
export const shortRow = (row: PositionRow) => ({
  stock_code: row.stock_code,
  stock_name: row.stock_name,
  volume: row.volume,
  available: row.available,
  cost_price: row.cost_price,
  base_cost_price: row.base_cost_price,
  current_price: row.current_price,
  market_value: row.market_value,
  profit_ratio: row.profit_ratio,
  change_percentage: row.change_percentage,
  open_date: row.open_date,
  profit_triggered: row.profit_triggered,
  highest_price: row.highest_price,
  stop_loss_price: row.stop_loss_price,
  stop_profit_enabled: row.stop_profit_enabled,
  grid_session_active: row.grid_session_active,
})

/** Totals of the holdings; ratios are decimals, `max_…` and `min_…` percent numbers. */
export function metricsOf(rows: readonly PositionRow[]) {
  const value = rows.reduce((sum, row) => sum + row.market_value, 0)
  const cost = rows.reduce((sum, row) => sum + costOf(row), 0)
  const ratios = rows.map((row) => row.profit_ratio)
  const wins = ratios.filter((ratio) => ratio > 0).length
  const profitRatio = cost > 0 ? round((value - cost) / cost, 6) : 0
  return {
    total_positions: rows.length,
    position_count: rows.length,
    stock_count: rows.length,
    total_market_value: round(value, 2),
    total_cost: round(cost, 2),
    total_profit: round(value - cost, 2),
    profit_ratio: profitRatio,
    total_profit_ratio: profitRatio,
    win_positions: wins,
    lose_positions: ratios.filter((ratio) => ratio < 0).length,
    win_ratio: rows.length > 0 ? round(wins / rows.length, 4) : 0,
    unpriced_positions: rows.filter((row) => !row.is_priced).length,
    uncosted_positions: rows.filter((row) => !row.is_cost_known).length,
    max_profit_ratio: rows.length > 0 ? Math.max(...ratios) : 0,
    max_loss_ratio: rows.length > 0 ? Math.min(...ratios) : 0,
  }
}

/** What has cost nobody knows what is in the sums as if it had cost what it is worth: neither gain nor loss. */
const costOf = (row: PositionRow): number =>
  row.is_cost_known ? row.cost_price * row.volume : row.market_value

/** What the broker would show; where it has not spoken, what we know stands in. */
export function shownStatus(order: OrderRecord): VenueStatus {
  const { status, venueStatus, filledQuantity } = order
  if (status === 'filled') return 56
  if (status === 'rejected') return 57
  if (status === 'expired' || status === 'canceled') return filledQuantity > 0 ? 53 : 54
  if (status === 'partiallyFilled') return venueStatus === 52 ? 52 : 55
  return venueStatus
}

/** An order in the words of `/api/orders`; in doubt it is pending and says so, or what it may be. */
export function orderRow(order: OrderRecord, name: string) {
  const status = shownStatus(order)
  const isDoubtful = order.status === 'inDoubt' && order.isQuarantined !== true
  const description = order.statusMessage === '' ? VENUE_STATUS[status] : order.statusMessage
  return {
    order_id: toldNumber(order) || order.clientOrderId,
    client_order_id: order.clientOrderId,
    stock_code: order.code,
    stock_name: name,
    trade_type: tradeType(order.side),
    order_type: ORDER_TYPE[order.side],
    price_type: order.priceType,
    price: toYuan(order.price),
    volume: order.quantity,
    traded_volume: order.filledQuantity,
    traded_price: averagePrice(order),
    status,
    status_desc: isDoubtful ? '结果未知，正在核实' : description,
    quarantined: order.isQuarantined === true,
    ...refusalFields(order),
    state: order.status,
    ...amendmentField(order),
    is_pending: isPending(status),
    order_time: exchangeTime(order.createdMs),
    strategy: order.strategy,
    strategy_label: strategyLabel(order.strategy),
  }
}

/** Only of orders that were to be changed. */
const amendmentField = ({ amendment }: OrderRecord) =>
  amendment && {
    amendment: {
      state: amendment.outcome,
      client_order_id: amendment.clientOrderId,
      volume: amendment.quantity,
      price_type: amendment.priceType,
      price: toYuan(amendment.price),
      message: amendment.reason,
    },
  }

/** Orders that were in doubt until a moment ago, the newest last: what became of them, as their answers say it. */
export function settledOrders({ state, nowMs }: Moment) {
  const { untoldMs, settledShownMax } = state.policy.limits
  return [...state.orders.settled()]
    .flatMap((order) => {
      const { doubtEndedMs: sinceMs = Number.NEGATIVE_INFINITY } = order
      return nowMs - sinceMs < untoldMs && order.status !== 'inDoubt' ? [{ order, sinceMs }] : []
    })
    .sort((a, b) => a.sinceMs - b.sinceMs)
    .slice(-settledShownMax)
    .map(({ order, sinceMs }) => ({
      client_order_id: order.clientOrderId,
      order_id: toldNumber(order) === '' ? null : orderNumber(order.orderId),
      outcome: answerOf(order, true).state,
      state: order.status,
      message: order.statusMessage,
      stock_code: shownCode(order.code),
      settled_at: exchangeTime(sinceMs),
    }))
}

/** Beside the words of the broker: what a refusal means. Null for orders that were not refused. */
function refusalFields({ status, statusMessage }: OrderRecord) {
  const refusal = status === 'rejected' ? explainRefusal(statusMessage) : undefined
  return {
    refusal_code: refusal?.code ?? null,
    refusal_explanation: refusal?.explanation ?? null,
  }
}

const averagePrice = ({ filledAmount, filledQuantity }: OrderRecord): number =>
  filledQuantity > 0 ? round(toYuan(filledAmount) / filledQuantity, 4) : 0

/** An account at a moment of the market clock, epoch ms. */
interface Moment {
  readonly state: AccountState
  readonly nowMs: number
}

/** The day's orders: in flight first, each group newest first. */
export function dayOrders({ state, nowMs }: Moment): readonly OrderRecord[] {
  const day = dayInForce(state, nowMs)
  const rank = (order: OrderRecord) => (isPending(shownStatus(order)) ? 0 : 1)
  return [...state.orders.values()]
    .filter((order) => order.day >= day)
    .sort((a, b) => rank(a) - rank(b) || b.createdMs - a.createdMs || byNumber(b, a))
}

/** Numbers of the broker rise; a longer one is the higher one. */
function byNumber({ orderId: a }: OrderRecord, { orderId: b }: OrderRecord): number {
  return a.length - b.length || (a < b ? -1 : Number(a > b))
}

/** The day's fills, newest first; what was loaded from the store comes in the order of its keys. */
export function dayDeals({ state, nowMs }: Moment): readonly BookedDeal[] {
  const today = dayInForce(state, nowMs)
  return [...state.deals.values()]
    .filter(({ day }) => day >= today)
    .sort((a, b) => b.recordId - a.recordId)
}

/** With what a person has written beside it. */
export function recordRow(record: TradeRecord, note: string | undefined) {
  return {
    id: record.id,
    stock_code: shownCode(record.code),
    stock_name: record.name,
    trade_time: exchangeTime(record.timeMs),
    trade_type: tradeType(record.side),
    price: toYuan(record.price),
    volume: record.quantity,
    amount: toYuan(record.amount),
    trade_id: record.dealId,
    order_id: record.orderId,
    commission: toYuan(record.fee),
    strategy: record.strategy,
    strategy_label: strategyLabel(record.strategy),
    note: note ?? null,
  }
}

/** Cash and holdings: cash as the broker said last, holdings at the newest prices. */
export function balance(state: AccountState, rows: readonly PositionRow[]) {
  const asset = assetOf(state)
  const available = asset === undefined ? 0 : toYuan(asset.available)
  const frozen = asset === undefined ? 0 : toYuan(asset.frozen)
  const marketValue = round(
    rows.reduce((sum, row) => sum + row.market_value, 0),
    2,
  )
  return { available, frozen, marketValue, total: round(available + frozen + marketValue, 2) }
}
