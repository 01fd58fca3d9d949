import { setTimeout as sleep } from 'node:timers/promises'
import type { Config } from '../config/schema.ts'
import { exchangeDay } from '../domain/exchange-time.ts'
import type { StockCode } from '../domain/instrument.ts'
import { reportedPrice } from '../domain/money.ts'
import type { MarketSource } from '../ports/market-source.port.ts'
import type { Tick } from '../protocol/market.ts'
import { resumeWalk, startWalk, stepWalk, tickOfWalk, type Walk } from './walk.ts'

/** By which ticks that come faster than the clock may run ahead of it. */
const AHEAD_MS_MAX = 60_000

export interface SimulatedOptions {
  readonly seed: number
  /** Between two ticks of a code, milliseconds of market time. */
  readonly intervalMs: number
  /** Market time to real time: 2 sends twice as often. */
  readonly speed: number
  /** Epoch milliseconds of the market clock. */
  readonly nowMs: () => number
  /** Last quotes of an earlier process, to go on from. */
  readonly resume: readonly Tick[]
  /** The same of a code that another process had walk; undefined: none had. */
  readonly elsewhere?: (code: string) => Tick | undefined
  /** Near which price a code begins where nobody who asks for it knows, ten-thousandths of a yuan. */
  readonly startPrices?: ReadonlyMap<string, number>
}

/**
 * What accounts of the embedded client have paid for what they hold at their first start: a page, or an order, may ask
 * for such a code before its account has told the market what it holds. Of two costs that of the first account.
 */
export function costsOfHoldings(accounts: Config['accounts']): ReadonlyMap<string, number> {
  const rows = accounts.flatMap(({ paper }) => paper?.positions ?? [])
  const prices = rows.map((row) => [row.stock_code, reportedPrice(row.cost_price)] as const)
  return new Map(prices.toReversed())
}

/** A market that is always in session: every code walks at random, repeatably by seed. */
export class SimulatedSource implements MarketSource {
  readonly #options: SimulatedOptions
  readonly #walks = new Map<string, Walk>()
  readonly #stopping = new AbortController()
  #emit: ((tick: Tick) => Promise<void> | void) | undefined
  #running: Promise<void> = Promise.resolve()
  #lastMs = 0

  constructor(options: SimulatedOptions) {
    this.#options = options
    for (const tick of options.resume) this.#walks.set(tick.stock_code, this.#resumed(tick))
  }

  /** A code that is new gets its first tick at once, so that whoever asks has a price. */
  want(code: string, hint: number): void {
    if (this.#walks.has(code)) return
    const { seed, nowMs, elsewhere, startPrices } = this.#options
    const near = hint > 0 ? hint : (startPrices?.get(code) ?? 0)
    const before = elsewhere?.(code)
    const day = exchangeDay(nowMs())
    const walk =
      before === undefined
        ? startWalk({ code: code as StockCode, seed, day, hint: near })
        : this.#resumed(before)
    this.#walks.set(code, walk)
    void this.#emit?.(tickOfWalk(walk, this.#timeMs()))
  }

  /** Its next tick is newer than that one. */
  #resumed(tick: Tick): Walk {
    this.#lastMs = Math.max(this.#lastMs, tick.time)
    return resumeWalk(tick, { seed: this.#options.seed, day: exchangeDay(tick.time) })
  }

  start(emit: (tick: Tick) => Promise<void> | void): void {
    if (this.#emit !== undefined) return
    this.#emit = emit
    this.#running = this.#run(emit)
  }

  async stop(): Promise<void> {
    this.#stopping.abort()
    await this.#running
  }

  async #run(emit: (tick: Tick) => Promise<void> | void): Promise<void> {
    const { signal } = this.#stopping
    const { intervalMs, speed } = this.#options
    for (const walk of this.#walks.values()) await emit(tickOfWalk(walk, this.#timeMs()))
    const everyMs = intervalMs / speed
    let dueMs = performance.now()
    while (!signal.aborted) {
      // From one due moment to the next: the time that the codes take does not make them slower. What
      // comes too late is not made up for.
      const nowMs = performance.now()
      dueMs = Math.max(dueMs + everyMs, nowMs)
      await sleep(dueMs - nowMs, undefined, { signal }).catch(() => undefined)
      if (!signal.aborted) await this.#step(emit)
    }
  }

  async #step(emit: (tick: Tick) => Promise<void> | void): Promise<void> {
    const timeMs = this.#timeMs()
    const day = exchangeDay(timeMs)
    for (const [code, before] of this.#walks) {
      const walk = stepWalk(before, day)
      this.#walks.set(code, walk)
      const waits = emit(tickOfWalk(walk, timeMs))
      if (waits !== undefined) await waits
      if (this.#stopping.signal.aborted) return
    }
  }

  /** Newer than any tick before, but not for long ahead of a market clock that was taken back. */
  #timeMs(): number {
    const nowMs = this.#options.nowMs()
    const isFarAhead = this.#lastMs - nowMs > AHEAD_MS_MAX
    this.#lastMs = isFarAhead ? nowMs : Math.max(nowMs, this.#lastMs + 1)
    return this.#lastMs
  }
}
