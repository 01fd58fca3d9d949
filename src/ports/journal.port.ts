/** A commit of an account as all computers of a cluster keep it. */
export interface ReplicatedCommit {
  /** Of the owner that decided it. */
  readonly epoch: number
  /** Of the rows inside: a release reads those of its own version only. */
  readonly schema: number
  /** As `recordOf` encodes it. */
  readonly body: Uint8Array
}

/** What a cluster holds of an account. */
export interface ReplicatedBooks {
  /** The whole account at some commit, in parts; empty: it begins with the first commit. */
  readonly snapshot: readonly Uint8Array[]
  /** At least those after the snapshot, in their order. */
  readonly commits: readonly ReplicatedCommit[]
}

/** A whole account as it is at some commit. */
export interface KeptSnapshot {
  readonly commits: number
  /** What stands before this place of the journal is not needed any more; 0: all of it is. */
  readonly from: number
  readonly parts: readonly Uint8Array[]
}

/**
 * The journal of the accounts that more than one computer may run, kept by a quorum of servers. The store
 * appends to it before it writes anything itself, so no database is ever ahead of it.
 */
export interface ReplicatedJournal {
  /**
   * Resolves once a quorum keeps the commit, in the order of the calls, with the place where it stands. While there
   * is no quorum it waits.
   *
   * Errors  `NOT_OWNER`: another computer has taken the account over, or this one may not act any more. Nothing
   *         after it is kept either.
   */
  append(accountId: string, commit: ReplicatedCommit): Promise<number>
  /** All that is kept of an account. Errors  `NOT_OWNER`: there is no quorum to ask. */
  read(accountId: string): Promise<ReplicatedBooks>
  /** Keeps a snapshot of an account. Errors  of any kind: nothing is forgotten then. */
  keep(accountId: string, kept: KeptSnapshot): Promise<void>
}
