import type { StockCode } from '../../../domain/instrument.ts'
import type { Side } from '../../../domain/order.ts'
import type { Quote } from '../../../ports/quotes.port.ts'
import { type ExitReason, exitOf, isExpired } from '../../../strategy/grid/exits.ts'
import { type GridSession, investedOf, isCooling } from '../../../strategy/grid/session.ts'
import {
  LEVEL_UNITS,
  levelsOf,
  type Tracker,
  type TrackerSignal,
  track,
} from '../../../strategy/grid/tracker.ts'
import type { Cause } from '../../model/trace.ts'
import { assetsNow } from '../../orders/assets.ts'
import { isOldScale, isScaleUnknown } from '../../orders/ex-day.ts'
import { hasPlace, holdPlace, leavePlace } from '../../orders/order-rate.ts'
import { positionsOf } from '../../turn/holding.ts'
import type { Turn } from '../../turn/turn.ts'
import { actedUntil, isClientKnown, mayJudge } from '../market-gates.ts'
import { refusalSentence } from './answers/refusal-words.ts'
import { execute, hasOpenOrder } from './execute.ts'
import { areGridsOn, liveSession, openOrders } from './lookups.ts'
import { isHeld } from './planned.ts'
import { stopSession } from './stop.ts'
import { type GridFinding, type GridVerdict, noteEvaluation } from './trace.ts'

/**
 * Judges the grid of one stock at its newest quote: exits first, then levels, then the order that a
 * callback asks for. A paused grid, and one whose switches are off, only ends with its time; one whose
 * quote may not be used also with its holding, for which only the broker has to be known.
 *
 * Source  docs/domain.md 6.6.
 */
export function evaluate(turn: Turn, code: StockCode, cause: Cause): void {
  const session = liveSession(turn.state, code)
  if (session === undefined || session.status !== 'active') return
  const finding = judge(turn, session)
  if (finding !== undefined) noteEvaluation(turn, session, { ...finding, cause })
}

/** Undefined when there was nothing new to evaluate. */
function judge(turn: Turn, session: GridSession): GridFinding | undefined {
  if (isExpired(session, turn.inputs.nowMs)) return ended(turn, session, EXPIRED)
  const closed = closedGate(turn, session)
  if (closed !== undefined) {
    found(turn, session)
    return { verdict: closed }
  }
  return look(turn, session)
}

/** Whether the holding is there can be told at any hour and without a quote; all else needs one. */
function look(turn: Turn, session: GridSession): GridFinding | undefined {
  const { state, inputs } = turn
  const { nowMs } = inputs
  const { code } = session
  const missingSinceMs = missingSince(turn, session)
  const isCleared = missingSinceMs > 0 && nowMs - missingSinceMs >= state.policy.grid.checkEveryMs
  const isJudged =
    mayJudge(state, code, { nowMs, quote: inputs.quote(code) }) && !isOffScale(turn, code)
  const quote = isJudged ? newQuote(turn, session) : undefined
  if (quote !== undefined || isCleared) {
    const price = quote?.lastPrice ?? session.tracker.lastPrice
    const reason = exitOf(session, { price, nowMs, isCleared })
    if (reason !== undefined) return ended(turn, session, { reason, source: 'grid' })
  }
  if (quote !== undefined && missingSinceMs === 0) return follow(turn, session, quote)
  remember(turn, session, { missingSinceMs })
  if (!isJudged) return { verdict: 'grid_not_now' }
  return quote === undefined ? undefined : { verdict: 'grid_holding_missing' }
}

/** Nobody knows the scale of the prices of an ex-day, or the quote is still on that of the day before. */
function isOffScale({ state, inputs }: Turn, code: StockCode): boolean {
  const held = positionsOf(state).get(code)
  if (held === undefined) return false
  const quote = inputs.quote(code)
  return isScaleUnknown(held) || (quote !== undefined && isOldScale(held, quote))
}

/** The newest quote, if it has a price and was not acted upon. */
function newQuote({ state, inputs }: Turn, { code, actedTickMs }: GridSession): Quote | undefined {
  const quote = inputs.quote(code)
  const untilMs = actedUntil(state, { actedTickMs, nowMs: inputs.nowMs })
  const isNew = quote !== undefined && quote.lastPrice > 0 && quote.timeMs > untilMs
  return isNew ? quote : undefined
}

/** What suspends a session, or keeps a look from telling whether its holding is there. */
function closedGate({ state }: Turn, { isEnabled }: GridSession): GridVerdict | undefined {
  if (!isEnabled) return 'grid_paused'
  if (!areGridsOn(state)) return 'grid_off'
  return isClientKnown(state) ? undefined : 'grid_not_now'
}

function ended(
  turn: Turn,
  session: GridSession,
  by: { readonly reason: ExitReason; readonly source: string },
): GridFinding {
  stopSession(turn, session, by)
  return { verdict: 'grid_exit', reason: by.reason }
}

const EXPIRED = { reason: 'expired', source: 'market clock' } as const

/** Since when the holding is gone; 0 while it is there. */
function missingSince({ state, inputs }: Turn, { code, missingSinceMs }: GridSession): number {
  if (isHeld(state, code)) return 0
  return missingSinceMs > 0 ? missingSinceMs : inputs.nowMs
}

/** Two looks in a row must miss the holding; one that cannot tell does not count. */
function found(turn: Turn, session: GridSession): void {
  if (session.missingSinceMs > 0) remember(turn, session, { missingSinceMs: 0 })
}

type Memory = Partial<Pick<GridSession, 'tracker' | 'missingSinceMs' | 'actedTickMs'>>

/** Writes down what an evaluation has changed, if it has. The newest price alone is not worth an entry. */
function remember(turn: Turn, session: GridSession, memory: Memory): void {
  const { tracker, missingSinceMs, actedTickMs } = { ...session, ...memory }
  const isSame =
    missingSinceMs === session.missingSinceMs && isSameTracker(tracker, session.tracker)
  if (isSame) return
  turn.emit({ kind: 'gridTracked', sessionId: session.id, tracker, missingSinceMs, actedTickMs })
}

const isSameTracker = (a: Tracker, b: Tracker): boolean =>
  a.isWaiting === b.isWaiting &&
  a.direction === b.direction &&
  a.crossedLevel === b.crossedLevel &&
  a.peakPrice === b.peakPrice &&
  a.valleyPrice === b.valleyPrice

function follow(turn: Turn, session: GridSession, quote: Quote): GridFinding {
  const { state, inputs } = turn
  const { levelCooldownMs: cooldownMs } = state.policy.grid
  const levels = levelsOf(session.currentCenter, session.intervalPpm)
  const [tracker, signal] = track(session.tracker, {
    price: quote.lastPrice,
    levels,
    callbackPpm: session.callbackPpm,
    isQuotaFull: investedOf(session) >= session.maxInvestment,
    isCooling: (level) => isCooling(session, { level, nowMs: inputs.nowMs, cooldownMs }),
  })
  // As if this tick had not been: the callback stands, and the next tick finds it again.
  if (signal?.side === 'buy' && assetsNow(state, inputs) === undefined) {
    remember(turn, session, { missingSinceMs: 0 })
    return { verdict: 'grid_total_unknown' }
  }
  if (signal !== undefined && findsNoPlace(turn, session, signal.side)) {
    remember(turn, session, { missingSinceMs: 0 })
    return { verdict: 'grid_rate_full' }
  }
  remember(turn, session, { tracker, missingSinceMs: 0, actedTickMs: quote.timeMs })
  if (signal !== undefined) {
    return act(turn, state.grid.sessions.get(session.id) ?? session, { signal, quote })
  }
  if (tracker.isWaiting) return { verdict: 'grid_awaits_callback' }
  const at = quote.lastPrice * LEVEL_UNITS
  const isBetween = at >= levels.lower && at <= levels.upper
  return { verdict: isBetween ? 'grid_between_levels' : 'grid_held_back' }
}

/** No order can be sent within this second; one that is wanted has a place in the next. */
function findsNoPlace(turn: Turn, { code, id }: GridSession, side: Side): boolean {
  if (hasOpenOrder(openOrders(turn.state, id), side)) return false
  const order = { code, side, strategy: turn.state.policy.grid.strategyName }
  if (hasPlace(turn, order)) {
    leavePlace(turn.state, order)
    return false
  }
  holdPlace(turn, order)
  return true
}

/** Refusals that say nothing against the signal. */
const STANDING: ReadonlySet<string> = new Set(['STALE_QUOTE', 'part_untold'])

interface Signaled {
  readonly signal: TrackerSignal
  readonly quote: Quote
}

/**
 * One order a side at a time; a signal that leads to none frees the tracker. But where the age of its quote keeps it back, as of
 * the last one of the morning when the afternoon begins, or a list that is to come, the callback stands, and the next price finds
 * it again.
 */
function act(turn: Turn, session: GridSession, { signal, quote }: Signaled): GridFinding {
  const { side } = signal
  if (hasOpenOrder(openOrders(turn.state, session.id), side)) return { verdict: 'grid_order_open' }
  const eventCount = turn.events.length
  const outcome = execute(turn, session, {
    ...signal,
    sessionId: session.id,
    triggerPrice: quote.lastPrice,
    timeMs: turn.inputs.nowMs,
  })
  if (outcome.kind === 'sent') return { verdict: 'grid_order' }
  const reason = outcome.refusal.code
  const [sessionId, actedTickMs] = [session.id, quote.timeMs]
  if (!STANDING.has(reason)) {
    turn.emit({ kind: 'gridRefused', sessionId, side, reason, actedTickMs })
  } else if (turn.events.length > eventCount) {
    // Marked when it was told: of a feed that is late altogether no quote is worth an entry of its own.
    const { missingSinceMs } = session
    const tracker = { ...session.tracker, lastPrice: quote.lastPrice }
    turn.emit({ kind: 'gridTracked', sessionId, tracker, missingSinceMs, actedTickMs })
  }
  return { verdict: 'grid_refused', reason, message: refusalSentence(outcome.refusal) }
}
