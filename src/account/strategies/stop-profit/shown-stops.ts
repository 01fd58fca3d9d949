import { displayedStop } from '../../orders/quote-rules.ts'
import type { Turn } from '../../turn/turn.ts'

/**
 * The protective price that each holding shows, once a person has changed the ratio that it is reckoned by; of the
 * simulated holdings and of the real ones, which are shown again when the simulation ends.
 *
 * Source  docs/domain.md 4.1.
 */
export function followStopRatio(turn: Turn): void {
  const { state, events } = turn
  const change = events.findLast(
    ({ event }) =>
      event.kind === 'settingsChanged' &&
      event.changes.some(({ setting }) => setting === 'STOP_LOSS_RATIO'),
  )?.event
  if (change?.kind !== 'settingsChanged') return
  const { source } = change
  for (const position of [...state.positions.values()]) {
    const stopLossPrice = displayedStop(state, position)
    if (stopLossPrice === position.stopLossPrice) continue
    const { code } = position
    turn.emit({ kind: 'holdingChanged', code, fields: { stopLossPrice }, source })
  }
  const simulated = state.simulation?.positions
  for (const [code, position] of [...(simulated ?? [])]) {
    simulated?.set(code, { ...position, stopLossPrice: displayedStop(state, position) })
  }
}
