import type { Price } from '../../domain/money.ts'
import type { Side } from '../../domain/order.ts'
import type { GridPolicy } from './policy.ts'
import { PPM } from './ratios.ts'
import type { GridSession } from './session.ts'

/** Why a signal is not worth a plan. */
export type GuardRefusal =
  | 'session_ended'
  | 'session_paused'
  | 'other_session'
  | 'signal_too_old'
  | 'price_drifted'
  | 'at_limit_up'
  | 'at_limit_down'
  | 'suspended'

/** A callback after a crossing, on its way to an order. */
export interface GridSignal {
  readonly sessionId: number
  readonly side: Side
  readonly triggerPrice: Price
  /** Epoch ms of the market clock. */
  readonly timeMs: number
}

export interface GuardInput {
  readonly nowMs: number
  /** 0 = none. */
  readonly latestPrice: Price
  /** Lowest and highest price of the day; undefined = not known, which stops nothing. */
  readonly limits: { readonly low: Price; readonly high: Price } | undefined
}

/** A signal may be from so far ahead of the clock. */
const EARLY_MS = 5_000

/**
 * The last look before an order is planned.
 *
 * Source  docs/domain.md 6.7.
 */
export function guardRefusal(
  policy: GridPolicy,
  session: GridSession,
  { signal, nowMs, latestPrice, limits }: GuardInput & { readonly signal: GridSignal },
): GuardRefusal | undefined {
  if (session.id !== signal.sessionId) return 'other_session'
  if (session.status !== 'active') return 'session_ended'
  if (!session.isEnabled) return 'session_paused'
  const ageMs = nowMs - signal.timeMs
  if (ageMs < -EARLY_MS || ageMs > policy.signalMaxAgeMs) return 'signal_too_old'
  if (hasDrifted(policy, signal.triggerPrice, latestPrice)) return 'price_drifted'
  return policy.isLimitGuarded && limits !== undefined
    ? limitRefusal(signal.side, latestPrice, {
        low: limits.low + policy.limitMargin,
        high: limits.high - policy.limitMargin,
      })
    : undefined
}

function limitRefusal(
  side: Side,
  latest: Price,
  { low, high }: { readonly low: number; readonly high: number },
): GuardRefusal | undefined {
  if (latest <= 0) return 'suspended'
  if (side === 'buy') return latest >= high ? 'at_limit_up' : undefined
  return latest <= low ? 'at_limit_down' : undefined
}

/** Without a latest price there is nothing to compare with. */
const hasDrifted = (policy: GridPolicy, trigger: Price, latest: Price): boolean =>
  latest > 0 && Math.abs(latest - trigger) * PPM > policy.signalMaxDriftPpm * trigger
