import { normalizeCode, type StockCode } from '../../domain/instrument.ts'
import type { DecisionsQuery } from '../../protocol/account.ts'
import type { AccountState } from '../model/state.ts'
import { STRATEGIES } from '../strategies/registry.ts'
import type { TraceRow } from '../strategies/trace-row.ts'
import { nameOf, positionsOf } from '../turn/holding.ts'
import type { Sight } from '../turn/turn.ts'

type NamedRow = TraceRow & { readonly stock_name: string }

/** Why strategies did or did not act: the newest evaluation first, of one stock or of all. */
export function decisions(
  state: AccountState,
  { code, limit }: DecisionsQuery,
  strategies = STRATEGIES,
): { readonly decisions: readonly NamedRow[]; readonly total: number } {
  const { trace } = state
  const wanted = normalizeCode(code)
  const isWanted = (each: StockCode) => code === '' || (wanted.ok && wanted.value === each)
  const all = strategies
    .flatMap((strategy) =>
      [...trace.of(strategy.name)].flatMap(([each, kept]) =>
        isWanted(each) ? kept.map((entry) => ({ strategy, entry })) : [],
      ),
    )
    .toSorted((a, b) => b.entry.timeMs - a.entry.timeMs)
  const rows = all.slice(0, limit).map(({ strategy, entry }) => {
    const row = strategy.traceRow(entry)
    return { ...row, stock_name: nameOf(state, entry.code) }
  })
  return { decisions: rows, total: all.length }
}

/** How the quotes of the holdings have done until now. Asks nobody: what is not known is not scored. */
export function marketHealth(state: AccountState, { nowMs, quote }: Sight): object {
  const { quoteTrust } = state
  for (const code of positionsOf(state).keys()) {
    quoteTrust.observe(code, { quote: quote(code), nowMs })
  }
  return quoteTrust.snapshot(nowMs)
}
