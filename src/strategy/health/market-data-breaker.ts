import type { StockCode } from '../../domain/instrument.ts'

/** `ENABLE_MARKET_DATA_CIRCUIT_BREAKER` and the constants that go with it. */
export interface BreakerPolicy {
  readonly isEnabled: boolean
  /** Failures of one stock, each not later than `windowMs` after the one before. */
  readonly failuresMax: number
  readonly windowMs: number
  /** How long no stock is bought. */
  readonly breakMs: number
  /** Stocks with failures that are kept; the one that failed longest ago goes first. */
  readonly stocksMax: number
}

interface Failures {
  readonly count: number
  readonly lastMs: number
  /** Time of the bad quote that was counted last, epoch ms, and its exchange day. */
  readonly quoteMs: number
  readonly day: string
}

export interface BreakerState {
  /** Stocks whose last quote was bad, the one that failed longest ago first. */
  readonly failures: ReadonlyMap<StockCode, Failures>
  /** Epoch milliseconds; 0 = it was never open. */
  readonly openUntilMs: number
}

export const CLOSED_BREAKER: BreakerState = { failures: new Map(), openUntilMs: 0 }

/** A quote that has a price. */
export interface MarketDataResult {
  readonly code: StockCode
  /** Its price lies within the limits of its day. */
  readonly isGood: boolean
  /** Its time, epoch ms: each quote counts once. */
  readonly quoteMs: number
  /** Its exchange day: counts begin anew with each. */
  readonly day: string
  readonly nowMs: number
}

/** Whether supplementary purchases of all stocks are stopped. Sales never are. */
export const isBreakerOpen = ({ openUntilMs }: BreakerState, nowMs: number): boolean =>
  nowMs < openUntilMs

/**
 * Counts a quote: one good one forgives the stock, enough bad ones in a row stop the supplementary
 * purchases of all stocks for a while.
 *
 * Source  docs/domain.md 5.6.
 */
export function countMarketData(
  policy: BreakerPolicy,
  state: BreakerState,
  { code, isGood, quoteMs, day, nowMs }: MarketDataResult,
): BreakerState {
  const before = state.failures.get(code)
  if (!policy.isEnabled || (isGood && before === undefined)) return state
  if (before !== undefined && quoteMs <= before.quoteMs) return state
  const failures = new Map(state.failures)
  failures.delete(code)
  if (isGood) return { ...state, failures }
  const isInRow = before?.day === day && nowMs - before.lastMs <= policy.windowMs
  const count = isInRow ? before.count + 1 : 1
  for (const oldest of failures.keys()) {
    if (failures.size < policy.stocksMax) break
    failures.delete(oldest)
  }
  failures.set(code, { count, lastMs: nowMs, quoteMs, day })
  const openUntilMs = count >= policy.failuresMax ? nowMs + policy.breakMs : state.openUntilMs
  return { failures, openUntilMs }
}
