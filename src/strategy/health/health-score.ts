import { round } from '../../domain/money.ts'

export interface HealthPolicy {
  /** `MARKET_HEALTH_ENABLED`. */
  readonly isEnabled: boolean
  /** `MARKET_HEALTH_OBSERVE_ONLY`: scores are shown and stop nothing. */
  readonly isObserveOnly: boolean
  readonly windowMs: number
  /** Events before there is a score. */
  readonly eventsMin: number
  readonly healthyScore: number
  readonly degradedScore: number
  readonly unstableScore: number
  /** Lowest score whose quotes feed signals. */
  readonly tradingScoreMin: number
  readonly isFallbackAllowed: boolean
}

/** What came of asking a source for something. */
export interface HealthEvent {
  /** Epoch milliseconds. */
  readonly timeMs: number
  readonly isOk: boolean
  /** What came was usable: a price above zero. An event that is ok without it is a failure. */
  readonly isGoodData: boolean
  /** Never below 0; 0 for a quote that was pushed. */
  readonly latencyMs: number
  /** Why it failed; empty when it did not. */
  readonly reason: string
  /** Rises with every event, across all keys: the order in which they came. */
  readonly serial: number
}

export type HealthStatus = 'healthy' | 'degraded' | 'unstable' | 'down' | 'unknown'

export interface HealthScore {
  /** 0 … 100, whole; null while there are too few events. */
  readonly score: number | null
  readonly status: HealthStatus
  readonly eventCount: number
  readonly successCount: number
  readonly failureCount: number
  /** Failures since the last success. */
  readonly consecutiveFailures: number
  /** Epoch milliseconds. */
  readonly lastSuccessMs: number | null
  readonly lastEventMs: number | null
  /** Of the successes, whole milliseconds. */
  readonly averageLatencyMs: number | null
  /** Of the newest event; null without events. */
  readonly lastReason: string | null
}

interface Tally {
  count: number
  good: number
  successes: number
  latencySumMs: number
  last: HealthEvent | undefined
  lastSuccess: HealthEvent | undefined
}

const isSuccess = ({ isOk, isGoodData }: HealthEvent) => isOk && isGoodData
const newer = (one: HealthEvent | undefined, other: HealthEvent): HealthEvent =>
  one === undefined || other.serial > one.serial ? other : one

/** Of the events since a moment. */
function tallyOf(events: readonly HealthEvent[], fromMs: number): Tally {
  const tally: Tally = {
    count: 0,
    good: 0,
    successes: 0,
    latencySumMs: 0,
    last: undefined,
    lastSuccess: undefined,
  }
  for (const event of events) {
    if (event.timeMs < fromMs) continue
    tally.count += 1
    tally.last = newer(tally.last, event)
    if (event.isGoodData) tally.good += 1
    if (!isSuccess(event)) continue
    tally.successes += 1
    tally.latencySumMs += event.latencyMs
    tally.lastSuccess = newer(tally.lastSuccess, event)
  }
  return tally
}

/** Failures since the last success. */
function failuresOf(
  events: readonly HealthEvent[],
  fromMs: number,
  { last, lastSuccess }: Tally,
): number {
  if (last === lastSuccess) return 0
  const serial = lastSuccess?.serial ?? -1
  let count = 0
  for (const event of events) if (event.timeMs >= fromMs && event.serial > serial) count += 1
  return count
}

const LATENCY_MS_PER_POINT = 30
const POINTS_PER_FAILURE = 25
const WEIGHT = { success: 0.45, latency: 0.2, freshness: 0.2, quality: 0.1, continuity: 0.05 }

/**
 * The score of a set of events at a moment. Events before the window are left out; they may come in
 * any order, because each knows its place.
 *
 * Source  docs/domain.md 7.1.
 */
export function scoreOf(
  policy: HealthPolicy,
  all: readonly HealthEvent[],
  nowMs: number,
): HealthScore {
  const fromMs = nowMs - policy.windowMs
  const tally = tallyOf(all, fromMs)
  const { count, successes, last, lastSuccess } = tally
  const consecutiveFailures = failuresOf(all, fromMs, tally)
  const average = successes === 0 ? null : tally.latencySumMs / successes
  const score =
    count < Math.max(1, policy.eventsMin)
      ? null
      : weigh(tally, { average, consecutiveFailures, ageShare: ageShareOf(policy, tally, nowMs) })
  return {
    score,
    status: statusOf(policy, score),
    eventCount: count,
    successCount: successes,
    failureCount: count - successes,
    consecutiveFailures,
    lastSuccessMs: lastSuccess?.timeMs ?? null,
    lastEventMs: last?.timeMs ?? null,
    averageLatencyMs: average === null ? null : Math.round(average),
    lastReason: last?.reason ?? null,
  }
}

/**
 * The score by which a quote feeds signals; null while there are too few looks, or none with a price.
 * A look without a price is a look, but says nothing about a quote that has one: after a halt, or
 * after bad ticks, the next good quote must be able to feed a stop.
 *
 * Source  docs/domain.md 7.2.
 */
export function signalScoreOf(
  policy: HealthPolicy,
  events: readonly HealthEvent[],
  nowMs: number,
): number | null {
  if (!events.some(isWithoutPrice)) return scoreOf(policy, events, nowMs).score
  const fromMs = nowMs - policy.windowMs
  const recent = events.filter(({ timeMs }) => timeMs >= fromMs)
  if (recent.length < policy.eventsMin) return null
  const priced = recent.filter((event) => !isWithoutPrice(event))
  return scoreOf({ ...policy, eventsMin: 1 }, priced, nowMs).score
}

/** An answer came, and there was no price in it. */
const isWithoutPrice = ({ isOk, isGoodData }: HealthEvent): boolean => isOk && !isGoodData

/** Age of the last success as a share of the window; 1 without a success. */
const ageShareOf = ({ windowMs }: HealthPolicy, { lastSuccess }: Tally, nowMs: number): number =>
  lastSuccess === undefined ? 1 : Math.max(0, nowMs - lastSuccess.timeMs) / windowMs

interface Measured {
  readonly average: number | null
  readonly consecutiveFailures: number
  readonly ageShare: number
}

function weigh(
  { count, successes, good }: Tally,
  { average, consecutiveFailures, ageShare }: Measured,
): number {
  const latency = average === null ? 0 : Math.max(0, 100 - average / LATENCY_MS_PER_POINT)
  const freshness = Math.max(0, 100 - ageShare * 100)
  const continuity = Math.max(0, 100 - POINTS_PER_FAILURE * consecutiveFailures)
  const points =
    (WEIGHT.success * 100 * successes) / count +
    WEIGHT.latency * latency +
    WEIGHT.freshness * freshness +
    (WEIGHT.quality * 100 * good) / count +
    WEIGHT.continuity * continuity
  return round(Math.min(100, Math.max(0, points)), 0)
}

function statusOf(policy: HealthPolicy, score: number | null): HealthStatus {
  if (score === null) return 'unknown'
  if (score >= policy.healthyScore) return 'healthy'
  if (score >= policy.degradedScore) return 'degraded'
  return score >= policy.unstableScore ? 'unstable' : 'down'
}

/** A quote as the gate sees it. */
export interface ScoredQuote {
  readonly isFallbackSource: boolean
  /** Score of its source, purpose and stock when it was fetched: `signalScoreOf`. */
  readonly score: number | null
}

export type HealthVerdict =
  | 'not_enforced'
  | 'no_quote'
  | 'fallback_source'
  | 'too_few_events'
  | 'score_too_low'
  | 'healthy_enough'

/** Whether a quote may feed signals, and why. After a restart nothing may, until some events have come. */
export function judgeQuote(policy: HealthPolicy, quote: ScoredQuote | undefined): HealthVerdict {
  if (!policy.isEnabled || policy.isObserveOnly) return 'not_enforced'
  if (quote === undefined) return 'no_quote'
  if (quote.isFallbackSource && !policy.isFallbackAllowed) return 'fallback_source'
  if (quote.score === null) return 'too_few_events'
  return quote.score >= policy.tradingScoreMin ? 'healthy_enough' : 'score_too_low'
}

export const mayFeedSignals = (verdict: HealthVerdict): boolean =>
  verdict === 'not_enforced' || verdict === 'healthy_enough'
