import type { Price } from '../../../domain/money.ts'
import type { OrderRecord } from '../../../domain/order.ts'
import { tradedMs } from '../../../domain/session.ts'
import type { Rest } from '../../orders/follow-up.ts'
import { isQuoteRefused } from '../../orders/quote-rules.ts'
import type { Turn } from '../../turn/turn.ts'
import { restPrice } from './keep-place.ts'

export const NO_PRICE = 0 as Price

/**
 * 0 where the rules would refuse the rest for its quote. Where there is none they let it pass: a quote is waited for
 * once more for the time limit of such an order, and then it goes at the price of its signal.
 */
export function priceOfRest(turn: Turn, order: OrderRecord, signalPrice: Price): Price {
  const { state, inputs } = turn
  const { code, side, signalType } = order
  const { stopLossTimeoutMs, timeoutMs } = state.policy.pending
  const { nowMs } = inputs
  const quote = inputs.quote(code)
  const waitMs = signalType === 'stop_loss' ? Math.min(stopLossTimeoutMs, timeoutMs) : timeoutMs
  const isAwaited =
    quote === undefined
      ? waitedMs(turn, order) < waitMs
      : quote.lastPrice === 0 || isQuoteRefused(state, quote, nowMs)
  return isAwaited ? NO_PRICE : restPrice(state, { code, side, signalPrice }, quote)
}

/** Behind a restart the first quote may come after the end of the order: no try of its rest is used up meanwhile. */
export function unpriced(turn: Turn, order: OrderRecord): Rest {
  const isOverdue = waitedMs(turn, order) >= turn.state.policy.pending.timeoutMs
  return isOverdue ? { dropped: 'no usable price' } : 'later'
}

/** How long a rest has waited, of the hours in which it could have been sent. */
const waitedMs = ({ state, inputs }: Turn, { updatedMs }: OrderRecord): number =>
  state.policy.isAlwaysOpen ? inputs.nowMs - updatedMs : tradedMs(updatedMs, inputs.nowMs)
