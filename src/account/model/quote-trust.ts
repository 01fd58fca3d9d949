import { exchangeDay, exchangeDayNumber } from '../../domain/exchange-time.ts'
import type { StockCode } from '../../domain/instrument.ts'
import type { Position } from '../../domain/position.ts'
import { limitsOfDay } from '../../domain/rules.ts'
import type { Quote } from '../../ports/quotes.port.ts'
import { ANY_PRICE, type Band } from '../../strategy/band.ts'
import {
  type HealthEvent,
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
  /** Whether the newest quote that was seen has a price. */
  wasGood: boolean
}

/** A holding whose quotes these are; its name tells of a risk warning, and of a new listing. */
type Named = Pick<Position, 'code' | 'name'>

/** A moment and the quote of a stock at it. */
export interface Sighting {
  /** Market clock, epoch ms. */
  readonly nowMs: number
  readonly quote: Quote | undefined
}

/** A sighting, and the hours in which quotes are looked at. */
export interface Look extends Sighting {
  /** When the hours that run have begun, epoch ms; undefined while nobody looks. */
  readonly sinceMs: number | undefined
}

/**
 * What the quotes of the stocks held are worth to whoever acts upon them: their health, and the
 * breaker that stops supplementary purchases when they cannot be right. One of these for all
 * strategies. A quote without a price skips its stock and counts for nothing.
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
  readonly #tracker: HealthTracker
  readonly #watched = new Map<StockCode, Watched>()
  #breaker = CLOSED_BREAKER

  constructor({ health, breaker }: Pick<AccountPolicy, 'health' | 'breaker'>) {
    this.#settings = health
    this.#breakerPolicy = breaker
    this.#tracker = new HealthTracker(health, health)
  }

  /** Makes up for the checks of one stock until now; they begin with its first quote. */
  observe(code: StockCode, { quote, nowMs, sinceMs }: Look): void {
    if (quote === undefined) return
    const isGood = quote.lastPrice > 0
    const known = this.#watched.get(code)
    if (sinceMs === undefined) {
      if (known !== undefined) known.wasGood = isGood
      return
    }
    const { checkEveryMs, windowMs, eventsMax } = this.#settings
    const watched = known ?? this.#watch(code, { nextMs: nowMs, wasGood: isGood })
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

  /** Begins anew: what was looked at in other hours proves nothing. */
  forgetLooks(): void {
    this.#watched.clear()
    this.#tracker.clear()
  }

  /** Counts a new quote that has a price: outside the limits of its day it is a failure. */
  count(position: Named, quote: Quote, nowMs: number): void {
    const { lastPrice, timeMs: quoteMs } = quote
    if (!this.#breakerPolicy.isEnabled || lastPrice <= 0) return
    const { low, high } = this.goodPrices(position, quote)
    this.#breaker = countMarketData(this.#breakerPolicy, this.#breaker, {
      code: position.code,
      isGood: lastPrice >= low && lastPrice <= high,
      quoteMs,
      day: exchangeDay(quoteMs),
      nowMs,
    })
  }

  /** Prices that the breaker does not count: the limits of the day of a quote; all where it has none. */
  goodPrices({ code, name }: Named, quote: Quote): Band {
    if (!this.#breakerPolicy.isEnabled) return ANY_PRICE
    return limitsOfDay(code, exchangeDay(quote.timeMs), { ...quote, name }) ?? ANY_PRICE
  }

  /** Whether the breaker stops the supplementary purchases of all stocks. */
  isBreakerOpen(nowMs: number): boolean {
    return isBreakerOpen(this.#breaker, nowMs)
  }

  /** Whether the quote of a stock may feed signals, and why. */
  verdictOf(code: StockCode, { quote, nowMs }: Sighting): HealthVerdict {
    const score = this.#tracker.signalScoreOf(this.#keyOf(code), nowMs)
    return judgeQuote(this.#settings, quote && { isFallbackSource: false, score })
  }

  /**
   * Whether the next quote must be seen, whatever its price: until a stock has been seen once nobody knows
   * since when its quotes come; after one without a price or outside the limits a good one counts; and
   * the first one of a day tells its limits.
   */
  awaitsQuote(code: StockCode, { quote, nowMs }: Sighting): boolean {
    if (this.#watched.get(code)?.wasGood !== true || this.#breaker.failures.has(code)) return true
    return quote !== undefined && exchangeDayNumber(quote.timeMs) < exchangeDayNumber(nowMs)
  }

  /** Whether a stock has been seen in trading hours: from then on its looks are made up for. */
  isWatched(code: StockCode): boolean {
    return this.#watched.has(code)
  }

  /** When a stock will have been checked often enough to have a score, epoch ms. */
  scoredMs(code: StockCode, nowMs: number): number {
    const { eventsMin, checkEveryMs } = this.#settings
    const { eventCount } = this.#tracker.scoreOf(this.#keyOf(code), nowMs)
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
