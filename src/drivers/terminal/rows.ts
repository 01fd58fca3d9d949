import { normalizeCode, type StockCode } from '../../domain/instrument.ts'
import {
  type Money,
  moneyFromYuan,
  notional,
  type Price,
  type Quantity,
  reportedPrice,
} from '../../domain/money.ts'
import {
  type BrokerAsset,
  type BrokerDeal,
  type BrokerOrder,
  type BrokerPosition,
  movesShares,
  ORDER_TYPE,
  otherBusinessOf,
  type Side,
  sideOf,
  VENUE_STATUS,
  type VenueStatus,
} from '../../domain/order.ts'
import type { AssetRow, DealRow, OrderRow, PositionRow, WireReport } from './frames.ts'

/** Rows of the broker in our words. Undefined: a row that is none of this service's business. */

const isQuantity = (value: number): boolean => Number.isSafeInteger(value) && value >= 0
const isStatus = (value: number): value is VenueStatus => value in VENUE_STATUS

/** Pushes carry bare codes where lists carry suffixes; other markets' codes are left out. */
function codeOf(text: string): StockCode | undefined {
  const code = normalizeCode(text)
  return code.ok ? code.value : undefined
}

interface Business {
  readonly side: Side
  readonly clientOrderId: string
  readonly isOtherBusiness?: true
}

/** Side and key of a row; what is not traded here has none of our keys, whatever stands in its remark. */
function businessOf(row: OrderRow | DealRow): Business | undefined {
  const side = sideOf(row.order_type)
  if (side !== undefined) return { side, clientOrderId: row.client_order_id }
  const other = otherBusinessOf(row.order_type)
  return other && { side: other, clientOrderId: '', isOtherBusiness: true }
}

/** What stands for a side on the wire: the same numbers in a credit account, where they trade collateral. */
export const wireOrderType = (side: Side): number => ORDER_TYPE[side]

/** What is no amount is none. */
function moneyOf(yuan: number): Money {
  return Number.isFinite(yuan) && Math.abs(yuan) < 1e11 ? moneyFromYuan(yuan) : (0 as Money)
}

function timeOf(
  { time, is_undated: isUndated = false }: OrderRow | DealRow,
  nowMs: number,
): Pick<BrokerOrder, 'timeMs' | 'isUndated'> {
  if (!(time > 0)) return { timeMs: nowMs, isUndated: true }
  return isUndated ? { timeMs: time, isUndated: true } : { timeMs: time }
}

/** @param nowMs stands in for a time that the client does not tell */
export function orderOf(row: OrderRow, nowMs: number): BrokerOrder | undefined {
  const code = codeOf(row.code)
  const business = businessOf(row)
  const isSound = isQuantity(row.quantity) && isQuantity(row.traded) && row.order_id !== ''
  if (code === undefined || business === undefined || !isSound) return undefined
  return {
    orderId: row.order_id,
    ...business,
    code,
    quantity: row.quantity as Quantity,
    priceType: row.price_type,
    price: reportedPrice(row.price),
    filledQuantity: row.traded as Quantity,
    filledAmount: moneyOf(row.traded_price * row.traded),
    status: isStatus(row.status) ? row.status : 255,
    statusMessage: row.text,
    ...timeOf(row, nowMs),
    strategy: row.strategy,
    ...(row.has_former_number === true && { hasFormerNumber: true }),
  }
}

/** Numbers that a list bears for what this service does not follow, or cannot read. */
export function numbersBeside(
  found: readonly BrokerOrder[],
  rows: readonly OrderRow[],
): readonly string[] {
  const told = new Set(found.map(({ orderId }) => orderId))
  return rows.map((row) => row.order_id).filter((id) => id !== '' && !told.has(id))
}

export function dealOf(row: DealRow, nowMs: number): BrokerDeal | undefined {
  const code = codeOf(row.code)
  const business = businessOf(row)
  const price = reportedPrice(row.price)
  const isSound = isQuantity(row.quantity) && row.quantity > 0 && row.deal_id !== '' && price > 0
  if (!Number.isSafeInteger(price * row.quantity)) return undefined
  if (code === undefined || business === undefined || !isSound) return undefined
  const quantity = row.quantity as Quantity
  return {
    dealId: row.deal_id,
    orderId: row.order_id,
    ...business,
    code,
    quantity,
    price,
    amount: moneyOf(Math.max(0, row.amount)) || notional(price, quantity),
    fee: moneyOf(Math.max(0, row.fee)),
    ...timeOf(row, nowMs),
    strategy: row.strategy,
  }
}

/** After a full sale the list still shows the row, with quantity 0: it is passed on as it is. */
export function positionOf(row: PositionRow): BrokerPosition | undefined {
  const code = codeOf(row.code)
  if (code === undefined || !isQuantity(row.quantity)) return undefined
  const sellable = Math.min(Math.max(0, row.sellable), row.quantity)
  return {
    code,
    name: row.name,
    quantity: row.quantity as Quantity,
    sellable: (isQuantity(sellable) ? sellable : 0) as Quantity,
    costPrice: reportedPrice(row.cost) as Price,
  }
}

/**
 * Whether the broker has what a row stands for, although its numbers cannot be: from a list with one of them nobody may
 * conclude that something is not there. What is of another market, or of a business that this service does not know
 * and under no key of its own, is not among them; nor is a deal of no shares or at no price, a withdrawal or a bonus.
 */
export function isMissed(row: OrderRow | DealRow | PositionRow): boolean {
  if (codeOf(row.code) === undefined) return false
  if (!('order_type' in row)) return positionOf(row) === undefined
  const isOfHere = businessOf(row) !== undefined || row.client_order_id !== ''
  if (!isOfHere || !movesShares(row)) return false
  return 'deal_id' in row ? isMissedDeal(row) : orderOf(row, 0) === undefined
}

function isMissedDeal(row: DealRow): boolean {
  const isOfNothing = row.quantity === 0 || row.price === 0
  return !isOfNothing && dealOf(row, 0) === undefined
}

/** A row in the words of a list that is not whole: `委托 600036.SH 123: -200`. */
export function nameOf(row: OrderRow | DealRow | PositionRow): string {
  if (!('order_type' in row)) return `持仓 ${row.code}: ${row.quantity}`
  if ('deal_id' in row) return `成交 ${row.code} ${row.deal_id}: ${row.quantity} @ ${row.price}`
  return `委托 ${row.code} ${row.order_id}: ${row.quantity}, ${row.traded}, ${row.order_type}`
}

/** Rows that the other side could not read, in words. */
export function leftOutOf({ left_out: leftOut = [] }: WireReport): readonly string[] {
  if (typeof leftOut !== 'number') return leftOut
  return leftOut > 0 ? [`${leftOut} 行 (rows)`] : []
}

export const assetOf = (row: AssetRow): BrokerAsset => ({
  available: moneyOf(row.cash),
  frozen: moneyOf(row.frozen),
  marketValue: moneyOf(row.market_value),
  total: moneyOf(row.total),
})
