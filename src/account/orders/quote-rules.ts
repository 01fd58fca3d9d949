import type { BoardRule } from '../../domain/data/board-rules.ts'
import { isCloseKept } from '../../domain/ex-day.ts'
import { exchangeDay, exchangeDayStartMs } from '../../domain/exchange-time.ts'
import type { StockCode } from '../../domain/instrument.ts'
import type { Price } from '../../domain/money.ts'
import { round } from '../../domain/money.ts'
import { type Position, thresholdCost } from '../../domain/position.ts'
import { priceLimits, rulesFor, tickSizeOf, USUAL_RULE } from '../../domain/rules.ts'
import { lastCloseMs } from '../../domain/session.ts'
import type { Quote } from '../../ports/quotes.port.ts'
import { shownStop } from '../../strategy/stop-profit/trigger-prices.ts'
import type { AccountState } from '../model/state.ts'

/** The rule of a board; where nothing is known about one, what holds on most, at the step of the prices of the code. */
export const boardRuleOf = (
  code: StockCode,
  day: string,
): Pick<BoardRule, 'lotMin' | 'lotStep' | 'quantityMax' | 'marketMax' | 'tickSize'> =>
  rulesFor(code, day) ?? { ...USUAL_RULE, tickSize: tickSizeOf(code) }

/** What a holding is worth now: last price → close of the day before → cost. */
export function markPrice(position: Pick<Position, 'costPrice'>, quote: Quote | undefined): Price {
  if (quote !== undefined && quote.lastPrice > 0) return quote.lastPrice
  if (quote !== undefined && quote.lastClose > 0) return quote.lastClose
  return position.costPrice
}

/** Whether anybody has said what it is worth: today, or at the close of the day before. */
export const isQuoted = (quote: Quote | undefined): boolean =>
  quote !== undefined && (quote.lastPrice > 0 || quote.lastClose > 0)

/** Whether the rules would refuse any order of a stock for its quote, which is too old, or of the future. */
export function isQuoteRefused(
  { risk: { staleQuoteMs }, policy: { limits } }: AccountState,
  { timeMs }: Quote,
  nowMs: number,
): boolean {
  const isOld = nowMs - timeMs > staleQuoteMs || timeMs - nowMs > limits.quoteAheadMs
  return staleQuoteMs !== 0 && isOld
}

/** Percent change of the day with two decimals; 0 without a last price or a close of the day before. */
export function changePercentage(quote: Quote | undefined): number {
  if (quote === undefined || quote.lastPrice <= 0 || quote.lastClose <= 0) return 0
  return round((100 * (quote.lastPrice - quote.lastClose)) / quote.lastClose, 2)
}

/** The high of the day of a quote as far as the holding was there for it, 0 else: one of an earlier day (docs/domain.md 4.3). */
export const dayHighOf = ({ openDate }: Position, { high, timeMs }: Quote): Price =>
  openDate.slice(0, DAY_LENGTH) < exchangeDay(timeMs) ? high : (0 as Price)
const DAY_LENGTH = 10

/**
 * The high of the trading day before as far as the holding was there for all of that day, 0 else: its last quotes came after
 * the close, or while nobody looked. Once: what was acted upon since, as a high that a person has set, stands. None that could
 * not trade on that day: a terminal that repeats a row over an ex-day shows the high of the old scale.
 */
export function highBeforeOf(position: Position, quote: Quote): Price {
  const { highBefore = NONE, timeMs } = quote
  const { code, name, openDate, actedTickMs, exDay } = position
  if (highBefore <= position.highestPrice || !isCloseKept(code, quote)) return NONE
  const day = exchangeDay(timeMs)
  const closeMs = lastCloseMs(exchangeDayStartMs(day) - 1)
  const before = exchangeDay(closeMs)
  const isSeen = actedTickMs >= closeMs
  const isHeldAllDay = openDate.slice(0, DAY_LENGTH) < before
  if (!isHeldAllDay || isSeen || exDay?.day === day) return NONE
  const { lastCloseBefore: lastClose = NONE } = quote
  const limits = priceLimits(code, before, { lastClose, name })
  return lastClose > 0 && highBefore <= (limits?.high ?? highBefore) ? highBefore : NONE
}
const NONE = 0 as Price

/** The displayed protective price of a holding, under the settings as they are, or those of whoever acts in their place. */
export const displayedStop = (
  { settings, policy, actingStopRatio }: AccountState,
  holding: Pick<
    Position,
    'code' | 'costPrice' | 'effectiveCost' | 'highestPrice' | 'profitTriggered'
  >,
): Price =>
  shownStop(
    { stopLossRatio: actingStopRatio ?? settings.STOP_LOSS_RATIO, tiers: policy.profitTiers },
    { ...holding, costPrice: thresholdCost(holding) },
    tickSizeOf(holding.code),
  )
