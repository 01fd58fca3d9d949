import type { StockCode } from '../../domain/instrument.ts'
import type { Quote } from '../../ports/quotes.port.ts'
import { exitOf, isExpired } from '../../strategy/grid/exits.ts'
import { type GridSession, investedOf, isCooling } from '../../strategy/grid/session.ts'
import { levelsOf, type Tracker, type TrackerSignal, track } from '../../strategy/grid/tracker.ts'
import { positionsOf } from '../holding.ts'
import type { Cause } from '../strategies/cause.ts'
import type { Turn } from '../turn.ts'
import { execute, hasOpenOrder } from './execute.ts'
import { areGridsOn, mayTrack } from './gates.ts'
import { liveSession, openOrders } from './lookups.ts'
import { stopSession } from './stop.ts'

/**
 * Judges the grid of one stock at its newest quote: exits first, then levels, then the order that a
 * callback asks for. A paused grid, and one whose gates are closed, only ends with its time.
 *
 * Source  domain facts 2.6.
 */
export function lookAt(turn: Turn, code: StockCode, _cause: Cause): void {
  const { state, inputs } = turn
  const { nowMs } = inputs
  const session = liveSession(state, code)
  if (session === undefined || session.status !== 'active') return
  if (isExpired(session, nowMs)) return stopSession(turn, session, EXPIRED)
  const quote = inputs.quote(code)
  const isWatching =
    session.isEnabled && areGridsOn(state) && mayTrack(state, code, { nowMs, quote })
  if (!isWatching) return found(turn, session)
  const missingSinceMs = missingSince(turn, session)
  const isCleared = missingSinceMs > 0 && nowMs - missingSinceMs >= state.policy.grid.lookEveryMs
  const isNew = quote !== undefined && quote.lastPrice > 0 && quote.timeMs > session.actedTickMs
  if (!isNew && !isCleared) return remember(turn, session, { missingSinceMs })
  const price = isNew ? quote.lastPrice : session.tracker.lastPrice
  const reason = exitOf(session, { price, nowMs, isCleared })
  if (reason !== undefined) return stopSession(turn, session, { reason, source: 'grid' })
  if (isNew) follow(turn, session, { quote, missingSinceMs })
}

const EXPIRED = { reason: 'expired', source: 'market clock' } as const

/** Since when the holding is gone; 0 while it is there. */
function missingSince({ state, inputs }: Turn, { code, missingSinceMs }: GridSession): number {
  const isHeld = (positionsOf(state).get(code)?.quantity ?? 0) > 0
  if (isHeld) return 0
  return missingSinceMs > 0 ? missingSinceMs : inputs.nowMs
}

/** Two looks in a row must miss the holding; one that cannot tell is not a look. */
function found(turn: Turn, session: GridSession): void {
  if (session.missingSinceMs > 0) remember(turn, session, { missingSinceMs: 0 })
}

type Memory = Partial<Pick<GridSession, 'tracker' | 'missingSinceMs' | 'actedTickMs'>>

/** Writes down what a look has changed, if it has. The newest price alone is not worth an entry. */
function remember(turn: Turn, session: GridSession, memory: Memory): void {
  const { tracker, missingSinceMs, actedTickMs } = { ...session, ...memory }
  const isSame =
    missingSinceMs === session.missingSinceMs && isSameTracker(tracker, session.tracker)
  if (isSame) return
  turn.emit({
    ...{ kind: 'gridTracked', sessionId: session.id },
    ...{ tracker, missingSinceMs, actedTickMs },
  })
}

const isSameTracker = (a: Tracker, b: Tracker): boolean =>
  a.isWaiting === b.isWaiting &&
  a.direction === b.direction &&
  a.crossedLevel === b.crossedLevel &&
  a.peakPrice === b.peakPrice &&
  a.valleyPrice === b.valleyPrice

interface Tick {
  readonly quote: Quote
  readonly missingSinceMs: number
}

function follow(turn: Turn, session: GridSession, { quote, missingSinceMs }: Tick): void {
  const { state, inputs } = turn
  const { levelCooldownMs: cooldownMs } = state.policy.grid
  const [tracker, signal] = track(session.tracker, {
    price: quote.lastPrice,
    levels: levelsOf(session.currentCenter, session.intervalPpm),
    callbackPpm: session.callbackPpm,
    isQuotaFull: investedOf(session) >= session.maxInvestment,
    isCooling: (level) => isCooling(session, { level, nowMs: inputs.nowMs, cooldownMs }),
  })
  remember(turn, session, { tracker, missingSinceMs, actedTickMs: quote.timeMs })
  if (signal !== undefined)
    act(turn, state.grid.sessions.get(session.id) ?? session, { signal, quote })
}

interface Signaled {
  readonly signal: TrackerSignal
  readonly quote: Quote
}

/** One order a side at a time; a signal that leads to none frees the tracker. */
function act(turn: Turn, session: GridSession, { signal, quote }: Signaled): void {
  const { side } = signal
  if (hasOpenOrder(openOrders(turn.state, session.id), side)) return
  const wish = {
    ...signal,
    sessionId: session.id,
    triggerPrice: quote.lastPrice,
    timeMs: turn.inputs.nowMs,
  }
  const reason = execute(turn, session, wish)
  if (reason === undefined) return
  turn.emit({
    ...{ kind: 'gridRefused', sessionId: session.id, side, reason },
    actedTickMs: quote.timeMs,
  })
}
