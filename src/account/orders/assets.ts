import { isSubscription } from '../../domain/instrument.ts'
import { type Money, marketValue } from '../../domain/money.ts'
import { isOpen } from '../../domain/order-state.ts'
import type { Position } from '../../domain/position.ts'
import { type Exposure, estimateOf } from '../../domain/risk-input.ts'
import type { AccountState } from '../model/state.ts'
import type { Sight } from '../turn/turn.ts'
import { hasUnshown, restOfPurchase, unseenOf } from './available.ts'
import { markPrice } from './quote-rules.ts'

/** What an account is worth at the newest prices. */
export interface Assets {
  readonly holdings: Money
  /** Holdings and cash, frozen cash with it. */
  readonly total: Money
}

/** Of the mode that the account is in; undefined while it is not known ({@link brokerAssets}). */
export function assetsNow(state: AccountState, sight: Sight): Assets | undefined {
  const { simulation } = state
  if (simulation === undefined) return brokerAssets(state, sight)
  return assetsOf(simulation.positions, simulation.cash, sight)
}

/**
 * Whether cash and holdings tell of the same moment: not before cash is known, and not between a fill and the
 * reports of holding and cash that follow it. A simulation books both at once.
 */
export const isSettled = (state: AccountState): boolean => {
  const { asset, simulation } = state
  if (simulation !== undefined) return true
  return asset !== undefined && state.assetAtDeal !== asset && !hasUnshown(state)
}

/**
 * Cash and holdings at the broker. Undefined while cash is not known, and between a fill and the
 * reports of holding and cash that follow it: until then shares and money count twice or not at all.
 */
export function brokerAssets(state: AccountState, sight: Sight): Assets | undefined {
  const { asset } = state
  if (asset === undefined || state.assetAtDeal === asset || hasUnshown(state)) return undefined
  return assetsOf(state.positions, asset.available + asset.frozen, sight)
}

function assetsOf(
  positions: ReadonlyMap<string, Position>,
  cash: number,
  { quote }: Sight,
): Assets {
  let holdings = 0
  for (const position of positions.values()) {
    holdings += marketValue(markPrice(position, quote(position.code)), position.quantity)
  }
  return { holdings: holdings as Money, total: (cash + holdings) as Money }
}

/**
 * What `MAX_TOTAL_POSITION_RATIO` compares: holdings with all that purchases may still add to them, whoever
 * placed them, and all assets.
 */
export function exposureOf(state: AccountState, sight: Sight): Exposure {
  const ratio = state.settings.MAX_TOTAL_POSITION_RATIO
  const assets = assetsNow(state, sight)
  if (assets === undefined) return { ratio }
  return {
    ratio,
    value: (assets.holdings + comingValue(state, sight)) as Money,
    total: assets.total,
  }
}

function comingValue(state: AccountState, { quote }: Sight): number {
  if (state.simulation !== undefined) return 0
  let value = 0
  const { day } = state
  const { feeRates } = state.policy
  for (const order of purchasesUnderWay(state)) {
    if (isSubscription(order.code)) continue
    const { price } = estimateOf(order, { day, quote: quote(order.code), feeRates })
    value += restOfPurchase(order) * price
  }
  return value
}

function* purchasesUnderWay(state: AccountState) {
  for (const order of state.orders.open()) if (order.side === 'buy') yield order
  for (const order of unseenOf(state, 'buy')) if (!isOpen(order.status)) yield order
}
