import type { StockCode } from '../../../domain/instrument.ts'
import type { Position } from '../../../domain/position.ts'
import { type HealthVerdict, mayFeedSignals } from '../../../strategy/health/health-score.ts'
import type { Gates } from '../../../strategy/stop-profit/gates.ts'
import type { VerdictCode } from '../../../strategy/stop-profit/verdicts.ts'
import type { Sighting } from '../../model/quote-trust.ts'
import type { AccountState } from '../../model/state.ts'
import { unshownShares } from '../../orders/available.ts'
import { trackedOrders } from '../../orders/follow-up.ts'
import { healthOf, isClientKnown, isInSession } from '../market-gates.ts'
import { actingRatios } from './gateway-module.ts'
import { awaitsSharesMs } from './give-way.ts'
import { memoryOf } from './memory.ts'

/** Everything that must be true before a stock is judged, and what the health of its quote says. */
export function gatesOf(
  state: AccountState,
  position: Position,
  sight: Sighting,
): { readonly gates: Gates; readonly health: HealthVerdict } {
  const { settings, policy } = state
  const isGateway = actingRatios(state) !== undefined
  const health = healthOf(state, position.code, sight)
  const gates: Gates = {
    isInSession: isInSession(state, sight.nowMs),
    isQuoteTrusted: mayFeedSignals(health),
    isReady: isClientKnown(state),
    isMasterOn: settings.ENABLE_AUTO_OPERATION,
    isModuleOn: isGateway || policy.isStopProfitModuleOn,
    isTradingOn: isGateway || settings.ENABLE_AUTO_TRADING,
    isStockOn: position.stopProfitEnabled,
    isFreeOfOrders: isFreeOfOrders(state, position.code, sight.nowMs),
  }
  return { gates, health }
}

/**
 * No order of a signal is unfinished, and the broker has shown the holding as it is after
 * the last fill, and the shares that a take-profit gave up for a stop-loss: before that, what may be
 * sold is not known.
 */
const isFreeOfOrders = (state: AccountState, code: StockCode, nowMs: number): boolean =>
  state.simulation !== undefined ||
  (unshownShares(state, code) === 0 &&
    trackedOrders(state).every((order) => order.code !== code) &&
    awaitsSharesMs(state, code, nowMs) === undefined)

/** Since when a switch is off, epoch ms; undefined for other gates and while it is not known. */
export function closedSinceMs(
  state: AccountState,
  gate: VerdictCode,
  code: StockCode,
): number | undefined {
  const { switchedMs } = memoryOf(state)
  if (gate === 'master_off') return switchedMs.get('ENABLE_AUTO_OPERATION')
  if (gate === 'trading_off') return switchedMs.get('ENABLE_AUTO_TRADING')
  return gate === 'stock_off' ? switchedMs.get(code) : undefined
}
