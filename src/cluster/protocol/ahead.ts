import type { Now } from './effects.ts'
import type { OwnerMark } from './peers.ts'
import { silenceMs, type Timing } from './timing.ts'

/** One renewal may have been on its way when the owner was read of; the next was sent after that. */
const PROVING_RENEWALS = 2

/** An owner that took over under a revision which our own renewals have not come to. */
export interface Ahead {
  readonly inc: string
  /** Of our record when that was looked at last. */
  readonly revision: number
  readonly renewals: number
  /** Monotonic: when it was read of, or our last renewal that counts. */
  readonly sinceMs: number
}

/**
 * Revisions only grow: whoever renews behind an owner comes past the one of the owner. Where that does not come, the
 * control bucket was put back to older data, and the record of the owner is lost. undefined: all is well.
 */
export function aheadOf(
  before: Ahead | undefined,
  owner: OwnerMark,
  self: OwnerMark,
  { monoMs }: Now,
): Ahead | undefined {
  const { inc } = owner
  const isSame = before?.inc === inc
  // What is proven stays so, also once our renewals have come past it.
  if (isSame && before.renewals === PROVING_RENEWALS) return before
  if (owner.since <= self.since) return
  if (!isSame) return { inc, revision: self.since, renewals: 0, sinceMs: monoMs }
  if (before.revision === self.since) return before
  return { inc, revision: self.since, renewals: before.renewals + 1, sinceMs: monoMs }
}

/** Whether an owner whose record is lost has stopped by itself: it could not renew since. */
export const isLostOwner = (ahead: Ahead | undefined, timing: Timing, { monoMs }: Now): boolean =>
  ahead?.renewals === PROVING_RENEWALS && monoMs - ahead.sinceMs > silenceMs(timing.ttlMs, timing)
