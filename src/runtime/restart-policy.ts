import { FOREVER_MS } from './steady.ts'

/** How often an actor may crash, and how long it waits before it starts again. */
export interface RestartPolicy {
  /** Restarts tolerated inside `periodMs`; one more crash suspends. */
  readonly intensity: number
  readonly periodMs: number
  /** Wait after the first crash of a period; doubled with each further one. */
  readonly backoffMsMin: number
  readonly backoffMsMax: number
}

export interface Crash {
  /** Monotonic times of earlier crashes, oldest first, as the last decision returned them. */
  readonly earlierMs: readonly number[]
  readonly nowMs: number
  /** Uniform in [0, 1): spreads restarts, so that actors that fell together do not rise together. */
  readonly jitter: number
}

export type RestartDecision =
  | { readonly kind: 'restart'; readonly delayMs: number }
  | { readonly kind: 'suspend'; readonly crashesInPeriod: number }

/** NaN counts as `min`: a broken setting must not turn into a restart loop without end. */
const clamp = (value: number, min: number, max: number): number =>
  value >= min ? Math.min(value, max) : min

/**
 * What follows a crash, and the history to keep for the next one. Counted per actor, because
 * accounts fail independently. The supervisor owns the timer, not the rule.
 *
 * Promises  `delayMs` is an integer between half of `backoffMsMin` and `backoffMsMax`, finite and
 *           at most 2³¹ − 1, whatever the input. The history never outgrows `intensity` + 1.
 */
export function decideRestart(
  policy: RestartPolicy,
  { earlierMs, nowMs, jitter }: Crash,
): readonly [RestartDecision, readonly number[]] {
  const recent = earlierMs.filter((atMs) => !(nowMs - atMs >= policy.periodMs)) // NaN stays
  const tolerated = Math.floor(clamp(policy.intensity, 0, FOREVER_MS))
  const history = [...recent, nowMs].slice(-(tolerated + 1))
  if (history.length > tolerated) {
    return [{ kind: 'suspend', crashesInPeriod: history.length }, history]
  }
  const shortestMs = clamp(policy.backoffMsMin, 0, FOREVER_MS)
  const longestMs = clamp(policy.backoffMsMax, 0, FOREVER_MS)
  const doublings = Math.min(recent.length, 31) // a 32-bit timer cannot tell more apart
  const ceilingMs = Math.min(longestMs, shortestMs * 2 ** doublings)
  const delayMs = Math.round(ceilingMs * (0.5 + clamp(jitter, 0, 1) / 2))
  return [{ kind: 'restart', delayMs }, history]
}
