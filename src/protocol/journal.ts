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
