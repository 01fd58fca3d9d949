import type { Bar, BasePeriod } from '../domain/bar.ts'

/** Bars of one code and one day (`1m`) or one year (`1d`), in the order of time. */
export interface BarRows {
  /** `2026-08-11` or `2026`. */
  readonly chunk: string
  /** Packed, see `packBars`. */
  readonly bars: Uint8Array
}

export interface BarQuery {
  readonly code: string
  readonly period: BasePeriod
  /** Chunks, both inclusive. */
  readonly from: string
  readonly to: string
  /** Rows in one answer. */
  readonly limit: number
}

/** Bars that are to be put to what is stored; where both have a bar they are joined. */
export interface BarChange {
  readonly code: string
  readonly period: BasePeriod
  /** In the order of time. */
  readonly bars: readonly Bar[]
}

/** The first quote of a code: where what was invented ends and what was seen begins. */
export interface FirstSeen {
  readonly code: string
  /** `2026-08-11`. */
  readonly day: string
  /** Close of the day before, ten-thousandths of a yuan. */
  readonly close: number
}

/** Where the market keeps its bars, apart from all account state. */
export interface BarStore {
  rows(query: BarQuery): readonly BarRows[]
  firstSeen(code: string): FirstSeen | undefined
  /** On disk when it resolves; a first quote that is known already stays. Errors  those of the disk. */
  save(changes: readonly BarChange[], seen: readonly FirstSeen[]): Promise<void>
  /** The first code behind this one of which there is a bar, also when nobody asks for it any more; '' begins. */
  nextCode(after: string): string | undefined
  /** Forgets minutes of days before `day`. */
  forget(code: string, beforeDay: string): Promise<void>
  close(): Promise<void>
}

/** Keeps nothing and has nothing. */
export const NO_BARS: BarStore = {
  rows: () => [],
  firstSeen: () => undefined,
  save: async () => undefined,
  nextCode: () => undefined,
  forget: async () => undefined,
  close: async () => undefined,
}
/** Days of a code, both inclusive (`2026-08-11`). */
export interface BarsWanted {
  readonly code: string
  readonly period: BasePeriod
  readonly from: string
  readonly to: string
}
/** Gets bars from outside. Errors  `CONFLICT` with what the source says. */
export type FetchBars = (wanted: BarsWanted) => Promise<readonly Bar[]>
