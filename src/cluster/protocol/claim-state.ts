import type { Ahead } from './ahead.ts'
import type { Tail } from './effects.ts'
import type { OwnerMark } from './peers.ts'
import type { Intent, JournalRecord } from './records.ts'
import type { Timing } from './timing.ts'

/** An account that is ours. */
export interface Owned {
  readonly acct: string
  readonly e: number
  readonly n: number
  readonly seq: number
  readonly hash: string
  readonly since: number
  /** Intents of former owners without an outcome: in doubt. */
  readonly open: readonly Intent[]
  /** Writer of the record before: its gate should be told the epoch, too. */
  readonly former: OwnerMark | undefined
}

/** The epoch record that is being appended, and what it stands on. */
export interface Taking {
  readonly record: JournalRecord
  readonly base: Tail | undefined
  /**
   * Why `base` cannot be the end of the journal that is known here, as it was known before the first sending: it may
   * be a stale read, and then the append fails. What is learned later may be of somebody who took over from us.
   */
  readonly regression: string | undefined
  readonly sends: number
}

export interface Missing {
  readonly inc: string
  /** Revision under which it took over: one that stands below is none of it, and the bucket was put back. */
  readonly since: number
  /** What the leader said the first time that it had none: when, and what stands there (the removal; 0: it was never there). */
  readonly told: { readonly sinceMs: number; readonly revision: number } | undefined
}

/**
 * `free`       not ours; waits for our turn, if it is anybody's turn at all
 * `reading`    reads the end of the journal
 * `asking`     the last writer seems to have had a later life: what stands in `CTL` is asked
 * `unseating`  the last writer seems to have no record in `CTL`: that is asked, and then one put there that fences it
 * `taking`     the epoch record is on its way
 * `proving`    that failed: the end of the journal says whether it stands there
 * `fencing`    waits until the gate of this computer holds the epoch
 * `owned`      ours, until `ended`
 * `regressed`  the journal knows less than we do: never again in this life
 */
export type ClaimPhase =
  | 'free'
  | 'reading'
  | 'asking'
  | 'unseating'
  | 'taking'
  | 'proving'
  | 'fencing'
  | 'owned'
  | 'regressed'

export interface ClaimState {
  readonly acct: string
  readonly timing: Timing
  readonly phase: ClaimPhase
  /** Since when the account has seemed to have no owner. */
  readonly freeSinceMs: number | undefined
  /** The writer of the last record, where no watch shows a record of it. */
  readonly missing: Missing | undefined
  /** The writer of the last record, where its revision is above ours. */
  readonly ahead: Ahead | undefined
  /** Nothing before this. */
  readonly nextMs: number
  /** Number of the call that is under way; 0 for none. */
  readonly call: number
  readonly calls: number
  /** The end of the journal whose writer is asked for. */
  readonly judged: Tail | undefined
  readonly taking: Taking | undefined
  readonly owned: Owned | undefined
  /** Revision of the placement that was shown when the journal was last read for it. */
  readonly readAt: number
}

export const startClaim = (acct: string, timing: Timing): ClaimState => ({
  acct,
  timing,
  phase: 'free',
  freeSinceMs: undefined,
  missing: undefined,
  ahead: undefined,
  nextMs: Number.NEGATIVE_INFINITY,
  call: 0,
  calls: 0,
  judged: undefined,
  taking: undefined,
  owned: undefined,
  readAt: 0,
})
