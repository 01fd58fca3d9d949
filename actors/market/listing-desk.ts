import { exchangeDay } from '../../src/domain/exchange-time.ts'
import type { MarketLog, Saved, SavedListing } from '../../src/market/saved.ts'
import type { MarketSource } from '../../src/ports/market-source.port.ts'
import type { ListedStock, MarketReplies } from '../../src/protocol/market.ts'

export interface ListingLimits {
  /** Codes of one list; what is beyond is left out. */
  readonly listingCodesMax: number
  /** Codes of one question about names. */
  readonly instrumentsRowsMax: number
  /** Before a question that failed is asked again, twice as long each time; milliseconds. */
  readonly instrumentsRetryMs: number
  /** Failed questions of one exchange day, then the list of an earlier one stays until the source has been away. */
  readonly instrumentsTriesMax: number
}

export interface ListingDeskOptions {
  /** Which market it is the list of: that of one is not shown under another. */
  readonly source: string
  /** Undefined where the source knows nothing but ticks. */
  readonly listed: NonNullable<MarketSource['listed']> | undefined
  readonly details: NonNullable<MarketSource['instruments']> | undefined
  readonly saved: Saved<SavedListing>
  /** Epoch milliseconds of a moment of the exchange day whose list a terminal has by now. */
  readonly dayMs: () => number
  readonly monotonicMs: () => number
  readonly limits: ListingLimits
  readonly log: MarketLog
}

/** A list that is being asked for. */
interface Draft {
  readonly day: string
  readonly codes: readonly string[]
  /** Of them, how many have been asked about. */
  asked: number
  readonly stocks: ListedStock[]
}

/**
 * What can be traded and how it is called, for people who look for a stock. Asked of the source once an exchange day, one
 * small question with each {@link look}, and kept on disk: until the list of a day is whole the one before stands, with
 * its day. Nothing is judged by it.
 */
export class ListingDesk {
  readonly #options: ListingDeskOptions
  #listing: SavedListing | undefined
  #draft: Draft | undefined
  #isAsking = false
  #isRestored = false
  #dueMs = 0
  #triesDay = ''
  #tries = 0

  constructor(options: ListingDeskOptions) {
    this.#options = options
  }

  /** Takes up the list of an earlier process. One that cannot be read is asked for anew. */
  async #restore(): Promise<void> {
    this.#isRestored = true
    const { saved, source, log } = this.#options
    try {
      const found = await saved.load()
      if (found?.source === source) this.#listing = found
    } catch (error) {
      log.warn({ err: error }, 'the list of stocks of an earlier process cannot be read')
    }
  }

  /** The list, but for somebody who has it already. */
  answer(known: string): MarketReplies['listing'] {
    const listing = this.#listing
    if (listing === undefined) return { version: '', day: null }
    const { source, day, stocks } = listing
    const version = `${source} ${day} ${stocks.length}`
    return known === version ? { version, day } : { version, day, stocks }
  }

  /** The source is there again: what it could not answer while it was away is asked anew. */
  again(): void {
    const { limits, monotonicMs } = this.#options
    this.#tries = 0
    this.#dueMs = Math.min(this.#dueMs, monotonicMs() + limits.instrumentsRetryMs)
  }

  /** The next question, when one is due. Resolves when its answer has been taken in. */
  async look(): Promise<void> {
    const { listed, details, dayMs, monotonicMs } = this.#options
    if (listed === undefined || details === undefined || this.#isAsking) return
    const day = exchangeDay(dayMs())
    this.#isAsking = true
    try {
      if (!this.#isRestored) await this.#restore()
      if (day === this.#listing?.day || !this.#mayTry(day) || monotonicMs() < this.#dueMs) return
      await this.#ask(day, listed, details)
    } catch (error) {
      this.#failed(day, error)
    } finally {
      this.#isAsking = false
    }
  }

  #mayTry(day: string): boolean {
    if (day !== this.#triesDay) {
      this.#triesDay = day
      this.#tries = 0
      this.#dueMs = 0
    }
    return this.#tries < this.#options.limits.instrumentsTriesMax
  }

  async #ask(
    day: string,
    listed: NonNullable<MarketSource['listed']>,
    details: NonNullable<MarketSource['instruments']>,
  ): Promise<void> {
    const { listingCodesMax, instrumentsRowsMax } = this.#options.limits
    const draft = this.#draft
    if (draft?.day !== day) {
      const codes = await listed()
      if (codes.length === 0) throw new Error('证券列表为空 (an empty list of stocks)')
      this.#draft = { day, codes: codes.slice(0, listingCodesMax), asked: 0, stocks: [] }
      return
    }
    const codes = draft.codes.slice(draft.asked, draft.asked + instrumentsRowsMax)
    for (const { code, name } of await details(codes)) {
      if (name !== '') draft.stocks.push([code, name])
    }
    draft.asked += codes.length
    if (draft.asked === draft.codes.length) await this.#complete(draft)
  }

  async #complete({ day, stocks }: Draft): Promise<void> {
    const { source, saved, log } = this.#options
    this.#draft = undefined
    if (stocks.length === 0) throw new Error('证券列表没有名称 (no stock of the list has a name)')
    this.#listing = { source, day, stocks }
    log.info({ day, stocks: stocks.length }, 'the list of stocks is that of today')
    await saved.save(this.#listing)
  }

  #failed(day: string, error: unknown): void {
    const { log, limits, monotonicMs } = this.#options
    // Hours later it may have one, and few questions have to last so long.
    this.#dueMs = monotonicMs() + limits.instrumentsRetryMs * 2 ** this.#tries
    this.#tries += 1
    const reason = error instanceof Error ? error.message : String(error)
    const fields = { reason, day, listOf: this.#listing?.day ?? null }
    if (this.#tries === 1) log.info(fields, 'no list of stocks for now: asked again')
  }
}
