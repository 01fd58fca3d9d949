import type { Price } from '../../../domain/money.ts'
import type { GridSession } from '../../../strategy/grid/session.ts'
import { levelsOf } from '../../../strategy/grid/tracker.ts'
import type { Cause } from '../../model/cause.ts'
import type { JournaledEvent } from '../../model/events.ts'
import type { GridOrder } from '../../model/grid-book.ts'
import type { GridFinding, GridLook, GridVerdict } from '../../model/grid-finding.ts'
import { positionsOf } from '../../turn/holding.ts'
import type { Turn } from '../../turn/turn.ts'

/** A change of something else is worth a line only when it leads to something. */
const NEWS: ReadonlySet<GridVerdict> = new Set(['grid_refused', 'grid_order', 'grid_exit'])

/** Keeps a look, the newest of each stock. */
export function noteLook(
  { state, inputs, events }: Turn,
  session: GridSession,
  { cause, verdict, reason }: GridFinding & { readonly cause: Cause },
): void {
  if (cause === 'change' && !NEWS.has(verdict)) return
  const { code } = session
  const quote = inputs.quote(code)
  const price = quote?.lastPrice ?? (0 as Price)
  const placed = verdict === 'grid_order' ? placedBy(events, session.id) : undefined
  const look: GridLook = {
    timeMs: inputs.nowMs,
    code,
    cause,
    verdict,
    price,
    quoteMs: quote?.timeMs ?? 0,
    ...(reason !== undefined && { reason }),
    position: positionsOf(state).get(code),
    level: levelFor(state.grid.sessions.get(session.id) ?? session, price),
    gates: {
      master: state.settings.ENABLE_AUTO_OPERATION,
      grids: state.settings.ENABLE_GRID_TRADING,
      session: session.isEnabled,
    },
    ...(placed !== undefined && {
      order: { clientOrderId: placed.clientOrderId, side: placed.side, quantity: placed.requested },
    }),
  }
  const kept = state.gridLooks.get(code) ?? []
  kept.push(look)
  if (kept.length > state.policy.limits.decisionsPerStockMax) kept.shift()
  state.gridLooks.set(code, kept)
}

/** The newest order of a session in this turn. */
function placedBy(events: readonly JournaledEvent[], sessionId: number): GridOrder | undefined {
  for (const { event } of events.toReversed()) {
    if (event.kind === 'gridOrderPlaced' && event.order.sessionId === sessionId) return event.order
  }
  return undefined
}

function levelFor({ tracker, currentCenter, intervalPpm }: GridSession, price: Price): number {
  const { lower, upper } = levelsOf(currentCenter, intervalPpm)
  return tracker.crossedLevel ?? (price < currentCenter ? lower : upper)
}
