import type { Tail } from './effects.ts'
import type { PlacementRecord } from './records.ts'

/** What is known of an account's past elsewhere: a journal that knows less was put back from a backup. */
export interface Memory {
  /** Last record that this computer's database holds; 0 for none. */
  readonly seq: number
  readonly hash: string
  /** Highest epoch that the database or the gate of this computer knows; 0 for none. */
  readonly e: number
  /** Epochs up to this one were given by this computer alone, before it joined the cluster; 0 for none. */
  readonly floor?: number
}
export const NO_MEMORY: Memory = { seq: 0, hash: '', e: 0 }

/**
 * Why the journal cannot be the one that was known here before, if it ends at `base`; undefined: it can be.
 * `placement` is where the watch shows the account.
 */
export function regressionOf(
  base: Tail | undefined,
  memory: Memory,
  placement: PlacementRecord | undefined,
): string | undefined {
  const [seq, e] = [base?.seq ?? 0, base?.record.e ?? 0]
  if (memory.seq > seq)
    return `this computer holds record ${memory.seq}, the journal ends at ${seq}`
  if (memory.seq === seq && memory.seq > 0 && memory.hash !== base?.hash) {
    return `record ${seq} of the journal is another one than this computer holds`
  }
  const known = Math.max(memory.e, placement?.e ?? 0)
  if (known > e) return `epoch ${known} is known, the journal ends in epoch ${e}`
  return
}
