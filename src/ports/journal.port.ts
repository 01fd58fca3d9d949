import type { KeptSnapshot, ReplicatedBooks, ReplicatedCommit } from '../protocol/journal.ts'

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
