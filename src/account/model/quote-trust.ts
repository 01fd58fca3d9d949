import type { StockCode } from '../../domain/instrument.ts'
import { openSinceMs } from '../../domain/session.ts'
import type { Quote } from '../../ports/quotes.port.ts'
import {
  type HealthEvent,
  type HealthScore,
  type HealthVerdict,
  judgeQuote,
} from '../../strategy/health/health-score.ts'
import { type HealthSnapshot, HealthTracker } from '../../strategy/health/health-tracker.ts'
import {
  type BreakerPolicy,
  CLOSED_BREAKER,
  countMarketData,
  isBreakerOpen,
} from '../../strategy/health/market-data-breaker.ts'
import type { AccountPolicy, HealthSettings } from './policy.ts'

/** What quotes are asked for here. */
const PURPOSE = 'realtime'

interface Watched {
  /** When the quote is checked next, epoch ms. */
  nextMs: number
  /** What the quote before the present one was worth. */
  wasGood: boolean
}

/** A moment and the quote of a stock at it. */
export interface Sighting {
  /** Market clock, epoch ms. */
  readonly nowMs: number
  readonly quote: Quote | undefined
}

/**
 * What the quotes of the stocks held are worth to whoever acts upon them: their health, and the
 * breaker that stops all signals when they come without a price. One of these for all strategies.
 *
 * Health is scored as by a monitor that checks every stock each few seconds of the session. Nobody
 * is woken for it: the checks since the last sighting are made up for when somebody asks, because what
 * each of them would have seen is known by then.
 *
 * Source  docs/domain.md 7.3; a quote that is there counts as a success without delay.
 */
export class QuoteTrust {
  readonly #settings: HealthSettings
  readonly #breakerPolicy: BreakerPolicy
  readonly #isAlwaysOpen: boolean
  readonly #tracker: HealthTracker
  readonly #watched = new Map<StockCode, Watched>()
  /** Time of the newest quote that the breaker has counted, epoch ms. */
  readonly #countedMs = new Map<StockCode, number>()
  #breaker = CLOSED_BREAKER

  constructor({
    health,
    breaker,
    isAlwaysOpen,
  }: Pick<AccountPolicy, 'health' | 'breaker' | 'isAlwaysOpen'>) {
    this.#settings = health
    this.#breakerPolicy = breaker
    this.#isAlwaysOpen = isAlwaysOpen
    this.#tracker = new HealthTracker(health, health)
  }

  /** Makes up for the checks of one stock until now; they begin with its first quote. */
  observe(code: StockCode, { quote, nowMs }: Sighting): void {
    const sinceMs = this.#isAlwaysOpen ? 0 : openSinceMs(nowMs)
    if (sinceMs === undefined || quote === undefined) return
    const { checkEveryMs, windowMs, eventsMax } = this.#settings
    const isGood = quote.lastPrice > 0
    const watched = this.#watched.get(code) ?? this.#watch(code, { nextMs: nowMs, wasGood: isGood })
    const fromMs = Math.max(sinceMs, nowMs - Math.min(windowMs, eventsMax * checkEveryMs))
    const missed = Math.max(0, Math.ceil((fromMs - watched.nextMs) / checkEveryMs))
    watched.nextMs += missed * checkEveryMs
    const checks: Check[] = []
    for (; watched.nextMs <= nowMs; watched.nextMs += checkEveryMs) {
      const isNewest = watched.nextMs >= quote.timeMs
      checks.push(checkOf(watched.nextMs, isNewest ? isGood : watched.wasGood))
    }
    if (checks.length > 0) this.#tracker.record(this.#keyOf(code), checks)
    watched.wasGood = isGood
  }

  /** Counts a new quote. A stock that is traded today and comes without a price is a failure; one that is halted has none. */
  count(code: StockCode, quote: Quote, nowMs: number): void {
    const countedMs = this.#countedMs.get(code)
    if (quote.timeMs <= (countedMs ?? 0)) return
    const isGood = quote.lastPrice > 0
    if (!isGood && countedMs === undefined && quote.open <= 0 && quote.volume <= 0) return
    this.#countedMs.set(code, quote.timeMs)
    const result = { code, isGood, nowMs }
    this.#breaker = countMarketData(this.#breakerPolicy, this.#breaker, result)
  }

  /** Whether the breaker stops the signals of all stocks. */
  isBreakerOpen(nowMs: number): boolean {
    return isBreakerOpen(this.#breaker, nowMs)
  }

  /** Whether the quote of a stock may feed signals, and why. */
  verdictOf(code: StockCode, { quote, nowMs }: Sighting): HealthVerdict {
    const { score } = this.#scoreOf(code, nowMs)
    return judgeQuote(this.#settings, quote && { isFallbackSource: false, score })
  }

  /** Until a stock has been seen once nobody knows since when its quotes come. */
  isWatched(code: StockCode): boolean {
    return this.#watched.has(code)
  }

  /** When a stock will have been checked often enough to have a score, epoch ms. */
  scoredMs(code: StockCode, nowMs: number): number {
    const { eventsMin, checkEveryMs } = this.#settings
    const { eventCount } = this.#scoreOf(code, nowMs)
    const nextMs = this.#watched.get(code)?.nextMs ?? nowMs
    return nextMs + Math.max(0, eventsMin - eventCount - 1) * checkEveryMs
  }

  snapshot(nowMs: number): HealthSnapshot {
    return this.#tracker.snapshot(nowMs)
  }

  #watch(code: StockCode, watched: Watched): Watched {
    if (this.#watched.size >= this.#settings.keysMax) {
      const [oldest] = this.#watched.keys()
      if (oldest !== undefined) this.#watched.delete(oldest)
    }
    this.#watched.set(code, watched)
    return watched
  }

  /** Of one stock, as it stands now. */
  #scoreOf(code: StockCode, nowMs: number): HealthScore {
    return this.#tracker.scoreOf(this.#keyOf(code), nowMs)
  }

  #keyOf(code: StockCode) {
    return { source: this.#settings.source, purpose: PURPOSE, code }
  }
}

type Check = Omit<HealthEvent, 'serial'>

const checkOf = (timeMs: number, isGoodData: boolean): Check => ({
  timeMs,
  isOk: true,
  isGoodData,
  latencyMs: 0,
  reason: isGoodData ? '' : 'no_price',
})
