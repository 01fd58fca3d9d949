import type { KeptSnapshot, ReplicatedBooks, ReplicatedCommit } from '../protocol/journal.ts'

/**
 * The journal of the accounts that more than one computer may run, kept by a quorum of servers. The store
 * appends to it before it writes anything itself, so no database is ever ahead of it.
 */
export interface ReplicatedJournal {
  /**
   * Resolves once a quorum keeps the commit, in the order of the calls, with the place where it stands. While there
   * is no quorum it waits. `number` is that of the commit among all of the account.
   *
   * Errors  `NOT_OWNER`: another computer has taken the account over, this one may not act any more, or too much
   *         waits. Nothing after it is kept either, until the commit of its number comes again.
   */
  append(accountId: string, commit: ReplicatedCommit, number: number): Promise<number>
  /** All that is kept of an account. Errors  `NOT_OWNER`: there is no quorum to ask. */
  read(accountId: string): Promise<ReplicatedBooks>
  /** Keeps a snapshot of an account. Errors  of any kind: nothing is forgotten then. */
  keep(accountId: string, kept: KeptSnapshot): Promise<void>
}
