import type { Now } from '../../src/cluster/protocol/effects.ts'
import { passesOrderCheck } from '../../src/cluster/protocol/order-check.ts'
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
 * Whether this account may tell its trading client something at this moment, under the epoch that it was opened
 * with, that was decided `waitedMs` ago.
 */
export type MayAct = (epoch: number, waitedMs: number) => boolean

/** In a cluster: while the lease of this node holds, and the account is its own. */
export function orderCheck({ words, origin, intentTtlMs }: OrderCheckMemory, slot: number): MayAct {
  const memory = new Int32Array(words)
  const now = { monoMs: 0, wallMs: 0 }
  const order = { slot, epoch: 0, deadline: now }
  return (epoch, waitedMs) => {
    if (waitedMs > intentTtlMs) return false
    now.monoMs = steadyMs()
    now.wallMs = Date.now()
    order.epoch = epoch
    return passesOrderCheck(memory, order, now, origin)
  }
}
