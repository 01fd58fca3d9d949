import { CLIENT_ORDER_ID } from '../../domain/ids.ts'
import { normalizeCode, type StockCode } from '../../domain/instrument.ts'
import {
  type Money,
  moneyFromYuan,
  notional,
  type Quantity,
  reportedPrice,
} from '../../domain/money.ts'
import {
  type BrokerAsset,
  type BrokerDeal,
  type BrokerOrder,
  type BrokerPosition,
  sideOf,
  VENUE_STATUS,
  type VenueStatus,
} from '../../domain/order.ts'
import type { SentKey } from './sent-keys.ts'

/** A row of an answer: English names, and where there are none the Chinese column names. */
export type Row = Readonly<Record<string, unknown>>

/** Whose order a row is; undefined: not one that was sent from here. */
export type FindSent = (row: {
  readonly clientOrderId: string
  readonly orderId: string
  readonly timeMs: number
}) => SentKey | undefined

/** Under its English name, else under that of its column. */
export const at = (row: Row, name: string, column: string): unknown => row[name] ?? row[column]
export const text = (value: unknown): string =>
  typeof value === 'string' || typeof value === 'number' ? String(value) : ''
export const number = (value: unknown): number => (typeof value === 'number' ? value : Number.NaN)
export const isShares = (value: number): boolean => Number.isSafeInteger(value) && value >= 0
const isStatus = (value: number): value is VenueStatus => value in VENUE_STATUS

/** What is no amount is none. */
const moneyOf = (yuan: number): Money =>
  Number.isFinite(yuan) && Math.abs(yuan) < 1e11 ? moneyFromYuan(yuan) : (0 as Money)

export function codeOf(row: Row): StockCode | undefined {
  const code = normalizeCode(text(at(row, 'stock_code', '证券代码')))
  return code.ok ? code.value : undefined
}

/** A day that is written with four digits of a year; beyond it a `Date` soon is none. */
const LAST_MOMENT_MS = Date.parse('9999-12-31T00:00:00+08:00')
const isTime = (ms: number): boolean => ms > 0 && ms < LAST_MOMENT_MS

const TIME = /^(\d{4}-\d{2}-\d{2})[ T](\d{2}:\d{2}:\d{2})/

/** @param nowMs stands in for a time that is not told */
function timeOf(
  written: unknown,
  seconds: unknown,
  nowMs: number,
): Pick<BrokerOrder, 'timeMs' | 'isUndated'> {
  const [, day, time] = TIME.exec(text(written)) ?? []
  const ms = Date.parse(`${day}T${time}+08:00`)
  if (Number.isFinite(ms)) return { timeMs: ms }
  const told = number(seconds) * 1_000
  return isTime(told) ? { timeMs: told } : { timeMs: nowMs, isUndated: true }
}

/**
 * An order of the list. Undefined: it cannot be read, or it has no number there, because nobody knows yet
 * whether the trading client has it, or never had it: it is not at the broker.
 */
export function orderOf(row: Row, nowMs: number, find: FindSent): BrokerOrder | undefined {
  const code = codeOf(row)
  const side = sideOf(number(at(row, 'order_type', '委托类型')))
  const orderId = text(at(row, 'order_id', '订单编号'))
  const clientOrderId = text(row['client_order_id'])
  const quantity = number(at(row, 'volume', '委托数量'))
  const filled = number(at(row, 'traded_volume', '成交数量'))
  const status = number(at(row, 'status', '委托状态'))
  const isSound =
    isShares(quantity) && isShares(filled) && orderId !== '' && orderId !== clientOrderId
  if (code === undefined || side === undefined || !isSound) return undefined
  const time = timeOf(row['order_time'], row['报单时间'], nowMs)
  const price = reportedPrice(number(at(row, 'price', '委托价格')))
  const average = number(at(row, 'traded_price', '委托价格'))
  return {
    orderId,
    ...bearerOf({ clientOrderId, orderId, timeMs: time.timeMs }, find, text(row['strategy'])),
    code,
    side,
    quantity: quantity as Quantity,
    priceType: Number.isInteger(row['price_type']) ? number(row['price_type']) : 11,
    price,
    filledQuantity: filled as Quantity,
    filledAmount: moneyOf(average * filled),
    status: isStatus(status) ? status : 255,
    statusMessage: messageOf(status, text(at(row, 'status_desc', '状态描述'))),
    ...time,
  }
}

/** The name of the status, where a gateway has no words of the broker to show, is no message. */
const messageOf = (status: number, shown: string): string =>
  isStatus(status) && VENUE_STATUS[status] === shown ? '' : shown

/** An id that is one of ours and was not sent from here is of somebody else who trades through that gateway. */
function bearerOf(
  row: Parameters<FindSent>[0],
  find: FindSent,
  strategy: string,
): Pick<BrokerOrder, 'clientOrderId' | 'strategy' | 'isOthers'> {
  const sent = find(row)
  if (sent !== undefined) return { clientOrderId: sent.key, strategy: sent.strategy }
  if (!CLIENT_ORDER_ID.test(row.clientOrderId)) return { clientOrderId: '', strategy }
  return { clientOrderId: row.clientOrderId, strategy, isOthers: true }
}

/** The order of a deal, as far as the list of orders tells it. */
export type OrderOfDeal = Pick<BrokerOrder, 'clientOrderId' | 'strategy' | 'isOthers'>

export function dealOf(
  row: Row,
  nowMs: number,
  orderBy: (orderId: string) => OrderOfDeal | undefined,
): BrokerDeal | undefined {
  const code = codeOf(row)
  const side = sideOf(sideNumber(row))
  const dealId = text(at(row, 'trade_id', '成交编号'))
  const quantity = number(at(row, 'volume', '成交数量'))
  const price = reportedPrice(number(at(row, 'price', '成交价格')))
  const isSound = isShares(quantity) && quantity > 0 && dealId !== '' && price > 0
  if (!Number.isSafeInteger(price * quantity)) return undefined
  if (code === undefined || side === undefined || !isSound) return undefined
  const orderId = text(at(row, 'order_id', '订单编号'))
  const order = orderBy(orderId)
  const amount = number(at(row, 'amount', '成交金额'))
  const fee = number(row['commission'])
  return {
    dealId,
    orderId,
    clientOrderId: order?.clientOrderId ?? '',
    code,
    side,
    quantity: quantity as Quantity,
    price,
    amount: amount > 0 ? moneyOf(amount) : notional(price, quantity as Quantity),
    fee: fee > 0 ? moneyOf(fee) : (0 as Money),
    ...timeOf(row['trade_time'], row['成交时间'], nowMs),
    strategy: order?.strategy ?? text(row['strategy']),
    ...(order?.isOthers && { isOthers: true }),
  }
}

const SIDES: Readonly<Record<string, number>> = { BUY: 23, SELL: 24 }
export const sideNumber = (row: Row): number =>
  typeof row['委托类型'] === 'number' ? row['委托类型'] : (SIDES[text(row['trade_type'])] ?? 0)

export function positionOf(row: Row): BrokerPosition | undefined {
  const code = codeOf(row)
  const quantity = number(at(row, 'volume', '股票余额'))
  if (code === undefined || !isShares(quantity)) return undefined
  const told = number(at(row, 'available', '可用余额'))
  const sellable = Math.min(Math.max(0, told), quantity)
  const openDate = text(row['open_date'])
  return {
    code,
    name: text(at(row, 'stock_name', '证券名称')),
    quantity: quantity as Quantity,
    sellable: (isShares(sellable) ? sellable : 0) as Quantity,
    costPrice: reportedPrice(number(at(row, 'cost_price', '成本价'))),
    ...(/^\d{4}-\d{2}-\d{2}$/.test(openDate) && { openDate }),
  }
}

/** Undefined: the account there has not heard of its cash yet. */
export function assetOf(row: Row): BrokerAsset | undefined {
  const available = number(at(row, 'cash', '可用金额'))
  const total = number(at(row, 'total_asset', '总资产'))
  if (!Number.isFinite(available) || !Number.isFinite(total)) return undefined
  return {
    available: moneyOf(available),
    frozen: moneyOf(number(at(row, 'frozen_cash', '冻结金额'))),
    marketValue: moneyOf(number(at(row, 'market_value', '持仓市值'))),
    total: moneyOf(total),
  }
}

/**
 * Deals of a gateway that does not say whose they are: to the orders of the same stock and side, in the order of
 * both, as many shares as each shows filled, and within its price where one is: levels of a grid do not fill in the
 * order in which they were placed. What fits no order is left without one.
 */
export function shareOut(
  deals: readonly BrokerDeal[],
  orders: readonly BrokerOrder[],
): readonly BrokerDeal[] {
  const left = new Map(orders.map((order) => [order.orderId, Number(order.filledQuantity)]))
  return deals.map((deal) => {
    if (deal.orderId !== '') return deal
    const fitting = orders.filter(
      ({ orderId, code, side }) =>
        code === deal.code && side === deal.side && (left.get(orderId) ?? 0) >= deal.quantity,
    )
    const order = fitting.find((one) => isWithinPrice(deal, one)) ?? fitting[0]
    if (order === undefined) return deal
    left.set(order.orderId, (left.get(order.orderId) ?? 0) - deal.quantity)
    const { orderId, clientOrderId, strategy, timeMs, isUndated } = order
    const { isUndated: _, ...told } = deal
    const of = { orderId, clientOrderId, strategy, timeMs, ...(isUndated && { isUndated }) }
    return { ...told, ...of }
  })
}

/** No worse than the price of the order, which a market order may show none of. */
const isWithinPrice = ({ side, price }: BrokerDeal, order: BrokerOrder): boolean =>
  order.price <= 0 || (side === 'buy' ? price <= order.price : price >= order.price)

/** Orders of a gateway that tells no average price, with the amounts of the deals that were shared out to them. */
export function withAmounts(
  orders: readonly BrokerOrder[],
  deals: readonly BrokerDeal[],
): readonly BrokerOrder[] {
  return orders.map((order) => {
    const own = deals.filter(({ orderId }) => orderId === order.orderId)
    const filled = own.reduce((sum, { quantity }) => sum + quantity, 0)
    if (filled === 0 || filled !== order.filledQuantity) return order
    return { ...order, filledAmount: own.reduce((sum, { amount }) => sum + amount, 0) as Money }
  })
}
