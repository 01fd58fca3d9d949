/** Questions about what an account has earned. Days are exchange days, both ends included. */
export type EarningsQuestion =
  | { readonly about: 'summary'; readonly span: DaySpan }
  | { readonly about: 'sales'; readonly span: DaySpan; readonly page: EarningsPage }
  | { readonly about: 'closed'; readonly span: DaySpan; readonly page: EarningsPage }
  /** `span` null: the minutes of the newest day. */
  | { readonly about: 'equity'; readonly span: DaySpan | null }
  /** `2026-08`. */
  | { readonly about: 'statement'; readonly month: string }

export interface DaySpan {
  readonly from: string
  readonly to: string
}

export interface EarningsPage {
  /** 1 … {@link EARNINGS_PAGE_MAX}. */
  readonly limit: number
  /** Rows before this one, as an earlier answer named it; empty: the newest. */
  readonly before: string
}
export const EARNINGS_PAGE_MAX = 500
export const EARNINGS_PAGE_DEFAULT = 100
/** A day and a number, as rows are kept by. */
export const EARNINGS_CURSOR = /^\d{4}-\d{2}-\d{2}\/\d{9}$/

/** The fields of an answer as they are shown, and the rows of the database that were looked at for it. */
export interface EarningsAnswer {
  readonly fields: object
  readonly looked: number
}
