import type { StockCode } from '../../domain/instrument.ts'
import type { Money, Price, Quantity } from '../../domain/money.ts'
import { type BrokerDeal, type BrokerOrder, isTerminal } from '../../domain/order.ts'
import { OpenOrders } from './open-orders.ts'

/** Cash and counters of one account. */
export interface Ledger {
  /** All cash, what is frozen for open purchases included. */
  readonly cash: Money
  /** Exchange day, `2026-08-11`; empty before the first. */
  readonly day: string
  /** Raised at each day roll; orders and deals are filed under it. */
  readonly session: number
  /** Last numbers given; never reset, so that no number comes twice. */
  readonly orderSeq: number
  readonly dealSeq: number
}

export interface Holding {
  readonly code: StockCode
  readonly name: string
  readonly quantity: Quantity
  /** Bought today and not sellable before the day rolls (T+1). */
  readonly locked: Quantity
  /** Average of the purchases without fees; sales leave it unchanged. */
  readonly costPrice: Price
  /** What rounding has left out of it, of all shares together: more than a purchase moves it by, where that is small. */
  readonly costRest?: Money
  readonly openDate: string
}

export interface PaperOrder {
  readonly session: number
  readonly seq: number
  /** As it is reported; `price` is the limit at which it really waits. */
  readonly row: BrokerOrder
  /** Fees charged until now. */
  readonly fee: Money
}

export interface PaperDeal {
  readonly session: number
  readonly seq: number
  readonly row: BrokerDeal
}

/** State of one account at the counter. Only {@link applyChanges} changes it. */
export interface Books {
  ledger: Ledger
  readonly holdings: Map<StockCode, Holding>
  /** Of the session, by order number, oldest first. */
  readonly orders: Map<string, PaperOrder>
  /** Those of `orders` that still wait. */
  readonly open: OpenOrders<PaperOrder>
  readonly deals: PaperDeal[]
  /** Time of the newest tick that changed something, by code. Older ticks are not acted on again. */
  readonly acted: Map<StockCode, number>
}

/** Rows that one step wrote; what is absent stays. */
export interface Changes {
  readonly ledger: Ledger
  readonly holdings: readonly Holding[]
  /** Rows that the day roll removed. */
  readonly goneHoldings: readonly StockCode[]
  readonly orders: readonly PaperOrder[]
  readonly deals: readonly PaperDeal[]
  readonly acted: readonly (readonly [StockCode, number])[]
}

export interface BookRows {
  readonly ledger: Ledger
  readonly holdings: readonly Holding[]
  readonly orders: readonly PaperOrder[]
  readonly deals: readonly PaperDeal[]
  readonly acted: readonly (readonly [StockCode, number])[]
}

/** Books from the rows of the current session, oldest first. */
export function booksOf(rows: BookRows): Books {
  const orders = new Map(rows.orders.map((order) => [order.row.orderId, order]))
  const open = new OpenOrders<PaperOrder>()
  for (const [orderId, order] of orders) {
    if (!isTerminal(order.row.status)) open.set(orderId, order)
  }
  return {
    ledger: rows.ledger,
    holdings: new Map(rows.holdings.map((holding) => [holding.code, holding])),
    orders,
    open,
    deals: [...rows.deals],
    acted: new Map(rows.acted),
  }
}

/** Takes over what a step wrote, once it is on disk. A new session starts with empty lists. */
export function applyChanges(books: Books, changes: Changes): void {
  if (changes.ledger.session !== books.ledger.session) {
    books.orders.clear()
    books.open.clear()
    books.deals.length = 0
  }
  books.ledger = changes.ledger
  for (const holding of changes.holdings) books.holdings.set(holding.code, holding)
  for (const code of changes.goneHoldings) books.holdings.delete(code)
  for (const order of changes.orders) applyOrder(books, order)
  books.deals.push(...changes.deals)
  for (const [code, timeMs] of changes.acted) books.acted.set(code, timeMs)
}

function applyOrder(books: Books, order: PaperOrder): void {
  const { orderId, status } = order.row
  if (order.session !== books.ledger.session) return // it ended with the day before
  books.orders.set(orderId, order)
  if (isTerminal(status)) books.open.delete(orderId)
  else books.open.set(orderId, order)
}
