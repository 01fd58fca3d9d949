import type { GridSession } from '../../../strategy/grid/session.ts'
import { trackerAt } from '../../../strategy/grid/tracker.ts'
import type { Turn } from '../../turn/turn.ts'
import { openOrders } from './lookups.ts'

interface Ending {
  readonly reason: string
  readonly source: string
}

/** Ends a session: at once, or when the orders that are under way have ended. Nothing is sold. */
export function stopSession(turn: Turn, { id: sessionId }: GridSession, ending: Ending): void {
  const isBusy = openOrders(turn.state, sessionId).length > 0
  turn.emit({ kind: isBusy ? 'gridStopping' : 'gridStopped', sessionId, ...ending })
  turn.state.dataVersion += 1
  turn.after({ kind: 'bands' })
}

/** Pauses or resumes; the same again changes nothing. */
export function switchSession(
  turn: Turn,
  session: GridSession,
  { isEnabled, source }: { readonly isEnabled: boolean; readonly source: string },
): void {
  if (session.isEnabled === isEnabled) return
  const price = turn.inputs.quote(session.code)?.lastPrice ?? session.tracker.lastPrice
  // What the price did while it was paused sets nothing off; an order under way keeps its tracker.
  const isFresh = isEnabled && price > 0 && openOrders(turn.state, session.id).length === 0
  const tracker = isFresh ? trackerAt(price) : session.tracker
  turn.emit({ kind: 'gridSwitched', sessionId: session.id, isEnabled, tracker, source })
  turn.state.dataVersion += 1
  turn.after({ kind: 'bands' })
}
