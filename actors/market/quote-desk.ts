import { setTimeout as sleep } from 'node:timers/promises'
import { ServiceError } from '../../src/domain/errors.ts'
import { DAY_MS } from '../../src/domain/exchange-time.ts'
import { STOCK_CODE } from '../../src/domain/instrument.ts'
import type { BandFeed } from '../../src/market/bands.ts'
import type { CloseRule } from '../../src/market/closes.ts'
import type { CodeTable } from '../../src/market/codes.ts'
import {
  type KeptQuote,
  layKept,
  newestMsOf,
  newestQuotes,
  withoutClose,
} from '../../src/market/kept-quotes.ts'
import type { MarketMemory } from '../../src/market/memory.ts'
import { QuoteReader, QuoteWriter, tickOf } from '../../src/market/quote-board.ts'
import { type MarketLog, type SavedApart, type SavedQuotes, Saver } from '../../src/market/saved.ts'
import type { Quote } from '../../src/ports/quotes.port.ts'
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
  readonly saved: SavedApart<SavedQuotes>
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

/** Longer than the exchange is ever closed: an older quote is of a process that is run no more. */
const CLOSED_MS_MAX = 15 * DAY_MS

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
  /** Times of the quotes that were saved and stand on the board, or did. */
  readonly #leftMs = new Map<string, number>()
  /** What was saved and stands on the board not yet, by code; what other processes have saved is in it. */
  readonly #kept = new Map<string, KeptQuote>()
  /** Of these, the codes that were on the board of this process. */
  #ours: ReadonlySet<string> = new Set()
  /** What was saved may stand on the board. */
  #isShown = false

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
      const isNew = codes.slotOf(code) === undefined
      const slot = codes.assign(code)
      if (slot === undefined) throw boardFull(codes.size)
      const kept = isNew && this.#isShown ? this.#kept.get(code) : undefined
      if (kept !== undefined) this.#show(slot, kept)
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

  /** What stands on the board, whoever has written it. */
  #quoteOf(code: string): Quote | undefined {
    const slot = this.#options.codes.slotOf(code)
    return slot === undefined ? undefined : this.#reader.read(slot)
  }

  /** By this process: what an earlier one has left may be of another day. */
  #isQuoted(code: string): boolean {
    const quote = this.#quoteOf(code)
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

  /** Reads what was saved of this source, and returns the newest of each code. Nothing is shown yet. */
  async load(): Promise<readonly Tick[]> {
    const { own, others } = await this.#load()
    this.#ours = new Set(newestQuotes(own).keys())
    const sets = [...own, ...others]
    const fromMs = Math.max(0, ...sets.map(newestMsOf)) - CLOSED_MS_MAX
    for (const [code, kept] of newestQuotes(sets)) {
      if (this.#ours.has(code) || kept.tick.time >= fromMs) this.#kept.set(code, kept)
    }
    return Array.from(this.#kept.values(), ({ tick }) => tick)
  }

  /**
   * Shows what was loaded of the codes of this process, where nothing newer stands, and returns it. What others have
   * saved takes a row when somebody watches the code: each would else show, and save again, the codes of all.
   */
  show(): readonly Tick[] {
    const { codes } = this.#options
    this.#isShown = true
    const shown: Tick[] = []
    for (const [code, kept] of this.#kept) {
      if (!this.#ours.has(code) && codes.slotOf(code) === undefined) continue
      this.#showUnlessQuoted(code, kept)
      this.#kept.delete(code)
      shown.push(kept.tick)
    }
    return shown
  }

  /** Before a live quote is written: what was saved of its code stands under it, and so the close of the day before. */
  lay(code: string): void {
    const kept = this.#kept.get(code)
    if (kept === undefined) return
    this.#kept.delete(code)
    this.#showUnlessQuoted(code, kept)
  }

  /**
   * The same of a recording that was played up to `playedMs`; null: not at all. Of quotes that were saved when it had
   * been played further, or not so far, nobody knows what the last price of a day was. Where another process has been
   * further, its prices are of a time that is still to come here.
   */
  async restoreReplay(playedMs: number | null): Promise<void> {
    const { codes } = this.#options
    const { own, others } = await this.#load()
    const sets = [...own, ...others.filter((set) => newestMsOf(set) <= (playedMs ?? 0))]
    const found = sets.find((set) => newestMsOf(set) === playedMs) ?? sets[0]
    if (found === undefined) return
    const isBehind = newestMsOf(found) !== playedMs
    for (const [code, kept] of newestQuotes([found])) {
      const slot = codes.assign(code)
      if (slot !== undefined) this.#show(slot, isBehind ? withoutClose(kept) : kept)
    }
  }

  /** The last quote of a code that another process has had fed. */
  keptElsewhere(code: string): Tick | undefined {
    return this.#kept.get(code)?.tick
  }

  #showUnlessQuoted(code: string, kept: KeptQuote): void {
    const slot = this.#quoteOf(code) !== undefined ? undefined : this.#options.codes.assign(code)
    if (slot !== undefined) this.#show(slot, kept)
  }

  #show(slot: number, kept: KeptQuote): void {
    const { memory, bars, closeRule } = this.#options
    layKept(new QuoteWriter(memory, closeRule), slot, kept)
    this.#leftMs.set(kept.tick.stock_code, kept.tick.time)
    bars.seed(slot, kept.tick)
  }

  /** What stands on the board, and what was saved before and has not come to stand there. */
  save(): Promise<void> {
    const { codes, sourceName } = this.#options
    const unshown = [...this.#kept].filter(
      ([code]) => this.#ours.has(code) && this.#quoteOf(code) === undefined,
    )
    const rows = [
      ...codes.codes.flatMap((code) => this.#standing(code) ?? []),
      ...unshown.map(([, kept]) => kept),
    ]
    const closes = rows.flatMap(({ tick, closes }) =>
      closes === undefined ? [] : [[tick.stock_code, closes] as const],
    )
    const ticks = rows.map(({ tick }) => tick)
    return this.#saver.save({ source: sourceName, ticks, closes: Object.fromEntries(closes) })
  }

  #standing(code: string): KeptQuote | undefined {
    const slot = this.#options.codes.slotOf(code)
    const quote = this.#quoteOf(code)
    if (slot === undefined || quote === undefined) return undefined
    return { tick: tickOf(code, quote), closes: this.#reader.closes(slot) }
  }

  /** Those of this source. */
  async #load() {
    const { saved, sourceName } = this.#options
    const isOfSource = ({ source }: SavedQuotes): boolean => source === sourceName
    const own = await saved.load()
    const others = await saved.others()
    return {
      own: own === undefined ? [] : [own].filter(isOfSource),
      others: others.filter(isOfSource),
    }
  }
}

const boardFull = (codes: number): ServiceError =>
  new ServiceError(
    'OVERLOADED',
    `行情板已满，共 ${codes} 个代码 (the quote board is full: ${codes} codes)`,
  )
