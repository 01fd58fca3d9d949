import type { ActorBoard } from './actor-board.ts'

export interface HeartbeatLimits {
  /** A ready actor whose heartbeat stands still for so long, of time that it could have used, hangs. */
  readonly timeoutMs: number
  /** An actor that is not ready after so much of such time hangs, whether its heart beats or not. */
  readonly startTimeoutMs: number
  /** One that is to end and has not after so much of such time cannot. */
  readonly endTimeoutMs: number
  /** As `timeoutMs` and `endTimeoutMs`, but of any time: a computer that never gets to the actor is waited for no longer. */
  readonly patienceMs: number
  /** The same for a start. */
  readonly startPatienceMs: number
  /** How often the watcher checks. */
  readonly checkIntervalMs: number
  /** How often an actor beats. */
  readonly beatIntervalMs: number
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
  readonly phase: 'starting' | 'ready' | 'ending'
  readonly heartbeat: number
  /** How long the actor has been silent, or starting, or ending, while the watcher was awake. */
  readonly silentMs: number
  /** For how much of that a processor was free for it. */
  readonly freeMs: number
  /** How much of that it has computed itself. */
  readonly ranMs: number
  /** Processor time of its thread when it was last known, since the thread began. */
  readonly processorMs: number | undefined
  /** Monotonic time of the last check. */
  readonly lookedMs: number
}

/** One look at an actor. */
export interface HeartbeatSample {
  readonly heartbeat: number
  readonly nowMs: number
  /** As of {@link HeartbeatWatch}; undefined when nobody knows. */
  readonly processorMs?: number | undefined
}

/** What the computer had for its threads between two checks. */
export interface MachineTime {
  /** Time of processors that had nothing to do, of all of them together; undefined when nobody knows. */
  readonly idleMs: number | undefined
  /** Part of the time for which the threads that did beat were not late, 0 to 1. */
  readonly punctuality: number
}

/** `starved`: it hangs, or the computer has had no time for it, for longer than anybody waits. */
export type HeartbeatVerdict = 'alive' | 'waiting' | 'hung' | 'starved'

/** The measurement begins: at the start of the thread, when it says that it is ready, and when it is to end. */
export const watchHeartbeat = (
  phase: HeartbeatWatch['phase'],
  { heartbeat, nowMs, processorMs }: HeartbeatSample,
): HeartbeatWatch => ({
  phase,
  heartbeat,
  silentMs: 0,
  freeMs: 0,
  ranMs: 0,
  // A thread that starts has computed nothing.
  processorMs: phase === 'starting' ? (processorMs ?? 0) : processorMs,
  lookedMs: nowMs,
})

/**
 * One check of an actor's heartbeat.
 *
 * An actor that a busy computer keeps waiting must not look like one that hangs. So its silence counts
 * only as far as it could have ended it: what its thread has computed meanwhile (one that loops), or
 * what it could have computed because a processor was free (one that is blocked), whichever is more.
 * Time by which the watcher itself came late, or the other actors did, counts as no chance. Of a process
 * that was stopped, or a computer that slept, all chances before are forgotten.
 *
 * Without an idle processor a blocked thread and a starved one look the same, and are waited for until
 * `patienceMs` is over; that counts everything but the lateness of the watcher.
 */
export function checkHeartbeat(
  watch: HeartbeatWatch,
  sample: HeartbeatSample,
  machine: MachineTime,
  limits: HeartbeatLimits,
): { readonly watch: HeartbeatWatch; readonly verdict: HeartbeatVerdict } {
  const { phase } = watch
  if (phase === 'ready' && sample.heartbeat !== watch.heartbeat) {
    return { watch: watchHeartbeat(phase, sample), verdict: 'alive' }
  }
  const next = silentStill(watch, sample, machine, limits)
  const { timeoutMs, startTimeoutMs, endTimeoutMs } = limits
  const limitMs = { ready: timeoutMs, starting: startTimeoutMs, ending: endTimeoutMs }[phase]
  const patienceMs = phase === 'starting' ? limits.startPatienceMs : limits.patienceMs
  if (Math.max(next.freeMs, next.ranMs) >= limitMs) return { watch: next, verdict: 'hung' }
  // Who has raised the limit above the patience means the limit.
  if (next.silentMs >= Math.max(patienceMs, limitMs)) return { watch: next, verdict: 'starved' }
  return { watch: next, verdict: next.silentMs >= limitMs ? 'waiting' : 'alive' }
}

/** Of an interval, what counts at most: no timer is exact, and what comes much later was kept waiting. */
const INTERVAL_MAX = 1.1

/** The sums after one more interval of silence. */
function silentStill(
  watch: HeartbeatWatch,
  { nowMs, processorMs = watch.processorMs }: HeartbeatSample,
  { idleMs, punctuality }: MachineTime,
  { timeoutMs, checkIntervalMs }: HeartbeatLimits,
): HeartbeatWatch {
  const gapMs = nowMs - watch.lookedMs
  const wakefulMs = Math.min(Math.max(0, gapMs), INTERVAL_MAX * checkIntervalMs)
  const silentMs = watch.silentMs + wakefulMs
  const hasOverslept = gapMs > timeoutMs || gapMs < 0
  if (hasOverslept) return { ...watch, silentMs, freeMs: 0, ranMs: 0, processorMs, lookedMs: nowMs }
  const freeMs = watch.freeMs + Math.min(wakefulMs * punctuality, idleMs ?? wakefulMs)
  const sinceMs = watch.processorMs ?? processorMs ?? 0 // unknown before: nothing is known of it
  const ranMs = watch.ranMs + Math.max(0, (processorMs ?? 0) - sinceMs)
  return { ...watch, silentMs, freeMs, ranMs, processorMs, lookedMs: nowMs }
}

/**
 * How punctual the beats of an actor were between two checks, 0 to 1. One beat less than there is room
 * for is none too few: the first may have come before, the last may be due.
 */
export const punctualityOf = (
  beats: number,
  gapMs: number,
  { beatIntervalMs }: Pick<HeartbeatLimits, 'beatIntervalMs'>,
): number => (gapMs <= 0 ? 1 : Math.min(1, ((beats + 1) * beatIntervalMs) / gapMs))
