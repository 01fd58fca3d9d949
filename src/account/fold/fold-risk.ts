import type { DirtyRow } from '../model/dirty-row.ts'
import type { AccountEvent } from '../model/events.ts'
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
  }
  state.risk = riskInForce(state.policy.risk, state.changedLimits)
  return [{ table: 'meta', key: 'account' }]
}
