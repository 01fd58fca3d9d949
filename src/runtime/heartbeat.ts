import type { ActorBoard } from './actor-board.ts'

export interface HeartbeatLimits {
  /** A ready actor whose heartbeat stands still this long is stuck. */
  readonly timeoutMs: number
  /** An actor that is not ready this long after its start is stuck, whether its heart beats or not. */
  readonly startTimeoutMs: number
  /** How often the watcher checks. */
  readonly checkIntervalMs: number
}

/**
 * Beats for an actor as long as its event loop turns; returns what ends it. The timer does not
 * keep a thread alive. `intervalMs` must be a fraction of the watcher's timeout.
 */
export function startHeartbeat(board: ActorBoard, slot: number, intervalMs: number): () => void {
  board.beat(slot)
  const timer = setInterval(() => board.beat(slot), intervalMs)
  timer.unref()
  return () => clearInterval(timer)
}

/** What the watcher remembers of one actor between two checks. */
export interface HeartbeatWatch {
  readonly phase: 'starting' | 'ready'
  readonly heartbeat: number
  /** How long the actor has been silent, or starting, while the watcher was awake. */
  readonly silentMs: number
  /** Monotonic time of the last check. */
  readonly lookedMs: number
}

/** The measurement begins: at the start of the thread, and again when it says that it is ready. */
export const watchHeartbeat = (
  phase: HeartbeatWatch['phase'],
  { heartbeat, nowMs }: { readonly heartbeat: number; readonly nowMs: number },
): HeartbeatWatch => ({ phase, heartbeat, silentMs: 0, lookedMs: nowMs })

/**
 * One check of an actor's heartbeat.
 *
 * A process that was stopped or a computer that slept must not look like a process full of hung
 * actors: the watcher slept too. So a check that comes late counts as two intervals at most, and
 * one that is later than the timeout begins the measurement anew.
 */
export function checkHeartbeat(
  watch: HeartbeatWatch,
  sample: { readonly heartbeat: number; readonly nowMs: number },
  { timeoutMs, startTimeoutMs, checkIntervalMs }: HeartbeatLimits,
): { readonly watch: HeartbeatWatch; readonly isStuck: boolean } {
  const { phase } = watch
  const gapMs = sample.nowMs - watch.lookedMs
  const hasOverslept = gapMs > timeoutMs || gapMs < 0
  const hasBeaten = phase === 'ready' && sample.heartbeat !== watch.heartbeat
  if (hasOverslept || hasBeaten) {
    return { watch: watchHeartbeat(phase, sample), isStuck: false }
  }
  const silentMs = watch.silentMs + Math.min(gapMs, 2 * checkIntervalMs)
  const limitMs = phase === 'ready' ? timeoutMs : startTimeoutMs
  const { heartbeat, nowMs } = sample
  return { watch: { phase, heartbeat, silentMs, lookedMs: nowMs }, isStuck: silentMs >= limitMs }
}
