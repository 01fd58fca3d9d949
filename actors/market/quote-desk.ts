import { setTimeout as sleep } from 'node:timers/promises'
import { ServiceError } from '../../src/domain/errors.ts'
import { STOCK_CODE } from '../../src/domain/instrument.ts'
import type { BandFeed } from '../../src/market/bands.ts'
import type { CodeTable } from '../../src/market/codes.ts'
import type { MarketMemory } from '../../src/market/memory.ts'
import {
  type CloseRule,
  type Closes,
  QuoteReader,
  QuoteWriter,
  tickOf,
} from '../../src/market/quote-board.ts'
import { type MarketLog, type Saved, type SavedQuotes, Saver } from '../../src/market/saved.ts'
import type { MarketReplies, Tick, Watch } from '../../src/protocol/market.ts'
import type { BarDesk } from './bar-desk.ts'

export interface QuoteDeskOptions {
  /** Quotes of one source are not shown under another. */
  readonly sourceName: string
  readonly memory: MarketMemory
  readonly closeRule: CloseRule
  readonly codes: CodeTable
  readonly bands: BandFeed
  readonly bars: BarDesk
  readonly saved: Saved<SavedQuotes>
  /** Rows kept free for codes that are held: asking for ticks creates none beyond. */
  readonly codesReserved: number
  /** Has a code fed from now on; the hint is a price near which it may begin. */
  readonly want: (code: string, hint: number) => void
  /** Whether a code that nobody holds is fed because somebody asks for it. */
  readonly isFedOnAsking: () => boolean
  /** Milliseconds that only go forward. */
  readonly monotonicMs: () => number
  readonly log: MarketLog
}

/** Between two looks for a first quote, milliseconds: short for a person, and nothing for a processor. */
const LOOK_MS = 10

/** The rows of the quote board: who gets one, what stands in them, and what is kept of them for the next process. */
export class QuoteDesk {
  readonly #options: QuoteDeskOptions
  readonly #reader: QuoteReader
  readonly #saver: Saver<SavedQuotes>
  /** When a code without a quote was first wanted, monotonic milliseconds; never more than there are rows. */
  readonly #wantedMs = new Map<string, number>()
  /** Codes that the source was asked for in this life of the market: what was restored is fed to nobody yet. */
  readonly #fed = new Set<string>()
  /** Times of the quotes that an earlier process has left. */
  readonly #leftMs = new Map<string, number>()

  constructor(options: QuoteDeskOptions) {
    this.#options = options
    this.#reader = new QuoteReader(options.memory)
    this.#saver = new Saver(options.saved, options.log)
  }

  /** Errors  `OVERLOADED`: the board is full. */
  watch(watches: readonly Watch[], actor: number | undefined): MarketReplies['watch'] {
    const { codes, bands } = this.#options
    const slots: Record<string, number> = {}
    for (const { code, hint } of watches) {
      const slot = codes.assign(code)
      if (slot === undefined) throw boardFull(codes.size)
      if (actor !== undefined) bands.watch(slot, actor)
      this.#want(code, hint)
      slots[code] = slot
    }
    return { slots }
  }

  /** Errors  `OVERLOADED`: no row is left for codes that nobody holds. */
  ticks(codes: readonly string[]): MarketReplies['ticks'] {
    const ticks: Record<string, Tick> = {}
    for (const code of codes) {
      const slot = this.slotAsked(code)
      const quote = slot === undefined ? undefined : this.#reader.read(slot)
      if (quote !== undefined) ticks[code] = tickOf(code, quote)
    }
    return { ticks }
  }

  /**
   * Has codes fed that nobody has asked for before, and resolves when each has its first quote or was
   * wanted `waitMs` ago. A source that feeds only what it has is not waited for.
   *
   * Errors  `OVERLOADED`: no row is left for codes that nobody holds.
   */
  async firstQuotes(codes: readonly string[], waitMs: number): Promise<void> {
    for (const code of codes) this.slotAsked(code)
    const { isFedOnAsking, monotonicMs } = this.#options
    const isAwaited = (code: string): boolean => {
      const wantedMs = this.#wantedMs.get(code)
      if (wantedMs === undefined) return false
      if (this.#isQuoted(code)) this.#wantedMs.delete(code)
      else if (monotonicMs() - wantedMs < waitMs) return true
      return false
    }
    while (isFedOnAsking() && codes.some(isAwaited)) await sleep(LOOK_MS)
  }

  /** By this process: what an earlier one has left may be of another day. */
  #isQuoted(code: string): boolean {
    const slot = this.#options.codes.slotOf(code)
    const quote = slot === undefined ? undefined : this.#reader.read(slot)
    return quote !== undefined && quote.timeMs !== this.#leftMs.get(code)
  }

  #want(code: string, hint: number): void {
    const { want, monotonicMs } = this.#options
    if (!this.#wantedMs.has(code) && !this.#isQuoted(code)) this.#wantedMs.set(code, monotonicMs())
    this.#fed.add(code)
    want(code, hint)
  }

  /** Where any code can be fed, asking has it fed; the first quote may be a moment away. */
  slotAsked(code: string, hint = 0): number | undefined {
    const { codes, memory, codesReserved, isFedOnAsking } = this.#options
    const known = codes.slotOf(code)
    if (this.#fed.has(code) || !isFedOnAsking() || !STOCK_CODE.test(code)) return known
    if (known === undefined) {
      const taken = codes.size + this.#awaitedRows()
      if (memory.codesMax - taken <= codesReserved) throw boardFull(taken)
    }
    this.#want(code, hint)
    return codes.slotOf(code)
  }

  /** The same for another computer, which is told nothing where no row is left: codes that are held here come first. */
  askedElsewhere(code: string, hint: number): Tick | undefined {
    try {
      const slot = this.slotAsked(code, hint)
      const quote = slot === undefined ? undefined : this.#reader.read(slot)
      return quote && tickOf(code, quote)
    } catch (error) {
      if (error instanceof ServiceError) return undefined
      throw error
    }
  }

  /** Codes that will take a row with their first quote. */
  #awaitedRows(): number {
    let count = 0
    for (const code of this.#wantedMs.keys()) {
      if (this.#options.codes.slotOf(code) === undefined) count += 1
    }
    return count
  }

  /** What an earlier process saved of this source. */
  async load(): Promise<readonly Tick[]> {
    return (await this.#load())?.ticks ?? []
  }

  /**
   * Shows what an earlier process saved, and returns it. Of a recording that was played further than to
   * `playedMs` when it was saved, or not so far, nobody knows what the last price of a day was.
   */
  async restore(playedMs?: number | null): Promise<readonly Tick[]> {
    const { memory, codes, bars, closeRule } = this.#options
    const { ticks = [], closes = {} } = (await this.#load()) ?? {}
    const newestMs = ticks.reduce((newest, { time }) => Math.max(newest, time), 0)
    const isBehind = playedMs !== undefined && playedMs !== newestMs
    const writer = new QuoteWriter(memory, closeRule)
    for (const tick of ticks) {
      const slot = codes.assign(tick.stock_code)
      if (slot === undefined) continue
      writer.write(slot, tick)
      this.#leftMs.set(tick.stock_code, tick.time)
      const [closeBefore, lastCloseBefore, close] = closes[tick.stock_code] ?? NO_CLOSES
      const isKept = closes[tick.stock_code] !== undefined
      if (isBehind) writer.restoreCloses(slot, [closeBefore, lastCloseBefore, 0])
      else if (isKept) writer.restoreCloses(slot, [closeBefore, lastCloseBefore, close])
      bars.seed(slot, tick)
    }
    return ticks
  }

  save(): Promise<void> {
    const { codes, sourceName } = this.#options
    const { ticks } = this.ticks(codes.codes)
    const closes: Record<string, Closes> = {}
    for (const code of Object.keys(ticks)) {
      const slot = codes.slotOf(code)
      const known = slot === undefined ? undefined : this.#reader.closes(slot)
      if (known !== undefined) closes[code] = known
    }
    return this.#saver.save({ source: sourceName, ticks: Object.values(ticks), closes })
  }

  async #load(): Promise<SavedQuotes | undefined> {
    const { saved, sourceName } = this.#options
    const stored = await saved.load()
    return stored?.source === sourceName ? stored : undefined
  }
}

const NO_CLOSES: Closes = [0, 0, 0]

const boardFull = (codes: number): ServiceError =>
  new ServiceError(
    'OVERLOADED',
    `行情板已满，共 ${codes} 个代码 (the quote board is full: ${codes} codes)`,
  )
