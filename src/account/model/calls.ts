import type { QueryKind, QueryRows } from '../../protocol/driver.ts'

/** A call at the broker that has not been answered. */
export type PendingCall =
  | { readonly kind: 'connect' }
  | {
      readonly kind: 'submit'
      readonly clientOrderId: string
      /** Time of the quote that it was decided on; undefined: there was none. */
      readonly quoteMs?: number | undefined
    }
  | { readonly kind: 'cancel'; readonly clientOrderId: string; readonly ref: number | undefined }
  | {
      readonly kind: 'query'
      readonly what: QueryKind
      readonly purpose: QueryPurpose
      /** Wall clock. */
      readonly askedMs: number
    }
  /** With the orders in doubt whose submits it stands behind. */
  | { readonly kind: 'barrier'; readonly clientOrderIds: readonly string[] }

/** What a report is asked for. */
export type QueryPurpose =
  | 'recover'
  | 'poll'
  | 'books'
  | 'open'
  | 'doubt'
  | 'fills'
  | 'cancel'
  | 'ping'
  | 'reconcile'

/** All four reports as they stood after `askedMs`, wall clock. */
export interface DoubtPoll {
  readonly askedMs: number
  /** Number of its first call. */
  readonly askedAt: number
  /** Client order ids that could not arrive any more when it was asked for: lists say all of them. */
  readonly cleared: ReadonlySet<string>
  readonly reports: ReadonlyMap<QueryKind, QueryRows>
}
