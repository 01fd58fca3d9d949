import { normalizeCode } from '../../domain/instrument.ts'
import type { DecisionsQuery } from '../../protocol/account.ts'
import { positionsOf } from '../holding.ts'
import type { AccountState } from '../state.ts'
import { decisionRow } from '../stop-profit/decision.ts'
import type { BandSight } from '../strategies/strategy.ts'

/** Why strategies did or did not act: the newest evaluation first, of one stock or of all. */
export function decisions(
  { stopProfit }: AccountState,
  { code, limit }: DecisionsQuery,
): { readonly decisions: readonly object[]; readonly total: number } {
  const wanted = normalizeCode(code)
  const all = [...stopProfit.decisions]
    .filter(([each]) => code === '' || (wanted.ok && wanted.value === each))
    .flatMap(([, kept]) => kept)
    .toSorted((a, b) => b.timeMs - a.timeMs)
  return { decisions: all.slice(0, limit).map(decisionRow), total: all.length }
}

/** How the quotes of the holdings have done until now. Asks nobody: what is not known is not scored. */
export function marketHealth(state: AccountState, { nowMs, quote }: BandSight): object {
  const { health } = state.stopProfit
  const { isAlwaysOpen } = state.policy
  for (const code of positionsOf(state).keys()) {
    health.observe(code, { quote: quote(code), nowMs, isAlwaysOpen })
  }
  return health.snapshot(nowMs)
}
