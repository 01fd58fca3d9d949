import type { Price } from '../../domain/money.ts'
import type { Position } from '../../domain/position.ts'
import { EXECUTED_LOSS_MIN } from '../../domain/settings/stop-profit.ts'
import { RATIO_TOLERANCE } from './protect.ts'
import type { WaitingSignal } from './signal-slot.ts'
import { type StopProfitState, withoutBreakout } from './stop-profit.ts'
import type { FullSignal, HalfSignal, StopLossSignal } from './stop-profit-signal.ts'
import { minimumPrice, type StopProfitPolicy } from './trigger-prices.ts'
import { type Verdict, verdict } from './verdicts.ts'

export interface ValidationPolicy extends StopProfitPolicy {
  /** `DYNAMIC_SIGNAL_MAX_AGE_SECONDS`, in milliseconds: 120 000. */
  readonly signalAgeMaxMs: number
  /** `ALLOW_TAKE_PROFIT_FULL_WITH_PENDING`. */
  readonly isFullExitBesideOrders: boolean
}

/** What is held now; the live figures, not those of the signal. */
export type Holding = Pick<Position, 'quantity' | 'sellable' | 'costPrice'>

export interface ValidationInput {
  readonly waiting: WaitingSignal
  readonly nowMs: number
  readonly holding: Holding | undefined
  /** A tracked order, or one at the broker, is under way; unknown counts as true. */
  readonly hasPendingOrder: boolean
}

/**
 * Whether a signal may be executed now: undefined when it passes, else a verdict of kind `blocked`
 * (it waits) or `failed` (a try is counted). A first take-profit that has become too cheap also
 * ends its breakout.
 *
 * Source  docs/domain.md 5.9.
 */
export function validateSignal(
  policy: ValidationPolicy,
  state: StopProfitState,
  input: ValidationInput,
): readonly [StopProfitState, Verdict | undefined] {
  const { waiting, holding } = input
  const { signal } = waiting
  const price = { price: signal.price }
  if (input.nowMs - waiting.sinceMs > policy.signalAgeMaxMs) {
    return [state, verdict('signal_expired', price)]
  }
  const isBeside = signal.type === 'take_profit_full' && policy.isFullExitBesideOrders
  if (input.hasPendingOrder && !isBeside) return [state, verdict('pending_order', price)]
  if (holding !== undefined && holding.sellable === 0 && holding.quantity > 0) {
    return [state, verdict('available_zero_sync_delay', price)]
  }
  if (signal.type === 'stop_loss') return [state, stopLossFault(signal)]
  const costPrice = holding !== undefined && holding.quantity > 0 ? holding.costPrice : undefined
  const fault = takeProfitFault(policy, signal, costPrice ?? signal.costPrice)
  const isOver = fault?.code === 'take_profit_signal_expired'
  return [isOver ? withoutBreakout(state) : state, fault]
}

const STOP_TO_COST_MIN = 0.5
const STOP_TO_COST_MAX = 1.5

/** A price far above the cost cannot get past the smallest loss, so it needs no check of its own. */
function stopLossFault({ price, costPrice, stopPrice }: StopLossSignal): Verdict | undefined {
  if (price <= 0 || costPrice <= 0 || stopPrice <= 0) return verdict('invalid_stop_loss_data')
  const ratio = stopPrice / costPrice
  if (ratio < STOP_TO_COST_MIN || ratio > STOP_TO_COST_MAX) {
    return verdict('invalid_stop_loss_ratio', { price: stopPrice, threshold: costPrice })
  }
  const loss = (costPrice - price) / costPrice
  return loss < EXECUTED_LOSS_MIN - RATIO_TOLERANCE
    ? verdict('loss_ratio_too_small', { price, threshold: costPrice })
    : undefined
}

function takeProfitFault(
  policy: StopProfitPolicy,
  signal: HalfSignal | FullSignal,
  costPrice: Price,
): Verdict | undefined {
  const { price } = signal
  if (price <= 0 || costPrice <= 0) return verdict('invalid_take_profit_data')
  if (price <= costPrice) {
    return verdict('take_profit_not_profitable', { price, threshold: costPrice })
  }
  if (signal.type === 'take_profit_full') return undefined
  const threshold = minimumPrice(policy, costPrice)
  return price < threshold ? verdict('take_profit_signal_expired', { price, threshold }) : undefined
}
