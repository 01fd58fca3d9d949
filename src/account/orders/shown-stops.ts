import type { Turn } from '../turn/turn.ts'
import { displayedStop } from './quote-rules.ts'

/**
 * The protective prices that are shown follow the parameters, as the sales do: those of the file after a start, and one that was
 * changed at once. Of real holdings also behind a simulation.
 */
export function followParameters(turn: Turn, source: string): void {
  const { state } = turn
  for (const position of [...state.positions.values()]) {
    const stopLossPrice = displayedStop(state, position)
    if (stopLossPrice === position.stopLossPrice) continue
    turn.emit({ kind: 'holdingChanged', code: position.code, fields: { stopLossPrice }, source })
    state.dataVersion += 1
  }
  const { simulation } = state
  for (const position of [...(simulation?.positions.values() ?? [])]) {
    const stopLossPrice = displayedStop(state, position)
    simulation?.positions.set(position.code, { ...position, stopLossPrice })
  }
}
