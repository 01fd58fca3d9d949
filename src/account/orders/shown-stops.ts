import { tickSizeOf } from '../../domain/rules.ts'
import type { Turn } from '../turn/turn.ts'
import { displayedStop } from './quote-rules.ts'

/** A cost that has moved by no more than a tick leaves the stop that is shown (docs/domain.md 4.1), and so does a start. */
export const AFTER_START = { ticks: 1 }

/**
 * The protective prices that are shown follow the parameters, as the sales do: those of the file after a start, and one that was
 * changed at once. Of real holdings also behind a simulation. `ticks`: by which one may differ and is left.
 */
export function followParameters(turn: Turn, source: string, { ticks } = { ticks: 0 }): void {
  const { state } = turn
  for (const position of [...state.positions.values()]) {
    const stopLossPrice = displayedStop(state, position)
    const farBy = Math.abs(stopLossPrice - position.stopLossPrice)
    if (farBy <= ticks * tickSizeOf(position.code)) continue
    turn.emit({ kind: 'holdingChanged', code: position.code, fields: { stopLossPrice }, source })
    state.dataVersion += 1
  }
  const { simulation } = state
  for (const position of [...(simulation?.positions.values() ?? [])]) {
    const stopLossPrice = displayedStop(state, position)
    simulation?.positions.set(position.code, { ...position, stopLossPrice })
  }
}
