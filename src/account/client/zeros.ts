import type { BrokerAsset } from '../../domain/order.ts'
import type { QueryKind, QueryRows } from '../../protocol/driver.ts'
import type { AccountState } from '../model/state.ts'

/**
 * A trading client that is not logged in at the firm, or is asked for the wrong kind of account, may answer all the same:
 * zeros for cash and lists without a row. An account that is empty looks like that too, so our books decide: with
 * holdings or open orders in them nothing of it is true.
 *
 * Source  docs/domain.md 8.2.
 */
export const NOT_LOGGED_IN =
  '资金全为 0，而账本中有持仓或未了结委托：交易客户端可能尚未登录，或账号类型不符 (nothing but zeros, while our books have holdings or open orders: is it logged in, and is account_type right?)'

/** Zeros where there was money a moment ago: only all four reports together can say whether they are true. */
export const hasTurnedZero = (state: AccountState, { what, rows }: QueryRows): boolean =>
  what === 'asset' && isZeros(rows[0]) && hasBooks(state) && !isZeros(state.asset)

/** The same as a push, which nobody has asked for. */
export const isZeroPush = (state: AccountState, asset: BrokerAsset): boolean =>
  hasTurnedZero(state, { what: 'asset', rows: [asset] })

/** Of the four reports: zeros beside no holding. A list with holdings proves that somebody is logged in. */
export function areBlank(state: AccountState, reports: ReadonlyMap<QueryKind, QueryRows>): boolean {
  const [asset, positions] = [reports.get('asset'), reports.get('positions')]
  if (asset?.what !== 'asset' || positions?.what !== 'positions') return false
  const isListEmpty = positions.rows.length === 0 && positions.leftOut === undefined
  return isListEmpty && isZeros(asset.rows[0]) && hasBooks(state)
}

const isZeros = (asset: BrokerAsset | undefined): boolean =>
  asset !== undefined &&
  [asset.available, asset.frozen, asset.marketValue, asset.total].every((money) => money === 0)

const hasBooks = ({ positions, orders }: AccountState): boolean =>
  positions.size > 0 || orders.openCount > 0
