import { moneyFromYuan, type Price } from '../../../domain/money.ts'
import { type Position, thresholdCost } from '../../../domain/position.ts'
import type { Band } from '../../../strategy/band.ts'
import { addPriceOf } from '../../../strategy/stop-profit/add-position.ts'
import { bandOf } from '../../../strategy/stop-profit/stop-profit-band.ts'
import type { PassPolicy } from '../../../strategy/stop-profit/stop-profit-pass.ts'
import type { GatewayRatios } from '../../model/events.ts'
import type { AccountState } from '../../model/state.ts'
import { actingRatios } from './gateway-module.ts'
import { memoryOf } from './memory.ts'

/** Settings that the API has changed, and constants of the file, as the rules know them. */
export function passPolicyOf(state: AccountState): PassPolicy {
  const { settings } = state
  const memory = memoryOf(state)
  const ratios = actingRatios(state)
  const known = memory.passPolicy
  if (known?.settings === settings && known.ratios === ratios) return known.policy
  const policy = madeOf(state, ratios)
  memory.passPolicy = { settings, ratios, policy }
  return policy
}

function madeOf({ settings, policy }: AccountState, ratios: GatewayRatios | undefined): PassPolicy {
  return {
    ...policy.stopProfit,
    stopLossRatio: settings.STOP_LOSS_RATIO,
    breakoutRatio: settings.INITIAL_TAKE_PROFIT_RATIO,
    sellRatio: settings.INITIAL_TAKE_PROFIT_RATIO_PERCENTAGE,
    tiers: policy.profitTiers,
    isAddOn: settings.ENABLE_STOP_LOSS_BUY,
    addLevel: settings.BUY_GRID_LEVEL_1,
    addAmount: moneyFromYuan(settings.POSITION_UNIT),
    positionValueMax: moneyFromYuan(settings.MAX_POSITION_VALUE),
    ...(ratios && { ...ratios, isAddOn: false }), // the gateway only sells
  }
}

/** At this price or below, but above the stop, more of a holding is bought, where that is on; 0 = nowhere. */
export function addsAtOf(state: AccountState, position: Position): Price {
  if (actingRatios(state) !== undefined) return 0 as Price
  const { profitTriggered } = position
  const policy = { ...passPolicyOf(state), isAddOn: true }
  return addPriceOf(policy, { costPrice: thresholdCost(position), profitTriggered })
}

/** The prices of a holding between which its rules change nothing, all gates open. */
export function pricesOf(state: AccountState, position: Position): Band {
  const policy = passPolicyOf(state)
  const costPrice = thresholdCost(position)
  const { profitTriggered } = position
  const addPrice = addPriceOf(policy, { costPrice, profitTriggered })
  return bandOf(policy, position, { costPrice, addPrice })
}
