import { toYuan } from '../../../../domain/money.ts'
import { type GridSession, tradeCountOf } from '../../../../strategy/grid/session.ts'
import type { Turn } from '../../../turn/turn.ts'
import { openOrders } from '../lookups.ts'
import { priceOf } from './questions.ts'
import { pnlRow, snapshotOf } from './session-rows.ts'

/** What a session has come to at its end; while orders are under way, how many and how they stand. */
export function finalStats({ state, inputs }: Turn, session: GridSession): object {
  const pnl = snapshotOf(session, priceOf({ state, ...inputs }, session.code))
  const stats = {
    stock_code: session.code,
    trade_count: tradeCountOf(session),
    profit_ratio: pnl.profitRatio,
    pnl_snapshot: pnlRow(session, pnl),
    stop_reason: session.stopReason,
  }
  if (session.status === 'stopped') return stats
  const open = openOrders(state, session.id)
  const failed = open.filter(({ clientOrderId }) => state.cancelsGivenUp.has(clientOrderId)).length
  return {
    ...stats,
    grid_profit: toYuan(pnl.total),
    status: session.status,
    pending_orders: open.length,
    cancel_requested: open.length - failed,
    cancel_failed: failed,
  }
}
