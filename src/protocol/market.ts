import type { BasePeriod } from '../domain/bar.ts'

/** One quote as it travels and is shown; the board keeps the same in ten-thousandths of a yuan. */
export interface Tick {
  /** Epoch milliseconds. */
  readonly time: number
  /** Suffixed code. */
  readonly stock_code: string
  /** Yuan; 0 = none. */
  readonly lastPrice: number
  readonly open: number
  readonly high: number
  readonly low: number
  readonly lastClose: number
  readonly volume: number
  readonly amount: number
  /** Five levels each; 0 = no such level. */
  readonly bidPrice: readonly number[]
  readonly askPrice: readonly number[]
  readonly bidVol: readonly number[]
  readonly askVol: readonly number[]
}

/** A code that somebody wants quotes of, with a price to start a simulated walk from (ten-thousandths, 0 = none). */
export interface Watch {
  readonly code: string
  readonly hint: number
}

/** A stock of the list of a market, by its suffixed code. */
export type ListedStock = readonly [code: string, name: string]

export interface ReplayStatus {
  readonly state: 'idle' | 'playing' | 'paused' | 'finished'
  readonly ticks_played: number
  readonly ticks_total: number
  readonly bad_lines: number
  /** Epoch milliseconds of the latest tick, null before the first. */
  readonly time: number | null
}

/** Packed bars in the order of time; the last one may repeat a bar that is still open. */
export interface BarsPage {
  /** Where they come from: what was invented is not taken for what was traded. */
  readonly source: string
  readonly bars: readonly Uint8Array[]
  /** null: this was the last page. */
  readonly next: string | null
}

/** Where quotes of other computers come from. */
export interface QuotesFrom {
  /** Those whose quotes go on: their node, the source that they have, and of how many codes. */
  readonly nodes: readonly {
    readonly node: string
    readonly source: string
    readonly codes: number
  }[]
  /** Codes that are wanted here. */
  readonly wanted: number
  /** Of these, the ones whose quotes do not go on now. */
  readonly silent: number
  /** Whether the servers between them are reached. */
  readonly isConnected: boolean
}

/** Where the quotes of a market come from, and go to. */
export interface QuoteOrigin {
  /** Of the configuration. */
  readonly source: string
  /** Absent where they come from this computer. */
  readonly from?: QuotesFrom
  /** Codes whose quotes are sent to other computers. */
  readonly given: number
}

/** Requests to the market thread, from accounts, the paper client and the front. */
export type MarketRequest =
  /** Begins to feed; asked once the accounts of the process are ready. Answered when the day is open and the first quotes are out. */
  | { readonly kind: 'start' }
  /** Answers the board slot of each code; from now on they are fed. */
  | { readonly kind: 'watch'; readonly codes: readonly Watch[] }
  /**
   * Quotes of codes; those without one are left out. Where the source feeds what is asked for, asking has a
   * new code fed, and with `waitMs` the answer waits so long from then on for its first quote.
   */
  | { readonly kind: 'ticks'; readonly codes: readonly string[]; readonly waitMs?: number }
  /**
   * Stored bars of a code from day to day (`2026-08-11`), both inclusive, a page at a time; `after` is
   * the `next` of the page before. Days come by the whole year.
   */
  | {
      readonly kind: 'bars'
      readonly code: string
      readonly period: BasePeriod
      readonly from: string
      readonly to: string
      readonly after?: string
    }
  /** How many bars such a page holds, without carrying them: what is too much is refused before it is read. */
  | {
      readonly kind: 'barCount'
      readonly code: string
      readonly period: BasePeriod
      readonly from: string
      readonly to: string
      readonly after?: string
    }
  /** Gets the bars of these days from the source. Doing it twice changes nothing. */
  | {
      readonly kind: 'download'
      readonly code: string
      readonly period: BasePeriod
      readonly from: string
      readonly to: string
    }
  /** The broker has shown a row of this time, epoch ms: asked only while the clock is in doubt. */
  | { readonly kind: 'brokerTime'; readonly timeMs: number }
  /** What can be traded and how it is called; `known`: the version that the asker has. */
  | { readonly kind: 'listing'; readonly known: string }
  | { readonly kind: 'origin' }
  | { readonly kind: 'replayStatus' }
  /** `until` epoch ms inclusive; `speed` a factor or "max". Answers when the play has begun. */
  | { readonly kind: 'replayPlay'; readonly until?: number; readonly speed?: number | 'max' }
  | { readonly kind: 'replayPause' }
  | { readonly kind: 'replayRewind' }
  /** Saves the position and stops feeding; the answer comes when all is quiet. */
  | { readonly kind: 'stop' }

export interface MarketReplies {
  start: null
  watch: {
    readonly slots: Readonly<Record<string, number>>
    /** What is known by now of how they are called. */
    readonly names?: Readonly<Record<string, string>>
  }
  ticks: { readonly ticks: Readonly<Record<string, Tick>> }
  bars: BarsPage
  barCount: { readonly count: number; readonly next: string | null }
  /** `isWhole`: nothing is left to get, whatever other days are asked for. */
  download: { readonly isWhole: boolean }
  brokerTime: null
  listing: {
    /** Empty: the market has told none. */
    readonly version: string
    /** Exchange day of the list. */
    readonly day: string | null
    /** Absent when the asker has them. */
    readonly stocks?: readonly ListedStock[]
  }
  origin: QuoteOrigin
  replayStatus: ReplayStatus
  replayPlay: ReplayStatus
  replayPause: ReplayStatus
  replayRewind: ReplayStatus
  stop: null
}

/** What the market tells accounts and the paper client besides the wake-up. */
export type MarketEvent =
  /** The clock entered this exchange day (`2026-08-11`). */
  | { readonly kind: 'dayOpened'; readonly day: string; readonly timeMs: number }
  /** The clock of the computer jumped and is not followed; milliseconds, negative: back. */
  | { readonly kind: 'clockDoubted'; readonly offMs: number }
  /** It is followed again; `shiftMs`: by how much the market clock was set for it, 0 = the computer's came back. */
  | { readonly kind: 'clockTrusted'; readonly shiftMs: number }
  /** The source gives quotes, for the first time or after it had been away. */
  | { readonly kind: 'terminalSeen' }
  /** Some watched code left its band; which ones is in shared memory. */
  | { readonly kind: 'wakeUp' }
  /** What stocks are called, by code: those that became known, of whoever wants them. */
  | { readonly kind: 'named'; readonly names: Readonly<Record<string, string>> }
  /** The clock has passed the moment at which this account wanted to be woken. */
  | { readonly kind: 'alarm' }
