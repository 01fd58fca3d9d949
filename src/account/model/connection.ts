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
}

export const DISCONNECTED: Connection = {
  phase: 'disconnected',
  isReconnecting: false,
  failures: 0,
  attempts: 0,
  lastPingOkMs: undefined,
  connectedAtMs: undefined,
}

export interface BackoffPolicy {
  readonly reconnectIntervalMs: number
  /** Steps of the back-off; afterwards the wait stays the same and the tries go on. */
  readonly reconnectAttemptsMax: number
  readonly reconnectWaitMsMax: number
}

const TIMER_MS_MAX = 2 ** 31 - 1

/**
 * Wait before the next attempt: interval · 2^failures, the exponent and the product both capped.
 *
 * Units   milliseconds, finite, at most what a timer can hold, so that it never becomes a hot loop.
 * Source  docs/domain.md 8.1.
 */
export function reconnectWaitMs(policy: BackoffPolicy, failures: number): number {
  const { reconnectIntervalMs, reconnectAttemptsMax, reconnectWaitMsMax } = policy
  const exponent = Math.max(0, Math.min(failures, reconnectAttemptsMax))
  const wait = Math.min(reconnectIntervalMs * 2 ** exponent, reconnectWaitMsMax, TIMER_MS_MAX)
  return Number.isFinite(wait) && wait > 0 ? wait : TIMER_MS_MAX
}

export const connecting = (c: Connection): Connection => ({
  ...c,
  phase: 'connecting',
  attempts: c.isReconnecting ? c.attempts + 1 : c.attempts,
})

export const connected = (c: Connection, nowMs: number): Connection => ({
  ...c,
  phase: 'connected',
  isReconnecting: false,
  failures: 0,
  lastPingOkMs: nowMs,
  connectedAtMs: nowMs,
})

export const connectFailed = (c: Connection): Connection => ({
  ...c,
  phase: 'disconnected',
  isReconnecting: true,
  failures: c.failures + 1,
})

/** The client went away: the flag falls at once and the ping time is forgotten. */
export const lost = (c: Connection): Connection => ({
  ...c,
  phase: 'disconnected',
  isReconnecting: true,
  lastPingOkMs: undefined,
})

export const pinged = (c: Connection, nowMs: number): Connection => ({ ...c, lastPingOkMs: nowMs })
