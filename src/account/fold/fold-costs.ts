import {
  type AfterSale,
  type BookedTrade,
  bookExDay,
  bookPurchase,
  bookSale,
  bookTaken,
  type ClosedPosition,
  type CostBook,
  type TakenCost,
} from '../../domain/cost-book.ts'
import { exchangeDay } from '../../domain/exchange-time.ts'
import type { StockCode } from '../../domain/instrument.ts'
import type { Money, Price, Quantity } from '../../domain/money.ts'
import type { BrokerDeal } from '../../domain/order.ts'
import { boardOf } from '../../domain/rules.ts'
import { dayKey, type Sale } from '../../domain/sale.ts'
import type { FoundGain, NumberedClosed } from '../model/costs.ts'
import type { DirtyRow } from '../model/dirty-row.ts'
import type { AccountEvent, JournaledEvent } from '../model/events.ts'
import type { AccountState } from '../model/state.ts'

type Fold<K extends AccountEvent['kind']> = Extract<AccountEvent, { kind: K }>

const META: DirtyRow = { table: 'meta', key: 'account' }

/** What an event does to costs and sales. Before costs were followed first, nothing: journals of then have no rows. */
export function foldCosts(
  state: AccountState,
  { event, timeMs }: JournaledEvent,
): readonly DirtyRow[] {
  switch (event.kind) {
    case 'costsTaken':
      return takeCosts(state, event, timeMs)
    case 'dealBooked':
      return state.earnings.sinceMs === 0 ? [] : moveBy(state, event)
    case 'orderSimulated':
      return event.sale === undefined ? [] : [...putSale(state, simulatedSale(event, event.sale))]
    case 'exDayFollowed':
      return followExDay(state, event)
    default:
      return []
  }
}

const simulatedSale = (
  { record }: Fold<'orderSimulated'>,
  outcome: NonNullable<Fold<'orderSimulated'>['sale']>,
): Omit<Sale, 'id'> => ({
  code: record.code,
  name: record.name,
  timeMs: record.timeMs,
  quantity: record.quantity,
  price: record.price,
  amount: record.amount,
  fee: record.fee,
  strategy: record.strategy,
  orderId: record.orderId,
  dealId: record.dealId,
  isSimulated: true,
  ...outcome,
})

function* putSale(state: AccountState, sale: Omit<Sale, 'id'>): Iterable<DirtyRow> {
  const id = state.earnings.nextSaleId
  state.earnings = { ...state.earnings, nextSaleId: id + 1 }
  const row: Sale = { id, ...sale }
  yield { table: 'sales', key: dayKey(exchangeDay(sale.timeMs), id), row }
  yield META
}

function* putClosed(state: AccountState, row: ClosedPosition): Iterable<DirtyRow> {
  const id = state.earnings.nextClosedId
  state.earnings = { ...state.earnings, nextClosedId: id + 1 }
  const key = dayKey(exchangeDay(row.closedMs), id)
  const numbered: NumberedClosed = { id, ...row }
  yield { table: 'closedPositions', key, row: numbered }
  yield META
}

function* putBook(
  { costs }: AccountState,
  code: StockCode,
  book: CostBook | undefined,
): Iterable<DirtyRow> {
  if (book === undefined) costs.books.delete(code)
  else costs.books.set(code, book)
  yield { table: 'costBooks', key: code }
}

function* after(
  state: AccountState,
  code: StockCode,
  { book, closed }: AfterSale,
): Iterable<DirtyRow> {
  yield* putBook(state, code, book)
  if (closed !== undefined) yield* putClosed(state, closed)
}

/** A deal of what is no holding (a reverse repo is a sale of nothing) moves nothing. */
function moveBy(state: AccountState, { deal, record }: Fold<'dealBooked'>): readonly DirtyRow[] {
  if (boardOf(deal.code) === undefined) return []
  const trade = tradeOf(deal, record.name)
  const before = state.costs.books.get(deal.code)
  if (deal.side === 'buy') return [...putBook(state, deal.code, bookPurchase(before, trade))]
  const sold = bookSale(before, trade)
  const { orderId, dealId, price } = deal
  const sale = {
    ...trade,
    price,
    strategy: record.strategy,
    orderId,
    dealId,
    isSimulated: false,
    ...sold.outcome,
  }
  return [...after(state, deal.code, sold), ...putSale(state, sale)]
}

const tradeOf = (
  { code, timeMs, quantity, amount, fee }: BrokerDeal,
  name: string,
): BookedTrade => ({ code, name, timeMs, quantity, amount, fee })

function takeCosts(
  state: AccountState,
  { taken, found }: Fold<'costsTaken'>,
  timeMs: number,
): readonly DirtyRow[] {
  const dirtyRows: DirtyRow[] = []
  if (found !== undefined) {
    state.earnings = { ...state.earnings, found: withFound(state.earnings.found, found) }
    dirtyRows.push(META)
  }
  if (state.earnings.sinceMs === 0) {
    state.earnings = { ...state.earnings, sinceMs: timeMs }
    dirtyRows.push(META)
  }
  for (const each of taken) {
    const before = state.costs.books.get(each.code)
    const taking = bookTaken(before, each, timeMs)
    const gone = (before?.quantity ?? 0) - each.quantity
    dirtyRows.push(...after(state, each.code, taking))
    if (gone <= 0 || each.reason === 'exDay') continue
    dirtyRows.push(...putSale(state, leftUnseen(each, gone, timeMs)))
  }
  return dirtyRows
}

/** Of one day only: that of an earlier one is in the close of that day. */
const withFound = (before: FoundGain | undefined, { day, gained }: FoundGain): FoundGain => ({
  day,
  gained: ((before?.day === day ? before.gained : 0) + gained) as Money,
})

/** Shares that are not there any more, and no deal tells of them. */
const leftUnseen = (
  { code, name }: TakenCost,
  quantity: number,
  timeMs: number,
): Omit<Sale, 'id'> => ({
  code,
  name,
  timeMs,
  quantity: quantity as Quantity,
  price: 0 as Price,
  amount: null,
  fee: 0 as Money,
  strategy: 'external',
  orderId: '',
  dealId: '',
  isSimulated: false,
  cost: null,
  realized: null,
  costFrom: null,
})

function followExDay(
  state: AccountState,
  { code, fields, bought }: Fold<'exDayFollowed'>,
): readonly DirtyRow[] {
  const book = state.costs.books.get(code)
  const { day, source, factor } = fields.exDay
  if (book === undefined || factor === null) return []
  const quantity = state.positions.get(code)?.quantity ?? book.quantity
  const moved = bookExDay(book, { day, source, factor, quantity, bought })
  return moved === book ? [] : [...putBook(state, code, moved)]
}
