import type { Commit, Opened, RangeQuery, Row, TableName } from '../protocol/store.ts'

/** The database of one account, as its actor sees it. Every implementation passes `test/contract/store`. */
export interface AccountStore {
  /** The whole of the named tables, the epoch that was claimed and the last journal number. */
  open(tables: readonly TableName[]): Promise<Opened>
  /**
   * Durable when it resolves. Commits take effect in the order of the calls.
   *
   * Errors  `NOT_OWNER` when another process has claimed the account since; `STORE_FAILED` when the
   *         disk refused. Either way nothing of this commit was written, and the actor must end.
   */
  commit(commit: Commit): Promise<void>
  /**
   * The trading client has seen an owner of this epoch, later than ours.
   *
   * Errors  `NOT_OWNER` when another process has claimed the account; otherwise the books are older
   *         than the client's memory, and the next claim goes beyond it.
   */
  clientAhead?(clientEpoch: number): Promise<void>
  range(query: RangeQuery): Promise<readonly Row[]>
}
