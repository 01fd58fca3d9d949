import type { StockCode } from '../../domain/instrument.ts'
import type { Position } from '../../domain/position.ts'
import { openSinceMs } from '../../domain/session.ts'
import type { Quote } from '../../ports/quotes.port.ts'
import { type HealthVerdict, mayFeedSignals } from '../../strategy/health/health-score.ts'
import type { Sighting } from '../model/quote-trust.ts'
import type { AccountState } from '../model/state.ts'
import type { Cause } from '../model/trace.ts'
import { nameOf, positionsOf } from '../turn/holding.ts'
import type { Turn } from '../turn/turn.ts'

/** When the hours that run have begun, epoch ms; undefined while closed. A simulation has no hours. */
const hoursSinceMs = ({ simulation, policy }: AccountState, nowMs: number): number | undefined =>
  simulation !== undefined || policy.isAlwaysOpen ? 0 : openSinceMs(nowMs)

/** The market trades, or the account is in a simulation. */
export const isInSession = (state: AccountState, nowMs: number): boolean =>
  hoursSinceMs(state, nowMs) !== undefined

/** The broker has said what there is. A simulation has none. */
export const isClientKnown = ({ simulation, isReady }: AccountState): boolean =>
  simulation !== undefined || isReady

/** Whether the quote of a stock may move anything now: hours, broker, and the health of its source. */
export const mayJudge = (state: AccountState, code: StockCode, sight: Sighting): boolean =>
  isInSession(state, sight.nowMs) &&
  isClientKnown(state) &&
  mayFeedSignals(healthOf(state, code, sight))

/** Makes up for the looks at the quote of a stock until now, in the hours of the account. */
const lookAt = (state: AccountState, code: StockCode, sight: Sighting): void =>
  state.quoteTrust.observe(code, { ...sight, sinceMs: hoursSinceMs(state, sight.nowMs) })

/**
 * Until when ticks were acted upon. At the pace of real time a mark that is far ahead of the clock is of a quote that bore
 * a wrong time: those of now would be taken for old ones, and no stop judged, until the clock has reached it. A replay that
 * begins again is behind what was acted upon.
 */
export const actedUntil = (
  { policy }: AccountState,
  { actedTickMs, nowMs }: { readonly actedTickMs: number; readonly nowMs: number },
): number => {
  const isWrong = policy.tempo === 'real' && actedTickMs > nowMs + policy.limits.clockStopMs
  return isWrong ? 0 : actedTickMs
}

/** After a restart a replay may repeat ticks; the newest may be judged again when something else changed. */
export function isActedUpon(
  { state, inputs: { nowMs } }: Turn,
  { actedTickMs }: Position,
  { quote: { timeMs }, cause }: { readonly quote: Quote; readonly cause: Cause },
): boolean {
  const untilMs = actedUntil(state, { actedTickMs, nowMs })
  return cause === 'tick' ? timeMs <= untilMs : timeMs < untilMs
}

/**
 * For whoever asks: a price within its band wakes nobody, so the looks since the last sighting are made up for. Of a stock
 * that was not seen yet nothing is, because who asks must not decide when its looks begin.
 */
export function lookOn(state: AccountState, code: StockCode, sight: Sighting): void {
  if (state.quoteTrust.isWatched(code)) lookAt(state, code, sight)
}

/** What the quote of a stock is worth now. */
export function healthOf(state: AccountState, code: StockCode, sight: Sighting): HealthVerdict {
  lookOn(state, code, sight)
  return state.quoteTrust.verdictOf(code, sight)
}

/** Once for each stock and input, before any strategy judges it: what the quotes of a holding are worth. */
export function observeQuote(turn: Turn, code: StockCode, cause: Cause): void {
  const { state, inputs } = turn
  const position = positionsOf(state).get(code)
  if (position === undefined) return
  const quote = inputs.quote(code)
  if (quote === undefined) return
  const { nowMs } = inputs
  lookAt(state, code, { quote, nowMs })
  if (isActedUpon(turn, position, { quote, cause })) return
  state.quoteTrust.count({ code, name: nameOf(state, code) }, quote, nowMs)
}
