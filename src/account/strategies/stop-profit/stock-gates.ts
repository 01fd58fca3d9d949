import type { Position } from '../../../domain/position.ts'
import { type HealthVerdict, mayFeedSignals } from '../../../strategy/health/health-score.ts'
import type { Gates } from '../../../strategy/stop-profit/gates.ts'
import type { VerdictCode } from '../../../strategy/stop-profit/verdicts.ts'
import type { Sighting } from '../../model/quote-trust.ts'
import type { AccountState } from '../../model/state.ts'
import { trackedOrders } from '../../orders/follow-up.ts'
import { isClientKnown, isInSession } from '../market-gates.ts'
import { actingRatios } from './gateway-module.ts'
import { memoryOf } from './memory.ts'

/** The three tiers of the strategy as they stand for a stock, without the moment and its quote. */
export function switchesOf(
  state: AccountState,
  { stopProfitEnabled }: Pick<Position, 'stopProfitEnabled'>,
): Pick<Gates, 'isMasterOn' | 'isModuleOn' | 'isTradingOn' | 'isStockOn'> {
  const { settings, policy } = state
  const isGateway = actingRatios(state) !== undefined
  return {
    isMasterOn: settings.ENABLE_AUTO_OPERATION,
    isModuleOn: isGateway || policy.isStopProfitModuleOn,
    isTradingOn: isGateway || settings.ENABLE_AUTO_TRADING,
    isStockOn: stopProfitEnabled,
  }
}

/** Everything that must be true before a stock is judged, and what the health of its quote says. */
export function gatesOf(
  state: AccountState,
  position: Position,
  sight: Sighting,
): { readonly gates: Gates; readonly health: HealthVerdict } {
  const health = state.quoteTrust.verdictOf(position.code, sight)
  const gates: Gates = {
    isInSession: isInSession(state, sight.nowMs),
    isQuoteTrusted: mayFeedSignals(health),
    isReady: isClientKnown(state),
    ...switchesOf(state, position),
    isFreeOfOrders: isFreeOfOrders(state, position),
  }
  return { gates, health }
}

/**
 * No order of a signal is unfinished, and the broker has shown the holding as it is after
 * the last fill: before that, what may be sold is not known.
 */
export const isFreeOfOrders = (state: AccountState, { code }: Pick<Position, 'code'>): boolean =>
  state.simulation !== undefined ||
  ((state.dealtSince.get(code) ?? 0) === 0 &&
    trackedOrders(state).every((order) => order.code !== code))

/** Since when a switch is off, epoch ms; undefined for other gates and while it is not known. */
export function closedSinceMs(
  state: AccountState,
  gate: VerdictCode,
  { code }: Pick<Position, 'code'>,
): number | undefined {
  const { switchedMs } = memoryOf(state)
  if (gate === 'master_off') return switchedMs.get('ENABLE_AUTO_OPERATION')
  if (gate === 'trading_off') return switchedMs.get('ENABLE_AUTO_TRADING')
  return gate === 'stock_off' ? switchedMs.get(code) : undefined
}
