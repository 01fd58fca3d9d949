import { bareCode, type StockCode } from '../../domain/instrument.ts'
import { type Price, type Quantity, toYuan } from '../../domain/money.ts'

interface SignalBase {
  readonly code: StockCode
  /** Price that caused it. */
  readonly price: Price
  readonly costPrice: Price
  /** All that may be sold, not what will be. */
  readonly sellable: Quantity
}

export interface StopLossSignal extends SignalBase {
  readonly type: 'stop_loss'
  readonly stopPrice: Price
  readonly profitTriggered: boolean
}

export interface HalfSignal extends SignalBase {
  readonly type: 'take_profit_half'
  readonly sellRatio: number
  readonly breakoutHighestPrice: Price
}

export interface FullSignal extends SignalBase {
  readonly type: 'take_profit_full'
  readonly exitPrice: Price
  readonly highestPrice: Price
  /** Level of the tier; 0 when none was reached. */
  readonly matchedLevel: number
}

/** Why a holding is to be sold. What is sold, and at which price, is decided when it is executed. */
export type StopProfitSignal = StopLossSignal | HalfSignal | FullSignal

/**
 * The payload under the names that existing clients know.
 *
 * Units   yuan and decimal ratios.
 * Source  docs/domain.md 5.12.
 */
export function signalInfo(signal: StopProfitSignal): Readonly<Record<string, unknown>> {
  const { price, costPrice } = signal
  const common = {
    stock_code: bareCode(signal.code),
    current_price: toYuan(price),
    cost_price: toYuan(costPrice),
    volume: signal.sellable,
  }
  switch (signal.type) {
    case 'stop_loss':
      return {
        ...common,
        stop_loss_price: toYuan(signal.stopPrice),
        reason: signal.profitTriggered ? 'stop_loss_1' : 'stop_loss_0',
        profit_triggered: signal.profitTriggered,
      }
    case 'take_profit_half': {
      const high = signal.breakoutHighestPrice
      return {
        ...common,
        profit_ratio: (price - costPrice) / costPrice,
        sell_ratio: signal.sellRatio,
        breakout_highest_price: toYuan(high),
        pullback_ratio: (high - price) / high,
      }
    }
    case 'take_profit_full':
      return {
        ...common,
        dynamic_take_profit_price: toYuan(signal.exitPrice),
        highest_price: toYuan(signal.highestPrice),
        matched_level: signal.matchedLevel,
      }
  }
}
