import type { PriceFactor } from './ex-day.ts'
import { exchangeDay } from './exchange-time.ts'
import type { StockCode } from './instrument.ts'
import type { Money, Price, Quantity } from './money.ts'
import { tickSizeOf } from './rules.ts'
import { tradingDaysBeforeMs } from './session.ts'

/** Whose word the cost is: that of the purchases that were seen, or in part that of the trading client. */
export type CostFrom = 'deals' | 'client'

/**
 * What is held of a stock and what it has cost: the moving weighted average, purchase fees with it. Kept as a sum and
 * a number of shares, never as an average, so that nothing is lost to rounding: what all sales have realized
 * and what the rest is worth above its cost are together what was earned, to the ten-thousandth of a yuan.
 */
export interface CostBook {
  readonly code: StockCode
  readonly name: string
  readonly quantity: Quantity
  /** Of all shares held; null: nobody knows. */
  readonly cost: Money | null
  readonly costFrom: CostFrom
  /** First purchase of this holding, or when it was seen first; epoch ms of the market clock. */
  readonly openedMs: number
  /** Since then. Amounts without fees; null: some of it has an amount that nobody knows. */
  readonly boughtQuantity: number
  readonly bought: Money | null
  readonly soldQuantity: number
  readonly sold: Money | null
  readonly fees: Money
  readonly realized: Money | null
  readonly sales: number
  /** The last ex-day that was followed. */
  readonly exDay?: CostExDay
}

/** What an ex-day has done to a book. */
interface CostExDay {
  readonly day: string
  /** Shares of before. */
  readonly quantity: Quantity
  /** Shares that came or left by it until now. */
  readonly added: number
  /** By which the cost has moved. */
  readonly moved: number
}

/** A deal as it moves a book. */
export interface BookedTrade {
  readonly code: StockCode
  readonly name: string
  readonly timeMs: number
  readonly quantity: Quantity
  readonly amount: Money
  readonly fee: Money
}

/** What a sale has realized: proceeds less its fees, less its part of the cost; null without a known cost. */
export interface SaleOutcome {
  readonly cost: Money | null
  readonly realized: Money | null
  readonly costFrom: CostFrom | null
}

/** A holding of which nothing is left. */
export interface ClosedPosition extends Omit<CostBook, 'quantity' | 'cost' | 'exDay'> {
  readonly closedMs: number
}

/** A holding that was there before its purchases were seen, at the cost that the client tells. */
export const bookAsFound = (
  found: Pick<CostBook, 'code' | 'name' | 'quantity' | 'cost' | 'openedMs'>,
): CostBook => ({
  ...found,
  costFrom: 'client',
  boughtQuantity: found.quantity,
  bought: found.cost,
  soldQuantity: 0,
  sold: 0 as Money,
  fees: 0 as Money,
  realized: 0 as Money,
  sales: 0,
})

const empty = ({ code, name, timeMs }: BookedTrade): CostBook => ({
  ...bookAsFound({ code, name, quantity: 0 as Quantity, cost: 0 as Money, openedMs: timeMs }),
  costFrom: 'deals',
})

const plus = (sum: Money | null, more: number | null): Money | null =>
  sum === null || more === null ? null : ((sum + more) as Money)

/** A purchase: its amount and its fees are cost. */
export function bookPurchase(before: CostBook | undefined, trade: BookedTrade): CostBook {
  const book = before ?? empty(trade)
  const { quantity, amount, fee } = trade
  return {
    ...book,
    name: trade.name,
    quantity: (book.quantity + quantity) as Quantity,
    cost: plus(book.cost, amount + fee),
    boughtQuantity: book.boughtQuantity + quantity,
    bought: plus(book.bought, amount),
    fees: (book.fees + fee) as Money,
  }
}

/** The books after a sale: undefined when nothing is left, which is told as what was closed. */
export interface AfterSale {
  readonly book: CostBook | undefined
  readonly closed: ClosedPosition | undefined
  readonly outcome: SaleOutcome
}

/** A sale takes its part of the cost along, rounded half up; the last share takes what is left. */
export function bookSale(before: CostBook | undefined, trade: BookedTrade): AfterSale {
  const book = before ?? { ...empty(trade), cost: null, costFrom: 'client' as const }
  const { quantity, amount, fee } = trade
  const isCovered = quantity <= book.quantity
  const cost = isCovered && book.cost !== null ? partOf(book.cost, quantity, book.quantity) : null
  const realized = cost === null ? null : ((amount - fee - cost) as Money)
  const outcome = { cost, realized, costFrom: cost === null ? null : book.costFrom }
  const after: CostBook = {
    ...book,
    name: trade.name,
    quantity: Math.max(0, book.quantity - quantity) as Quantity,
    cost: cost === null ? null : plus(book.cost, -cost),
    soldQuantity: book.soldQuantity + quantity,
    sold: plus(book.sold, amount),
    fees: (book.fees + fee) as Money,
    realized: plus(book.realized, realized),
    sales: book.sales + 1,
  }
  return { ...leftOf(after, trade.timeMs), outcome }
}

function leftOf(after: CostBook, closedMs: number): Omit<AfterSale, 'outcome'> {
  if (after.quantity > 0) return { book: after, closed: undefined }
  const { quantity: _none, cost: _rest, exDay: _day, ...held } = after
  return { book: undefined, closed: { ...held, closedMs } }
}

/** `part` of `whole` shares of a sum, half up; exact, whatever the product comes to. */
export function partOf(sum: Money, part: number, whole: number): Money {
  if (part === whole) return sum
  const [product, divisor] = [BigInt(sum) * BigInt(part) * 2n + BigInt(whole), BigInt(whole) * 2n]
  const quotient = product / divisor
  const isBelow = product % divisor < 0n // division of BigInts cuts towards zero
  return Number(isBelow ? quotient - 1n : quotient) as Money
}

/** What the client holds and no deal explains: its shares, with a cost for all of them. */
export interface TakenCost extends Pick<CostBook, 'code' | 'name' | 'quantity' | 'cost'> {
  /** `exDay`: shares that an ex-day has brought, at its price. */
  readonly reason: 'found' | 'exDay'
}

/** The book as the client tells it. Shares that have left without a deal were sold, or moved, for nobody knows what. */
export function bookTaken(
  before: CostBook | undefined,
  taken: TakenCost,
  nowMs: number,
): AfterSale {
  const { code, name, quantity, cost, reason } = taken
  const outcome: SaleOutcome = { cost: null, realized: null, costFrom: null }
  if (before === undefined) {
    const found = bookAsFound({ code, name, quantity, cost, openedMs: nowMs })
    return { book: found, closed: undefined, outcome }
  }
  const came = quantity - before.quantity
  const moved = before.cost === null || cost === null ? null : cost - before.cost
  const isExDay = reason === 'exDay' && before.exDay !== undefined
  const after: CostBook = {
    ...before,
    name,
    quantity,
    cost,
    costFrom: isExDay ? before.costFrom : 'client',
    ...(came >= 0 || isExDay
      ? { boughtQuantity: before.boughtQuantity + came, bought: plus(before.bought, moved) }
      : { soldQuantity: before.soldQuantity - came, sold: null, realized: null }),
    ...(isExDay && before.exDay && { exDay: withMore(before.exDay, came, moved ?? 0) }),
  }
  return { ...leftOf(after, nowMs), outcome }
}

const withMore = (exDay: CostExDay, came: number, moved: number): CostExDay => ({
  ...exDay,
  added: exDay.added + came,
  moved: exDay.moved + moved,
})

/** What is known of an ex-day: by the market prices go from `of` to `to`; by the client costs do. */
export interface KnownExDay {
  readonly day: string
  readonly source: 'market' | 'broker' | 'assumed'
  readonly factor: PriceFactor
  /** Shares that the client shows by now. */
  readonly quantity: Quantity
  /** Of these, what was bought on the day itself: that is on its scale. Absent: nothing. */
  readonly bought?: number | undefined
}

/**
 * A book on the scale of an ex-day. By the market each share is worth less from one moment to the next by what was
 * taken off, and its cost falls by the same sum: nothing is earned or lost by an ex-day. A client that tells of
 * it first moves its own cost, and is followed until the market speaks.
 */
export function bookExDay(book: CostBook, known: KnownExDay): CostBook {
  const { day, source, factor, bought = 0 } = known
  const { cost } = book
  if (source === 'assumed' || cost === null) return book
  const before = book.exDay?.day === day ? book.exDay : undefined
  const had = before?.quantity ?? (Math.max(0, book.quantity - bought) as Quantity)
  const added = source === 'broker' ? known.quantity - bought - had : (before?.added ?? 0)
  if (had + added <= 0) return book
  const original = (cost - (before?.moved ?? 0)) as Money
  const { to, of } = factor
  const moved =
    source === 'market'
      ? added * to - had * (of - to)
      : partOf(original, to * (had + added), of * had) - original
  return {
    ...book,
    quantity: (book.quantity + added - (before?.added ?? 0)) as Quantity,
    cost: (original + moved) as Money,
    bought: plus(book.bought, moved - (before?.moved ?? 0)),
    boughtQuantity: book.boughtQuantity + added - (before?.added ?? 0),
    exDay: { day, quantity: had, added, moved },
  }
}

/** Clients show the shares of an ex-day on the day itself or soon after; later ones are others. */
const EX_DAY_SHARES_DAYS = 5

/**
 * Whether shares that came without a deal, or went, are those of the last ex-day of a book: soon after it, and no more than
 * its prices explain, of which the new one was rounded to the tick.
 */
export function isByExDay(
  { code, exDay, quantity: booked }: CostBook,
  { to, of }: PriceFactor,
  { quantity, nowMs }: { readonly quantity: Quantity; readonly nowMs: number },
): boolean {
  if (exDay === undefined) return false
  if (exDay.day < exchangeDay(tradingDaysBeforeMs(nowMs, EX_DAY_SHARES_DAYS))) return false
  const rounded = tickSizeOf(code) / 2
  const explainedAt = (price: number) => (exDay.quantity * (of - price)) / price
  const shares = exDay.added + quantity - booked
  return of > to
    ? quantity > booked && shares <= Math.ceil(explainedAt(to - rounded))
    : quantity < booked && shares >= Math.floor(explainedAt(to + rounded))
}

/** What shares that an ex-day has brought add to the cost: the price from which they are free (docs/domain.md). */
export const costOfAdded = (book: CostBook, quantity: Quantity, price: Price): Money | null =>
  plus(book.cost, (quantity - book.quantity) * price)
