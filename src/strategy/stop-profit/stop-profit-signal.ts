import type { Price } from '../../domain/money.ts'

interface SignalBase {
  /** Price that caused it. */
  readonly price: Price
  readonly costPrice: Price
}

export interface StopLossSignal extends SignalBase {
  readonly type: 'stop_loss'
  readonly stopPrice: Price
}

export interface HalfSignal extends SignalBase {
  readonly type: 'take_profit_half'
  /** Fraction to be sold. */
  readonly sellRatio: number
}

export interface FullSignal extends SignalBase {
  readonly type: 'take_profit_full'
}

/** Why a holding is to be sold. How many shares, and at which price, is decided when it is executed. */
export type StopProfitSignal = StopLossSignal | HalfSignal | FullSignal
