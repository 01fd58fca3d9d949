import type { QueryKind, QueryRows } from '../../protocol/driver.ts'
import type { AccountState } from '../model/state.ts'
import type { Turn } from '../turn/turn.ts'

/**
 * Rows that the broker lists and nobody can read. The readable ones count as ever. What is not among them
 * may be what was left out: no holding is gone and no order absent by such a list.
 */

/** Whether the last report of this kind could be read whole. */
export const isWhole = ({ leftOut }: AccountState, what: QueryKind): boolean => !leftOut.has(what)

/** Remembers what a report left out, and says so once for each change. */
export function noteLeftOut(turn: Turn, { what, leftOut = [] }: QueryRows): void {
  const { state } = turn
  const before = state.leftOut.get(what) ?? []
  if (leftOut.length === 0) state.leftOut.delete(what)
  else state.leftOut.set(what, leftOut)
  if (before.join() === leftOut.join()) return
  if (leftOut.length === 0) return turn.info(`${what}: every row can be read again`)
  turn.error(
    `${REPORT[what]}中有 ${leftOut.length} 行无法读取，不据此认定任何委托或持仓已不存在：${leftOut.join('；')} (${leftOut.length} rows of the trading client cannot be read; nothing is taken for gone by this list)`,
  )
}

const REPORT: Readonly<Record<QueryKind, string>> = {
  asset: '资金',
  positions: '持仓列表',
  orders: '委托列表',
  deals: '成交列表',
}

/** News that cannot be read: the reports are compared soon, however many such pushes come until then. */
export function onPushLeftOut(turn: Turn): void {
  const { state } = turn
  if (state.isPushUnread) return
  state.isPushUnread = true
  turn.timer('reconcile', state.policy.limits.positionQueryIntervalMs)
}
