import { untilServiceHoursMs } from '../../domain/session.ts'
import type { ClockDoubt } from '../../ports/clock.port.ts'

/** Where an account stands with its broker. All times are wall clock, epoch ms. */
export interface Connection {
  readonly phase: 'disconnected' | 'connecting' | 'connected'
  /** True from a lost connection or a failed attempt until the next success. */
  readonly isReconnecting: boolean
  /** Failed attempts in a row; the step of the back-off. */
  readonly failures: number
  /** Attempts to reconnect since the account was registered, as the status object counts them. */
  readonly attempts: number
  readonly lastPingOkMs: number | undefined
  readonly connectedAtMs: number | undefined
  /** Since when there is no connection; undefined while there is one, and before the first attempt. */
  readonly disconnectedAtMs: number | undefined
  /** Why the last attempt failed, or the connection was lost; empty when neither has happened. */
  readonly lastFailure: string
  /** When the last attempt began. */
  readonly attemptedAtMs: number | undefined
  /** When the next attempt is due; undefined when none is waited for. */
  readonly nextAttemptMs: number | undefined
  /** During the attempt under way the terminal has shown itself: if it fails, another may not. */
  readonly isTerminalSeen: boolean
}

export const DISCONNECTED: Connection = {
  phase: 'disconnected',
  isReconnecting: false,
  failures: 0,
  attempts: 0,
  lastPingOkMs: undefined,
  connectedAtMs: undefined,
  disconnectedAtMs: undefined,
  lastFailure: '',
  attemptedAtMs: undefined,
  nextAttemptMs: undefined,
  isTerminalSeen: false,
}

export interface BackoffPolicy {
  readonly reconnectIntervalMs: number
  /** Steps of the back-off; afterwards the wait stays the same and the tries go on. */
  readonly reconnectAttemptsMax: number
  readonly reconnectWaitMsMax: number
  /** No wait in the service hours is longer. */
  readonly reconnectSessionWaitMsMax: number
}

/** By which clock a wait is reckoned, and whose. */
export interface WaitSight {
  readonly accountId: string
  /** Market clock, epoch ms. */
  readonly nowMs: number
  readonly clockDoubt?: ClockDoubt | undefined
}

const TIMER_MS_MAX = 2 ** 31 - 1

/**
 * Wait before the next attempt: interval · 2^failures, the exponent and the product both capped, and never
 * longer than {@link sessionWaitMs}.
 *
 * Units   milliseconds, finite, at most what a timer can hold, so that it never becomes a hot loop.
 * Source  docs/domain.md 8.1.
 */
export function reconnectWaitMs(policy: BackoffPolicy, failures: number, sight: WaitSight): number {
  const { reconnectIntervalMs, reconnectAttemptsMax, reconnectWaitMsMax } = policy
  const exponent = Math.max(0, Math.min(failures, reconnectAttemptsMax))
  const backOff = Math.min(reconnectIntervalMs * 2 ** exponent, reconnectWaitMsMax)
  const wait = Math.min(backOff, sessionWaitMs(policy, sight), TIMER_MS_MAX)
  return Number.isFinite(wait) && wait > 0 ? wait : TIMER_MS_MAX
}

/**
 * The longest wait that may begin now: within the service hours their limit, before them until they have begun,
 * and that. Accounts that wait together end their waits apart, in the second half of the limit.
 */
export function sessionWaitMs(policy: BackoffPolicy, sight: WaitSight): number {
  const share = (1 + placeOf(sight.accountId)) / 2
  return Math.ceil(untilServiceMs(sight) + policy.reconnectSessionWaitMsMax * share)
}

/** How long until the service hours, 0 within them. In doubt about the time, the sooner of what both clocks say. */
export function untilServiceMs({ nowMs, clockDoubt }: Omit<WaitSight, 'accountId'>): number {
  const untilMs = untilServiceHoursMs(nowMs)
  if (clockDoubt === undefined) return untilMs
  return Math.min(untilMs, untilServiceHoursMs(nowMs + clockDoubt.offMs))
}

/** FNV-1a over the code units of a text, then shifts that spread the last of them over all bits. */
const FNV = { basis: 2_166_136_261, prime: 16_777_619 } as const

/** The place of an account among all, above 0 and up to 1; the same in every process. */
function placeOf(accountId: string): number {
  let hash: number = FNV.basis
  for (let i = 0; i < accountId.length; i++) {
    hash = Math.imul(hash ^ accountId.charCodeAt(i), FNV.prime)
  }
  for (const shift of [13, 17, 5]) hash = Math.imul(hash ^ (hash >>> shift), FNV.prime)
  return ((hash >>> 0) + 1) / 2 ** 32
}

export const connecting = (c: Connection, nowMs: number): Connection => ({
  ...c,
  phase: 'connecting',
  attempts: c.isReconnecting ? c.attempts + 1 : c.attempts,
  disconnectedAtMs: c.disconnectedAtMs ?? nowMs,
  attemptedAtMs: nowMs,
  nextAttemptMs: undefined,
  isTerminalSeen: false,
})

export const connected = (c: Connection, nowMs: number): Connection => ({
  ...c,
  phase: 'connected',
  isReconnecting: false,
  failures: 0,
  lastPingOkMs: nowMs,
  connectedAtMs: nowMs,
  disconnectedAtMs: undefined,
  nextAttemptMs: undefined,
  isTerminalSeen: false,
})

export const connectFailed = (c: Connection, reason: string): Connection => ({
  ...c,
  phase: 'disconnected',
  isReconnecting: true,
  failures: c.failures + 1,
  lastFailure: reason,
  isTerminalSeen: false,
})

/** The client went away: the flag falls at once and the ping time is forgotten. */
export const lost = (c: Connection, reason: string, nowMs: number): Connection => ({
  ...c,
  phase: 'disconnected',
  isReconnecting: true,
  lastPingOkMs: undefined,
  disconnectedAtMs: c.disconnectedAtMs ?? nowMs,
  lastFailure: reason,
  isTerminalSeen: false,
})

/** The next attempt is made at this moment. */
export const waiting = (c: Connection, nextAttemptMs: number): Connection => ({
  ...c,
  nextAttemptMs,
})

export const terminalSeen = (c: Connection): Connection => ({ ...c, isTerminalSeen: true })

export const pinged = (c: Connection, nowMs: number): Connection => ({ ...c, lastPingOkMs: nowMs })
