import type { StockCode } from '../../../domain/instrument.ts'
import { ANY_PRICE, type Band, EVERY_TICK } from '../../../strategy/band.ts'
import type { AccountState } from '../../model/state.ts'
import { displayedStop } from '../../orders/quote-rules.ts'
import { changeHolding, positionsOf } from '../../turn/holding.ts'
import type { Turn } from '../../turn/turn.ts'
import type { AccountStrategy, SettledOrder } from '../strategy.ts'
import { forgetSilentGateway } from './gateway-module.ts'
import { lookAt } from './look.ts'
import { pricesOf } from './pass-policy.ts'

/** Dynamic take-profit and stop-loss of the holdings, as the account runs it. */
export const stopProfit: AccountStrategy = {
  codes: () => [],
  look: lookAt,
  bandOf,
  alarms: ({ stopProfit: { lookAgainMs } }) => lookAgainMs,
  tend: forgetSilentGateway,
  onSettings,
  onFilled,
}

/** While it may not act only a new high matters, once it has been said why; while a signal waits every tick does. */
function bandOf(state: AccountState, code: StockCode): Band {
  const position = positionsOf(state).get(code)
  if (position === undefined) return ANY_PRICE
  const { slots, told } = state.stopProfit
  if (slots.get(code)?.waiting !== undefined) return EVERY_TICK
  return told.has(code) ? { ...ANY_PRICE, high: position.highestPrice } : pricesOf(state, position)
}

/** Automatic trading that is turned on begins without what waited before (docs/domain.md 5.7). */
function onSettings({ state, events, inputs }: Turn): void {
  const memory = state.stopProfit
  for (const { event } of events) {
    if (event.kind !== 'settingsChanged') continue
    for (const { setting } of event.changes) memory.switchedMs.set(setting, inputs.nowMs)
  }
  const isTradingOn = state.settings.ENABLE_AUTO_TRADING
  if (isTradingOn && !memory.wasTradingOn) memory.slots.clear()
  memory.wasTradingOn = isTradingOn
}

/** Only here, by a confirmed fill, does a holding count as one whose first profit has been taken. */
function onFilled(turn: Turn, { code, signalType }: SettledOrder): void {
  const position = positionsOf(turn.state).get(code)
  if (signalType !== 'take_profit_half' || position === undefined) return
  if (position.profitTriggered) return
  const triggered = { ...position, profitTriggered: true }
  const stopLossPrice = displayedStop(turn.state, triggered)
  changeHolding(turn, code, { profitTriggered: true, stopLossPrice }, 'fill')
}
