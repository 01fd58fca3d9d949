import { exchangeDay, exchangeDayNumber } from '../../src/domain/exchange-time.ts'
import type { CodeTable } from '../../src/market/codes.ts'
import { boardLimits } from '../../src/market/instruments.ts'
import type { QuoteReader, QuoteWriter } from '../../src/market/quote-board.ts'
import type { MarketLog } from '../../src/market/saved.ts'
import type { Instrument, MarketSource } from '../../src/ports/market-source.port.ts'

export interface InstrumentLimits {
  /** Codes of one question. */
  readonly instrumentsRowsMax: number
  /** Before a question that failed is asked again, or a code that was not told or was of yesterday: of that twice as long each time. Milliseconds. */
  readonly instrumentsRetryMs: number
  /** Questions about one code on one day. */
  readonly instrumentsTriesMax: number
}

export interface InstrumentDeskOptions {
  /** Undefined where the source knows nothing but ticks. */
  readonly ask: NonNullable<MarketSource['instruments']> | undefined
  readonly codes: CodeTable
  readonly reader: QuoteReader
  readonly writer: QuoteWriter
  /** Epoch milliseconds of a moment of the exchange day whose names and limits a terminal has by now. */
  readonly dayMs: () => number
  readonly monotonicMs: () => number
  readonly limits: InstrumentLimits
  /** Called with names that are new or others than before. */
  readonly named: (names: Readonly<Record<string, string>>) => void
  readonly log: MarketLog
}

/** A code that is not done with today. */
interface Asked {
  tries: number
  /** Monotonic milliseconds. */
  dueMs: number
  /** What was told, while no quote of today has confirmed or refuted it. */
  told: Instrument | undefined
  isWritten: boolean
  /** Of the row on the board when it was compared last: as long as that stands nothing else can be found. */
  seen: number
}

const NAMED_IN_LOG = 5

/**
 * Names and price limits of the codes that are fed, asked once an exchange day. What is told may still be of
 * yesterday: it counts when a quote of today gives the same close of the day before, and is asked again when that
 * gives another one. The board shows limits only beside such a quote.
 */
export class InstrumentDesk {
  readonly #options: InstrumentDeskOptions
  readonly #wanted = new Set<string>()
  readonly #open = new Map<string, Asked>()
  /** Never more than there are rows on the board. */
  readonly #names = new Map<string, string>()
  #dayNumber = Number.NaN
  #isAsking = false
  #dueMs = 0
  #isFailureTold = false

  constructor(options: InstrumentDeskOptions) {
    this.#options = options
  }

  /** The code is fed from now on, and asked about with the next {@link look}. */
  want(code: string): void {
    if (this.#options.ask === undefined || this.#wanted.has(code)) return
    this.#wanted.add(code)
    this.#open.set(code, fresh())
  }

  /** Names that are known of these codes. */
  namesOf(codes: Iterable<string>): Readonly<Record<string, string>> {
    const names: Record<string, string> = {}
    for (const code of codes) {
      const name = this.#names.get(code)
      if (name !== undefined) names[code] = name
    }
    return names
  }

  /** Compares what was told with the quotes, and asks about what is due. Resolves when the answer has been taken in. */
  async look(): Promise<void> {
    const { ask, monotonicMs } = this.#options
    if (ask === undefined) return
    this.#enterDay()
    this.#prove()
    if (this.#isAsking || monotonicMs() < this.#dueMs) return
    const codes = this.#due()
    if (codes.length === 0) return
    const dayNumber = this.#dayNumber
    this.#isAsking = true
    const told = await ask(codes).catch((error: unknown) => this.#failed(codes, error))
    this.#isAsking = false
    if (told !== undefined && dayNumber === this.#dayNumber) this.#take(codes, told)
  }

  #enterDay(): void {
    const dayNumber = exchangeDayNumber(this.#options.dayMs())
    if (dayNumber === this.#dayNumber) return
    this.#dayNumber = dayNumber
    this.#isFailureTold = false
    for (const code of this.#wanted) this.#open.set(code, fresh())
  }

  #due(): readonly string[] {
    const { codes, limits, monotonicMs } = this.#options
    const nowMs = monotonicMs()
    const due: string[] = []
    for (const [code, asked] of this.#open) {
      if (due.length === limits.instrumentsRowsMax) break
      const isDue = asked.told === undefined && asked.dueMs <= nowMs
      if (isDue && codes.slotOf(code) !== undefined) due.push(code)
    }
    return due
  }

  #take(codes: readonly string[], told: readonly Instrument[]): void {
    const byCode = new Map(told.map((instrument) => [instrument.code, instrument]))
    const names: Record<string, string> = {}
    for (const code of codes) {
      const asked = this.#open.get(code)
      if (asked === undefined) continue
      const instrument = byCode.get(code)
      asked.tries += 1
      if (instrument === undefined) this.#again(code, asked)
      else {
        asked.told = instrument
        asked.isWritten = false
        asked.seen = -1
        if (this.#isNewName(instrument)) names[code] = instrument.name
      }
    }
    for (const [code, name] of Object.entries(names)) this.#names.set(code, name)
    if (Object.keys(names).length > 0) this.#options.named(names)
    this.#prove()
  }

  #isNewName({ code, name }: Instrument): boolean {
    return name !== '' && this.#names.get(code) !== name
  }

  /** Not known, or not of today: a moment later it may be, or hours later, and few questions have to last so long. */
  #again(code: string, asked: Asked): void {
    const { limits, monotonicMs } = this.#options
    asked.told = undefined
    asked.dueMs = monotonicMs() + limits.instrumentsRetryMs * 2 ** (asked.tries - 1)
    if (asked.tries >= limits.instrumentsTriesMax) this.#open.delete(code)
  }

  /** Writes what was told beside its quote; done with what agrees with a quote of today, or has no limits to tell. */
  #prove(): void {
    const refuted: string[] = []
    for (const [code, asked] of this.#open) {
      if (asked.told === undefined) continue
      const found = this.#judge(code, asked, asked.told)
      if (found === 'settled') this.#open.delete(code)
      if (found !== 'refuted') continue
      refuted.push(code)
      this.#again(code, asked)
    }
    if (refuted.length === 0) return
    this.#options.log.warn(
      { count: refuted.length, codes: refuted.slice(0, NAMED_IN_LOG) },
      '合约信息的昨收与行情不符，其涨跌停价不采用 (instruments contradict the close of the day before of the quotes: their limits are not used)',
    )
  }

  #judge(code: string, asked: Asked, told: Instrument): 'open' | 'settled' | 'refuted' {
    const { codes, reader, writer } = this.#options
    const limits = boardLimits(told, this.#dayNumber)
    if (limits === undefined) return 'settled'
    const slot = codes.slotOf(code)
    if (slot === undefined || asked.seen === reader.sequence(slot)) return 'open'
    const quote = reader.read(slot)
    if (quote === undefined) return 'open'
    if (!asked.isWritten) writer.writeLimits(slot, limits)
    asked.isWritten = true
    asked.seen = reader.sequence(slot)
    const isOfToday = exchangeDayNumber(quote.timeMs) === this.#dayNumber
    if (!isOfToday || quote.lastClose === 0) return 'open'
    return quote.lastClose === told.lastClose ? 'settled' : 'refuted'
  }

  #failed(codes: readonly string[], error: unknown): undefined {
    const { log, limits, monotonicMs, dayMs } = this.#options
    this.#dueMs = monotonicMs() + limits.instrumentsRetryMs
    this.#putLast(codes)
    const reason = error instanceof Error ? error.message : String(error)
    const fields = { reason, day: exchangeDay(dayMs()) }
    if (!this.#isFailureTold) log.info(fields, 'no instruments for now: asked again')
    this.#isFailureTold = true
    return undefined
  }

  /** It may be these alone at which a terminal fails, and the others are not to wait for them. */
  #putLast(codes: readonly string[]): void {
    for (const code of codes) {
      const asked = this.#open.get(code)
      if (asked === undefined) continue
      this.#open.delete(code)
      this.#open.set(code, asked)
    }
  }
}

const fresh = (): Asked => ({ tries: 0, dueMs: 0, told: undefined, isWritten: false, seen: -1 })
