import type { StockCode } from '../../../domain/instrument.ts'
import { sessionAt } from '../../../domain/session.ts'
import type { Quote } from '../../../ports/quotes.port.ts'
import { judgeQuote } from '../../../strategy/health/health-score.ts'
import type { AccountState } from '../../model/state.ts'

/** Master switch and grid switch. The third tier is the session's own. */
export const areGridsOn = ({ settings }: AccountState): boolean =>
  settings.ENABLE_AUTO_OPERATION && settings.ENABLE_GRID_TRADING

interface Sight {
  /** Market clock, epoch ms. */
  readonly nowMs: number
  readonly quote: Quote | undefined
}

/** Whether a quote may move a grid now: trading hours and a known trading client (or the simulation), a healthy source. */
export function mayTrack(state: AccountState, code: StockCode, { nowMs, quote }: Sight): boolean {
  const { policy } = state
  const isTrading =
    state.simulation !== undefined ||
    (state.isReady && (policy.isAlwaysOpen || sessionAt(nowMs) === 'open'))
  return isTrading && isTrusted(state, code, { nowMs, quote })
}

function isTrusted(state: AccountState, code: StockCode, { nowMs, quote }: Sight): boolean {
  const { score } = state.stopProfit.health.scoreOf(code, nowMs)
  const verdict = judgeQuote(state.policy.health, quote && { isFallbackSource: false, score })
  return verdict === 'not_enforced' || verdict === 'healthy_enough'
}
