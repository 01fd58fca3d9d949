import { exchangeTime } from '../../domain/exchange-time.ts'
import { normalizeCode, type StockCode } from '../../domain/instrument.ts'
import type { DecisionsQuery } from '../../protocol/account.ts'
import type { HealthSnapshot } from '../../strategy/health/health-tracker.ts'
import type { AccountState } from '../model/state.ts'
import type { Refused } from '../model/trace.ts'
import { lookOn } from '../strategies/market-gates.ts'
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
): {
  readonly decisions: readonly NamedRow[]
  readonly total: number
  readonly refused: readonly ReturnType<typeof refusedRow>[]
} {
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
  const refused = trace
    .refused()
    .toReversed()
    .filter(({ stock }) => isWanted(stock))
  return {
    decisions: rows,
    total: all.length,
    refused: refused.map((each) => refusedRow(state, each)),
  }
}

/** A refusal that may have come many times, with when it came first and last. */
const refusedRow = (state: AccountState, { stock, ...refused }: Refused) => ({
  stock_code: stock,
  stock_name: nameOf(state, stock),
  strategy: refused.strategy,
  code: refused.code,
  message: refused.message,
  count: refused.count,
  first: exchangeTime(refused.firstMs),
  last: exchangeTime(refused.lastMs),
})

/** How the quotes of the holdings have done until now. Asks nobody: what is not known is not scored. */
export function marketHealth(state: AccountState, { nowMs, quote }: Sight): HealthSnapshot {
  for (const code of positionsOf(state).keys()) lookOn(state, code, { quote: quote(code), nowMs })
  return state.quoteTrust.snapshot(nowMs)
}
