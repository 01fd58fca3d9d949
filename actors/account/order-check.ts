import type { Now } from '../../src/cluster/protocol/effects.ts'
import { leaseUntilMs, passesOrderCheck } from '../../src/cluster/protocol/order-check.ts'
import { steadyMs } from '../../src/runtime/steady.ts'

/** Shared with the thread of the cluster, which writes it. */
export interface OrderCheckMemory {
  readonly words: SharedArrayBuffer
  /** The clocks when it was made. */
  readonly origin: Now
  /** What was decided longer ago is not told any more: its price is of another time. ms */
  readonly intentTtlMs: number
}

/**
 * Until when, on the steady clock, a call may begin that was decided `waitedMs` ago, under the epoch that the account
 * was opened with; undefined: it must not begin. The end goes with the call, to whoever makes it: this
 * process can be stopped at any instruction after the look.
 */
export type CallBy = (epoch: number, waitedMs: number) => number | undefined

/** In a cluster: while the lease of this node holds, and the account is its own. */
export function orderCheck({ words, origin, intentTtlMs }: OrderCheckMemory, slot: number): CallBy {
  const memory = new Int32Array(words)
  const now = { monoMs: 0, wallMs: 0 }
  const order = { slot, epoch: 0, deadline: now }
  return (epoch, waitedMs) => {
    if (waitedMs > intentTtlMs) return undefined
    now.monoMs = steadyMs()
    now.wallMs = Date.now()
    order.epoch = epoch
    const untilMs = Math.min(now.monoMs + intentTtlMs - waitedMs, leaseUntilMs(memory, origin))
    return passesOrderCheck(memory, order, now, origin) ? untilMs : undefined
  }
}
