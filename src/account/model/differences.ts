import type { QueryKind } from '../../protocol/driver.ts'

/** What was done about a difference. The broker is followed wherever it can be. */
export type Resolution =
  /** Our row now says what theirs says. */
  | 'followed'
  /** An order or a holding that this service did not make is now in the books. */
  | 'adopted'
  /** An order of ours that an older database had lost is in the books again. */
  | 'recovered'
  /** A deal that no push had told of is booked. */
  | 'booked_late'
  /** Confirmed missing at the broker: the holding is closed. */
  | 'closed'
  /** The broker no longer shows what it once did: our row stays as it is. */
  | 'kept'

/** One thing on which our books and the broker did not agree. */
export interface Difference {
  /** 1, 2, 3 … per account. */
  readonly id: number
  /** Epoch ms of the market clock. */
  readonly timeMs: number
  readonly kind: 'order' | 'deal' | 'position' | 'cash'
  /** Order number, deal key, stock code, or `cash`. */
  readonly key: string
  /** In words; empty when our books had no such thing. */
  readonly ours: string
  /** In words; empty when the report has no such thing. */
  readonly theirs: string
  readonly resolution: Resolution
  /** It came about while there was no connection, or no process. */
  readonly whileAway: boolean
}

/** A report that could not be used, and why. */
export interface FailedReport {
  readonly what: QueryKind
  readonly reason: string
}

/** One comparison of all four reports with our books. */
export interface ReconcileRun {
  /** The first comparison of an account that has no books yet finds nothing to compare with. */
  readonly cause: 'first' | 'restore' | 'start' | 'reconnect' | 'periodic'
  /** Market clock and wall clock of its begin. */
  readonly atMs: number
  readonly startedWallMs: number
  durationMs: number
  /** Reports that are still to come. */
  readonly open: Set<QueryKind>
  readonly failed: FailedReport[]
  found: number
}
