import { setTimeout as delay } from 'node:timers/promises'
import { ServiceError } from '../../../domain/errors.ts'
import type { StockCode } from '../../../domain/instrument.ts'
import type { Price } from '../../../domain/money.ts'
import type { Bands, Quote, Quotes } from '../../../ports/quotes.port.ts'
import type { Watch } from '../../../protocol/market.ts'

export interface TapeLimits {
  /** How long the market has to answer when books are opened, on a computer on which much else starts. */
  readonly openWatchMs: number
  /** How long an order waits for the first quote of a code that was not fed until then. */
  readonly firstQuoteWaitMs: number
}

export interface TapeOptions {
  readonly quotes: Quotes
  readonly bands: Bands
  /** Asks the market thread for board slots, and waits so long or as long as usual; rejects with a ServiceError. */
  readonly watch: (
    codes: readonly Watch[],
    timeoutMs?: number,
  ) => Promise<Readonly<Record<string, number>>>
  readonly limits: TapeLimits
}

/** A band that every tick leaves. */
const EVERY_TICK = { low: 1, high: 0 } as const

/** The market as the paper client sees it: quotes by code, and a wake-up for codes where orders wait. */
export class Tape {
  readonly #options: TapeOptions
  readonly #slots = new Map<StockCode, number>()
  readonly #codes = new Map<number, StockCode>()
  /** How many want every tick of a code. */
  readonly #armed = new Map<StockCode, number>()
  readonly #waiting = new Map<StockCode, Set<() => void>>()

  constructor(options: TapeOptions) {
    this.#options = options
  }

  quote(code: StockCode): Quote | undefined {
    const slot = this.#slots.get(code)
    return slot === undefined ? undefined : this.#options.quotes.read(slot)
  }
  /** Last price, 0 when there is none. */
  price(code: StockCode): Price {
    return this.quote(code)?.lastPrice ?? (0 as Price)
  }

  /** Has these codes fed from now on. A market that does not answer leaves them unknown. */
  async watch(watches: readonly Watch[]): Promise<void> {
    await this.#tryToWatch(watches)
  }

  /**
   * The same for codes of open books: orders that rest in one that stays unknown would never be matched. So the
   * market is asked until it answers, as long as anybody wants to know.
   */
  async watchOpened(watches: readonly Watch[], isWanted: () => boolean): Promise<void> {
    const { openWatchMs, firstQuoteWaitMs } = this.#options.limits
    while (isWanted() && !(await this.#tryToWatch(watches, openWatchMs))) {
      await delay(firstQuoteWaitMs, undefined, { ref: false })
    }
  }

  async #tryToWatch(watches: readonly Watch[], timeoutMs?: number): Promise<boolean> {
    const unknown = watches.filter(({ code }) => !this.#slots.has(code as StockCode))
    if (unknown.length === 0) return true
    try {
      const slots = await this.#options.watch(unknown, timeoutMs)
      for (const [code, slot] of Object.entries(slots)) this.#learn(code as StockCode, slot)
      return true
    } catch (error) {
      if (!(error instanceof ServiceError)) throw error
      return false
    }
  }

  /** Resolves when the code has a quote, or the wait for it is over. */
  async firstQuote(watch: Watch): Promise<void> {
    const code = watch.code as StockCode
    await this.watch([watch])
    if (!this.#slots.has(code)) return
    this.arm(code)
    try {
      if (this.quote(code) === undefined) await this.#nextTick(code)
    } finally {
      this.disarm(code)
    }
  }

  /** Rings at every tick of the code until it is disarmed as often as it was armed. */
  arm(code: StockCode): void {
    const count = this.#armed.get(code) ?? 0
    this.#armed.set(code, count + 1)
    if (count === 0) this.#ringOn(code)
  }
  disarm(code: StockCode): void {
    const count = this.#armed.get(code) ?? 0
    if (count > 1) {
      this.#armed.set(code, count - 1)
      return
    }
    this.#armed.delete(code)
    const slot = this.#slots.get(code)
    if (slot !== undefined) this.#options.bands.clear(slot)
  }

  /** Codes that have ticked since the last call, in the order of their slots. */
  takeTicked(): readonly StockCode[] {
    const codes: StockCode[] = []
    for (const slot of [...this.#options.bands.takeCrossed()].sort((a, b) => a - b)) {
      const code = this.#codes.get(slot)
      if (code === undefined) continue
      codes.push(code)
      for (const resolve of this.#waiting.get(code) ?? []) resolve()
    }
    return codes
  }

  #learn(code: StockCode, slot: number): void {
    this.#slots.set(code, slot)
    this.#codes.set(slot, code)
    if (this.#armed.has(code)) this.#ringOn(code)
  }

  #ringOn(code: StockCode): void {
    const slot = this.#slots.get(code)
    if (slot !== undefined) this.#options.bands.set(slot, EVERY_TICK.low, EVERY_TICK.high)
  }

  #nextTick(code: StockCode): Promise<void> {
    return new Promise((resolve) => {
      const waiting = this.#waiting.get(code) ?? new Set()
      this.#waiting.set(code, waiting)
      const finish = () => {
        clearTimeout(timer)
        waiting.delete(finish)
        resolve()
      }
      const timer = setTimeout(finish, this.#options.limits.firstQuoteWaitMs)
      waiting.add(finish)
    })
  }
}
