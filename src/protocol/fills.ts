import type { StockCode } from '../domain/instrument.ts'
import type { Side } from '../domain/order.ts'

/** A page of the trade records of an account, newest first, and the sums over all that match. */
export interface FillsQuestion {
  /** Exchange days, both included; null = no bound. */
  readonly from: string | null
  readonly to: string | null
  /** null = both. */
  readonly side: Side | null
  /** As it is stored; null = all. */
  readonly strategy: string | null
  /** Part of a code, a name or a note, in any case; empty = all. */
  readonly word: string
  /** 1 … {@link FILLS_PAGE_MAX}. */
  readonly limit: number
  /** Records with a lower number than this; null = the newest. Such a page has no sums. */
  readonly before: number | null
}
export const FILLS_PAGE_MAX = 1_000
export const FILLS_PAGE_DEFAULT = 100

/** The fields of an answer as they are shown, and the rows of the database that were looked at for it. */
export interface FillsAnswer {
  readonly fields: object
  readonly looked: number
}

/** Writes a note beside a trade record, changes or deletes it. */
export interface NoteFill {
  readonly kind: 'noteFill'
  /** Serial number of the record. */
  readonly fillId: number
  /** Well-formed text without control characters but line feeds; null: none. */
  readonly note: string | null
  /** The note as whoever asks has seen it; null: none. */
  readonly expected: string | null
  readonly source: string
  /** Of the record, as the account's thread has found it in the database; absent: there is no such record. */
  readonly code?: StockCode
}

/** The note as it stands now, and whether this request has changed it. */
export interface FillNoted {
  readonly note: string | null
  readonly isChanged: boolean
}
