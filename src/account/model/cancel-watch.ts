/** A cancel without a confirmed end. */
export interface CancelWatch {
  /** Calls so far. */
  readonly tries: number
  /** Also after a refusal: a time limit wants it, not a person who reads the answer. */
  readonly isPersistent: boolean
  /** Not sent yet: the number may be another order's. */
  readonly isHeld?: boolean
}

/** Wall clock of the last try to cancel an order, and how many there were. */
export interface CancelTry {
  readonly atMs: number
  readonly count: number
}
