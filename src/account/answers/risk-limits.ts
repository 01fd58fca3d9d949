import { exchangeTime } from '../../domain/exchange-time.ts'
import { RISK_NAMES, type RiskName, riskShown } from '../../domain/settings/risk.ts'
import { limitIn } from '../model/risk-limits.ts'
import type { AccountState } from '../model/state.ts'

/** All limits of the risk rules, in units of the file: what holds, what the file says, who has changed it and when. */
export const riskLimitFields = (state: AccountState) => ({
  is_real: state.policy.isReal,
  limits: RISK_NAMES.map((name) => limitRow(state, name)),
})

function limitRow(state: AccountState, name: RiskName) {
  const changed = state.changedLimits[name]
  return {
    name,
    value: riskShown(name, limitIn(state.risk, name)),
    file_value: riskShown(name, limitIn(state.policy.risk, name)),
    changed_at: changed === undefined ? null : exchangeTime(changed.sinceMs),
    changed_by: changed?.source ?? null,
  }
}
