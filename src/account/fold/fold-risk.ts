import type { Money } from '../../domain/money.ts'
import type { DirtyRow } from '../model/dirty-row.ts'
import type { AccountEvent } from '../model/events.ts'
import { NOTHING_TOLD } from '../model/kill-switch.ts'
import { riskInForce, withLimit } from '../model/risk-limits.ts'
import type { AccountState } from '../model/state.ts'

/** Limits that were changed, or put back to what the file says. */
export function foldRisk(
  state: AccountState,
  { changes, source }: Extract<AccountEvent, { kind: 'riskChanged' }>,
  sinceMs: number,
): readonly DirtyRow[] {
  for (const { limit, after, isFiles } of changes) {
    const changed = isFiles ? undefined : { value: after, sinceMs, source }
    state.changedLimits = withLimit(state.changedLimits, limit, changed)
    // What was told or raised was of the old limit: the new one is watched from its beginning.
    if (limit === 'max_daily_loss') state.dayTotal = { ...state.dayTotal, firedAt: 0 as Money }
    if (limit === 'max_protective_orders_per_day') state.protectiveTold = NOTHING_TOLD
  }
  state.risk = riskInForce(state.policy.risk, state.changedLimits)
  return [
    { table: 'meta', key: 'account' },
    { table: 'meta', key: 'safety' },
  ]
}
