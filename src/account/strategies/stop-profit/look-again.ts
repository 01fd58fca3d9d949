import type { StockCode } from '../../../domain/instrument.ts'
import { nextOpenMs } from '../../../domain/session.ts'
import type { Quote } from '../../../ports/quotes.port.ts'
import type { HealthVerdict } from '../../../strategy/health/health-score.ts'
import type { Gates } from '../../../strategy/stop-profit/gates.ts'
import type { AccountState } from '../../model/state.ts'

interface Unjudged {
  readonly gates: Gates
  readonly health: HealthVerdict
  readonly quote: Quote
  readonly nowMs: number
}

/**
 * When a holding is looked at again that cannot be judged yet, epoch ms; undefined: its next tick tells.
 * While the market is closed that is its next open, because what has come since the close, above all a
 * high of the opening auction, may never come again as a tick. A stock that was never seen is looked at
 * with every tick anyway, and one without a price with its next one.
 */
export function lookAgainMs(
  { quoteTrust }: AccountState,
  code: StockCode,
  { gates, health, quote, nowMs }: Unjudged,
): number | undefined {
  if (quote.lastPrice <= 0) return undefined
  if (!gates.isInSession && quoteTrust.isWatched(code)) return nextOpenMs(nowMs)
  return health === 'too_few_events' ? quoteTrust.scoredMs(code, nowMs) : undefined
}
