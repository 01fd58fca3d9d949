import type { StockCode } from '../../../domain/instrument.ts'
import { type Position, thresholdCost } from '../../../domain/position.ts'
import type { Quote } from '../../../ports/quotes.port.ts'
import { ANY_PRICE, type Band, EVERY_TICK } from '../../../strategy/band.ts'
import { quietUpTo } from '../../../strategy/stop-profit/stop-profit-band.ts'
import type { AccountState } from '../../model/state.ts'
import { dayHighOf, displayedStop } from '../../orders/quote-rules.ts'
import { changeHolding, changeReal, positionsOf } from '../../turn/holding.ts'
import type { Sight, Turn } from '../../turn/turn.ts'
import type { SettledOrder, StrategyManifest } from '../manifest.ts'
import { evaluate } from './evaluate.ts'
import { followSignals } from './follow-up.ts'
import { followGateway, forgetSilentGateway, setGatewayModule } from './gateway-module.ts'
import { noteFreed } from './give-way.ts'
import { clearSignals, forgetStock, MEMORY, memoryOf } from './memory.ts'
import { passPolicyOf, pricesOf } from './pass-policy.ts'
import { standing, standsAsBefore } from './standing.ts'
import { decisionRow, NAME } from './trace.ts'

/** Dynamic take-profit and stop-loss of the holdings, as the account runs it. */
export const stopProfit: StrategyManifest = {
  name: NAME,
  evaluate,
  bandOf,
  alarms: (state) => memoryOf(state).evaluateAgainMs,
  memory: MEMORY,
  wokenBy: new Set(['gatewayModuleSet']),
  followUp: followSignals,
  onSettings,
  onModeChanged: ({ state }) => clearSignals(state),
  onFilled,
  manage,
  requests: { gatewayStopProfit: setGatewayModule },
  standing,
  standsAsBefore,
  traceRow: decisionRow,
  journal: {
    gatewayModuleSet: ({ isEnabled, ratios, source }) => ({
      source,
      summary: `网关止盈止损${isEnabled ? '启用' : '停用'}，止损 ${ratios.stopLossRatio}，首次止盈 ${ratios.breakoutRatio} (take profit of the gateway ${isEnabled ? 'on' : 'off'}: stop ${ratios.stopLossRatio}, first profit ${ratios.breakoutRatio})`,
    }),
  },
}

/** While it may not act only a new high matters, once it has been said why; while a signal waits every tick does. */
function bandOf(state: AccountState, code: StockCode, sight: Sight): Band {
  const position = positionsOf(state).get(code)
  if (position === undefined) return ANY_PRICE
  const { slots, notified } = memoryOf(state)
  if (slots.get(code)?.waiting !== undefined) return EVERY_TICK
  const low = notified.get(code)
  if (low !== undefined) return { low, high: position.highestPrice }
  return withQuiet(state, position, sight.quote(code))
}

/**
 * What the high of the day keeps may be looked at later; it must be of a day on which the stock was held from the
 * beginning. In a replay at the pace of a clock the day may be over by then; in an exact one the market sees to it that it is not.
 */
function withQuiet(state: AccountState, position: Position, quote: Quote | undefined): Band {
  const band = pricesOf(state, position)
  if (quote === undefined || state.policy.tempo === 'other') return band
  if (quote.high < quote.lastPrice || dayHighOf(position, quote) === 0) return band
  const quiet = quietUpTo(passPolicyOf(state), position, thresholdCost(position))
  return quiet > band.high && band.high >= band.low ? { ...band, quiet } : band
}

/** After every input: a gateway that is gone wants nothing, and a switch that was turned stands since now. */
function manage(turn: Turn): void {
  forgetSilentGateway(turn)
  followGateway(turn)
  noteFreed(turn)
  const { state, events, inputs } = turn
  const { switchedMs } = memoryOf(state)
  for (const { event } of events) {
    if (event.kind === 'settingsChanged') {
      for (const { setting } of event.changes) switchedMs.set(setting, inputs.nowMs)
    } else if (event.kind === 'positionClosed' && state.simulation === undefined) {
      forgetStock(state, event.code)
    } else if (event.kind === 'holdingChanged' && event.fields.stopProfitEnabled !== undefined) {
      switchedMs.set(event.code, inputs.nowMs)
    }
  }
}

/** Automatic trading that is turned on begins without what waited before (docs/domain.md 5.7). */
function onSettings({ state }: Turn): void {
  const memory = memoryOf(state)
  const isTradingOn = state.settings.ENABLE_AUTO_TRADING
  if (isTradingOn && !memory.wasTradingOn) memory.slots.clear()
  memory.wasTradingOn = isTradingOn
}

/**
 * Only here, by a confirmed fill, does a holding count as one whose first profit has been taken. A simulation that runs as a
 * real order ends has begun with the holding that it is of; lists may lack that one, and show it again.
 */
function onFilled(turn: Turn, { code, signalType, isSimulated = false }: SettledOrder): void {
  if (signalType !== 'take_profit_half') return
  const { state } = turn
  const shown = positionsOf(state).get(code)
  if (shown?.profitTriggered === false) changeHolding(turn, code, firstTaken(state, shown), 'fill')
  if (isSimulated) return
  const lost = state.lost.get(code)
  if (lost !== undefined) {
    changeReal(turn, code, firstTaken(state, lost.held), 'fill')
  }
  if (state.simulation === undefined) return
  const held = state.positions.get(code)
  if (held?.profitTriggered === false) changeReal(turn, code, firstTaken(state, held), 'fill')
}

const firstTaken = (state: AccountState, position: Position) => ({
  profitTriggered: true,
  stopLossPrice: displayedStop(state, { ...position, profitTriggered: true }),
})
