export interface WatchLimits {
  /** A node whose lease is over may be silent for so long. */
  readonly silenceMs: number
  /** Wait before the first start after an end; it doubles. */
  readonly restartMs: number
  /** Longest wait; who lived for so long begins with the shortest again. */
  readonly restartMaxMs: number
}

/** What a node last said of itself, on the steady clock that all processes of a computer share. */
export interface SignOfLife {
  /** When it was said. */
  readonly atMs: number
  /** End of its lease; 0 before it had one. One that ran out stays: what was begun under it may still be under way. */
  readonly leaseMs: number
  /** Whether it has ever been ready. */
  readonly isReady: boolean
  /** Every account is left, and the process only ends. */
  readonly isDone: boolean
  /** As configured: its watchdog reads no configuration. */
  readonly limits: WatchLimits
}

/**
 * Whether the process must be killed: its lease is over, and it says nothing. One that only cannot reach the
 * servers goes on speaking. One that stands still may go on at any instruction, and may have passed its last
 * check before a broker call long ago.
 */
export const isLost = ({ atMs, leaseMs, isDone, limits }: SignOfLife, nowMs: number): boolean =>
  !isDone && leaseMs > 0 && nowMs > leaseMs && nowMs - atMs > limits.silenceMs

/** Exit codes that say what is to become of a process. */
export const LIFE_EXIT = { stopped: 0, wrong: 2, over: 7 } as const

/** How one life of a node has ended. */
export interface LifeEnd {
  /** Null when a signal has ended it. */
  readonly code: number | null
  readonly livedMs: number
  /** Starts in a row before, none of which lived long. */
  readonly failures: number
  /** Whether the operator has asked for the end. */
  readonly isStopping: boolean
  /** Whether this life or one before it has ever been ready. */
  readonly wasReady: boolean
}

export type NextLife =
  | { readonly do: 'end' }
  | { readonly do: 'start'; readonly afterMs: number; readonly failures: number }

/**
 * A life that was asked to end, or whose configuration is wrong, was the last one; so was a first one that could
 * not even start. Every other is followed by a new one.
 */
export function nextLife(
  end: LifeEnd,
  { restartMs, restartMaxMs }: Omit<WatchLimits, 'silenceMs'>,
): NextLife {
  const { code, livedMs, isStopping, wasReady } = end
  const isLast = isStopping || code === LIFE_EXIT.stopped || code === LIFE_EXIT.wrong
  const neverStarted = !wasReady && code !== LIFE_EXIT.over
  if (isLast || neverStarted) return { do: 'end' }
  const failures = livedMs >= restartMaxMs ? 0 : end.failures
  return {
    do: 'start',
    afterMs: Math.min(restartMaxMs, restartMs * 2 ** failures),
    failures: failures + 1,
  }
}
