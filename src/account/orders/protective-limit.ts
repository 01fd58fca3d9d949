import { dayInForce } from '../model/days.ts'
import type { ProtectiveStage } from '../model/kill-switch.ts'
import type { AccountState } from '../model/state.ts'
import type { Turn } from '../turn/turn.ts'

/** Part of the limit from which on a person is alarmed, so that there is time to look. */
const NEAR_PART = 0.8

/** Protective sales of the exchange day in force, and how many there may be; 0 = any number. */
export const protectiveCount = (
  state: AccountState,
  nowMs: number,
): { readonly limit: number; readonly count: number } => ({
  limit: state.risk.maxProtectiveOrdersPerDay,
  count: state.orders.protectiveSince(dayInForce(state, nowMs)),
})

/**
 * After every input: a person is told, once a day each, that the protective sales come near their limit, and
 * that it is reached. From then on stops are refused until the next day or until the limit is raised.
 */
export function watchProtective(turn: Turn): void {
  const { state, inputs } = turn
  const limit = state.risk.maxProtectiveOrdersPerDay
  // Of all days that are kept: mostly that says enough, and asks no calendar.
  if (limit === 0 || state.orders.protectiveSince('') < limit * NEAR_PART) return
  const { count } = protectiveCount(state, inputs.nowMs)
  if (count < limit * NEAR_PART) return
  const day = dayInForce(state, inputs.nowMs)
  const stage: ProtectiveStage = count >= limit ? 'reached' : 'near'
  const told = state.protectiveTold
  if (told.day === day && (told.stage === stage || told.stage === 'reached')) return
  turn.emit({ kind: 'protectiveLimitNeared', day, stage, count, limit })
  turn.error(
    stage === 'reached'
      ? `止盈止损卖出今日已有 ${count} 笔，达到上限，之后的止损将被拒绝 (${count} protective sales today, their limit: further stops are refused today; risk.max_protective_orders_per_day ${limit})`
      : `止盈止损卖出今日已有 ${count} 笔，接近上限 ${limit}，请查看原因 (${count} protective sales today, near their limit of ${limit}: look why; risk.max_protective_orders_per_day)`,
  )
}
