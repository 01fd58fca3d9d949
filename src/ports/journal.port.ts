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

/**
 * The journal of the accounts that more than one computer may run, kept by a quorum of servers. The store
 * appends to it before it writes anything itself, so no database is ever ahead of it.
 */
export interface ReplicatedJournal {
  /**
   * Resolves once a quorum keeps the commit, in the order of the calls. While there is no quorum it waits.
   *
   * Errors  `NOT_OWNER`: another computer has taken the account over, or this one may not act any more. Nothing
   *         after it is kept either.
   */
  append(accountId: string, commit: ReplicatedCommit): Promise<void>
  /** All that is kept of an account. Errors  `NOT_OWNER`: there is no quorum to ask. */
  read(accountId: string): Promise<ReplicatedBooks>
  /** Keeps a snapshot of the account as it is at commit number `commits`; older commits may be forgotten then. */
  keep(accountId: string, commits: number, snapshot: readonly Uint8Array[]): Promise<void>
}
