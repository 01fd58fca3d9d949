import { normalizeCode, type StockCode } from '../../domain/instrument.ts'
import type { DecisionsQuery } from '../../protocol/account.ts'
import { decisionRow } from '../model/decision.ts'
import type { AccountState } from '../model/state.ts'
import type { BandSight } from '../strategies/strategy.ts'
import { positionsOf } from '../turn/holding.ts'
import { gridLookRow } from './grid-looks.ts'

/** Why strategies did or did not act: the newest evaluation first, of one stock or of all. */
export function decisions(
  { stopProfit, gridLooks }: AccountState,
  { code, limit }: DecisionsQuery,
): { readonly decisions: readonly object[]; readonly total: number } {
  const wanted = normalizeCode(code)
  const isWanted = ([each]: readonly [StockCode, unknown]) =>
    code === '' || (wanted.ok && wanted.value === each)
  const exits = [...stopProfit.decisions].filter(isWanted).flatMap(([, kept]) => kept)
  const grids = [...gridLooks].filter(isWanted).flatMap(([, kept]) => kept)
  const all = [...exits, ...grids].toSorted((a, b) => b.timeMs - a.timeMs)
  const rows = all
    .slice(0, limit)
    .map((each) => ('verdicts' in each ? decisionRow(each) : gridLookRow(each)))
  return { decisions: rows, total: all.length }
}

/** How the quotes of the holdings have done until now. Asks nobody: what is not known is not scored. */
export function marketHealth(state: AccountState, { nowMs, quote }: BandSight): object {
  const { quoteTrust } = state
  for (const code of positionsOf(state).keys()) {
    quoteTrust.observe(code, { quote: quote(code), nowMs })
  }
  return quoteTrust.snapshot(nowMs)
}
