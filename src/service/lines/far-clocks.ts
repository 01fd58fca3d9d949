/** What the steady clock of whoever runs an account shows at most, under this epoch. */
export interface FarTime {
  readonly epoch: number
  readonly ms: number
}

interface Kept {
  readonly epoch: number
  /** By so much that clock is ahead of ours, at most. ms */
  readonly aheadMs: number
  /** Of our clock. */
  readonly sinceMs: number
}

/**
 * The steady clocks of the nodes that run accounts elsewhere, which have nothing to do with ours. An answer says when its
 * call was heard there, which was not before it was sent here; so a node can tell how long the next call has been on
 * its way, but for what that one had taken. Those of a wall may be wrong, and are not asked.
 */
export class FarClocks {
  readonly #keepMs: number
  readonly #kept = new Map<string, Kept>()

  /** After `keepMs` what was found counts no more than what is found then: two clocks run apart. */
  constructor(keepMs: number) {
    this.#keepMs = keepMs
  }

  /** A call that was sent at `sentMs` of our clock was heard then. One that has found its way faster tells more. */
  heard(accountId: string, { epoch, ms }: FarTime, sentMs: number): void {
    const aheadMs = ms - sentMs
    const kept = this.#kept.get(accountId)
    if (kept !== undefined && epoch < kept.epoch) return
    const isSame = kept?.epoch === epoch && sentMs - kept.sinceMs <= this.#keepMs
    if (isSame && kept.aheadMs < aheadMs) return
    this.#kept.set(accountId, { epoch, aheadMs, sinceMs: sentMs })
  }

  /** At this moment of our clock; undefined: nothing is known of it. */
  at(accountId: string, nowMs: number): FarTime | undefined {
    const kept = this.#kept.get(accountId)
    return kept && { epoch: kept.epoch, ms: nowMs + kept.aheadMs }
  }

  /** Nobody here asks for the account any more. */
  forget(accountId: string): void {
    this.#kept.delete(accountId)
  }
}
