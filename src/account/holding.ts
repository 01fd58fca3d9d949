import type { StockCode } from '../domain/instrument.ts'
import type { Position } from '../domain/position.ts'
import type { HoldingFields } from './events.ts'
import type { AccountState } from './state.ts'
import type { Turn } from './turn.ts'

/** What is held, as everybody who looks at holdings sees it. */
export const positionsOf = (state: AccountState): ReadonlyMap<StockCode, Position> =>
  state.positions

/** Changes what this service remembers about a holding. */
export function changeHolding(
  turn: Turn,
  code: StockCode,
  fields: HoldingFields,
  source: string,
): void {
  turn.emit({ kind: 'holdingChanged', code, fields, source })
  turn.state.dataVersion += 1
}
