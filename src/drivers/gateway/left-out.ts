import { type BrokerOrder, sideOf } from '../../domain/order.ts'
import type { QueryKind } from '../../protocol/driver.ts'
import { at, codeOf, dealOf, isShares, number, type Row, sideNumber, text } from './rows.ts'

/**
 * Rows of an answer that nobody can read, in words. The broker has what they stand for all the same: from a list
 * with one of them nobody may conclude that something is not there. What is of another market, or neither a
 * purchase nor a sale, is not among them, nor is an order without a number there.
 */
export function leftOutOf(
  what: Exclude<QueryKind, 'asset'>,
  rows: readonly Row[],
): readonly string[] {
  const isReadable = READABLE[what]
  const unread = rows.filter((row) => isOfHere(row) && !isReadable(row)).map(nameOf)
  const more = unread.length - TOLD_MAX
  return more > 0 ? [...unread.slice(0, TOLD_MAX), `… ${more} more`] : unread
}

/** Numbers of orders that a list bears and none of the orders found in it. */
export function numbersBeside(
  found: readonly BrokerOrder[],
  rows: readonly Row[],
): readonly string[] {
  const told = new Set(found.map(({ orderId }) => orderId))
  return rows.map(numberOf).filter((id) => id !== '' && !told.has(id))
}

/** Rows of one list that are named; the others are counted. */
const TOLD_MAX = 20

const written = (row: Row): string => text(at(row, 'stock_code', '证券代码'))
const numberOf = (row: Row): string => text(at(row, 'order_id', '订单编号'))
/** One that names no code at all may be of any. */
const isOfHere = (row: Row): boolean => written(row) === '' || codeOf(row) !== undefined

const READABLE: Readonly<Record<Exclude<QueryKind, 'asset'>, (row: Row) => boolean>> = {
  positions: (row) => written(row) !== '' && isShares(number(at(row, 'volume', '股票余额'))),
  orders: (row) => {
    const type = number(at(row, 'order_type', '委托类型'))
    if (written(row) === '' && numberOf(row) === '') return false
    if (numberOf(row) === '' || numberOf(row) === text(row['client_order_id'])) return true
    if (Number.isFinite(type) && sideOf(type) === undefined) return true
    const shares = [at(row, 'volume', '委托数量'), at(row, 'traded_volume', '成交数量')]
    return written(row) !== '' && Number.isFinite(type) && shares.map(number).every(isShares)
  },
  deals: (row) => {
    if (sideOf(sideNumber(row)) === undefined) return isSideTold(row)
    const hasId = text(at(row, 'trade_id', '成交编号')) !== ''
    const told = [at(row, 'volume', '成交数量'), at(row, 'price', '成交价格')]
    const isNothing = told.includes(0) && told.map(number).every(Number.isFinite)
    return (
      written(row) !== '' && hasId && (isNothing || dealOf(row, 0, () => undefined) !== undefined)
    )
  },
}

const isSideTold = (row: Row): boolean =>
  Number.isFinite(number(row['委托类型'])) || text(row['trade_type']) !== ''

const nameOf = (row: Row): string =>
  [written(row), numberOf(row), text(at(row, 'trade_id', '成交编号'))]
    .filter((part) => part !== '')
    .join(' ') || '?'
