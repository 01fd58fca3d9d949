import type { ListedStock, ReplayStatus, Tick } from '../protocol/market.ts'
import type { Closes } from './closes.ts'

/** One record that outlives the process. The newest save wins; both may fail with a `ServiceError`. */
export interface Saved<T> {
  load(): Promise<T | undefined>
  save(value: T): Promise<void>
}

/** A record that each process of a data folder has of its own: what one saves, no other one writes over. */
export interface SavedApart<T> extends Saved<T> {
  /** Those of other processes that count here too, in no order. Fails as {@link Saved.load} does. */
  others(): Promise<readonly T[]>
}

/** How far a replay has come: all that lies before `offset` has been played. */
export interface ReplayPosition {
  /** Byte in the file. */
  readonly offset: number
  /** Lines before `offset`. */
  readonly line: number
  readonly ticks: number
  readonly bad: number
  /** Epoch milliseconds of the latest tick, null before the first. */
  readonly timeMs: number | null
}

export interface SavedReplay {
  /** The identity of the file: another file starts at 0. */
  readonly file: string
  readonly state: ReplayStatus['state']
  readonly position: ReplayPosition
  /** The market clock; a restarted process never shows less. */
  readonly clockMs: number
  /** Of the play that was under way. */
  readonly untilMs: number | null
  /** Chosen by the operator; null = the configured one. */
  readonly speed: number | 'max' | null
  /** Of the whole file, once counted. */
  readonly total: { readonly ticks: number; readonly bad: number } | null
}

/** The last quote of every code. */
export interface SavedQuotes {
  /** The source they came from: quotes of one are not shown under another. */
  readonly source: string
  readonly ticks: readonly Tick[]
  /** By code; absent in what was saved before there were any. */
  readonly closes?: Readonly<Record<string, Closes>>
}

/** The checked clock as it was last trusted. */
export interface SavedClock {
  /** Market clock, epoch ms. */
  readonly timeMs: number
  /** Of the computer at that moment. */
  readonly uptimeMs: number
  /** By which the wall had been believed before, while no quote has proved it since. */
  readonly unprovenMs?: number
}

/** What can be traded and how it is called, as the source has told it. */
export interface SavedListing {
  readonly source: string
  /** Exchange day on which it was told. */
  readonly day: string
  readonly stocks: readonly ListedStock[]
}

/** Where the market keeps what outlives the process. What all processes see alike is one record. */
export interface SavedMarket {
  readonly replay: SavedApart<SavedReplay>
  readonly quotes: SavedApart<SavedQuotes>
  readonly clock: Saved<SavedClock>
  readonly listing: Saved<SavedListing>
}

type Log = (fields: Readonly<Record<string, unknown>>, message: string) => void

/** What the market needs of a logger. */
export interface MarketLog {
  readonly info: Log
  readonly warn: Log
  readonly error: Log
}

/**
 * Saves the newest value: at most one save is under way and at most one waits. A save that fails
 * is logged and left to the next one: what is saved here can be repeated.
 */
export class Saver<T> {
  readonly #saved: Saved<T>
  readonly #log: MarketLog
  #waiting: T | undefined
  #running: Promise<void> | undefined

  constructor(saved: Saved<T>, log: MarketLog) {
    this.#saved = saved
    this.#log = log
  }

  /** Resolves when this value, or a newer one, is saved or has failed to be. */
  save(value: T): Promise<void> {
    this.#waiting = value
    this.#running ??= this.#run().finally(() => {
      this.#running = undefined
    })
    return this.#running
  }

  async #run(): Promise<void> {
    while (this.#waiting !== undefined) {
      const value = this.#waiting
      this.#waiting = undefined
      try {
        await this.#saved.save(value)
      } catch (error) {
        this.#log.warn({ err: error }, 'the market could not save its position')
      }
    }
  }
}
