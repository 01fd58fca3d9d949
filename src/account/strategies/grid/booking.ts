import { feeParts } from '../../../domain/fees.ts'
import type { StockCode } from '../../../domain/instrument.ts'
import type { Money, Quantity } from '../../../domain/money.ts'
import type { Side } from '../../../domain/order.ts'
import { averagePrice } from '../../../strategy/grid/ledger.ts'
import { type GridSession, tradeCountOf } from '../../../strategy/grid/session.ts'
import { simulatedFee } from '../../model/simulation.ts'
import type { Fills } from '../../orders/simulate-order.ts'
import type { Turn } from '../../turn/turn.ts'

/** Books what was filled of a grid's order and is not in the ledger yet, as one trade. */
export function bookFills(turn: Turn, clientOrderId: string, fills: Fills): void {
  const { sessions, orders } = turn.state.grid
  const order = orders.get(clientOrderId)
  const session = sessions.get(order?.sessionId ?? 0)
  if (order === undefined || session === undefined) return
  const quantity = (fills.quantity - order.bookedQuantity) as Quantity
  const amount = (fills.amount - order.bookedAmount) as Money
  const price = averagePrice(amount, quantity)
  const { sessionId, code, side, level, peakPrice, valleyPrice, callbackPpm } = order
  const id = tradeCountOf(session) + 1
  const number = fills.orderId === '' ? clientOrderId : fills.orderId
  turn.emit({
    kind: 'gridBooked',
    clientOrderId,
    trade: {
      id,
      sessionId,
      code,
      side,
      level,
      price,
      quantity,
      amount,
      fee: feeOf(turn, session, { code, side, before: order.bookedAmount, after: fills.amount }),
      peakPrice,
      valleyPrice,
      callbackPpm,
      timeMs: turn.inputs.nowMs,
      tradeId: order.bookedQuantity === 0 ? number : `${number}_${id}`,
      centerBefore: session.currentCenter,
      centerAfter: price,
    },
  })
}

interface Turned {
  readonly code: StockCode
  readonly side: Side
  /** What the order had turned over when it was booked last, and what it has now. */
  readonly before: Money
  readonly after: Money
}

/** What the order has cost more since it was booked last: the least commission is one of the order, not of its parts. */
function feeOf(
  { state }: Turn,
  { isSimulated }: GridSession,
  { code, side, before, after }: Turned,
): Money {
  const until = (amount: Money): number =>
    isSimulated
      ? simulatedFee(side, amount)
      : feeParts(state.policy.feeRates, { code, side, day: state.day, amount }).total
  return (until(after) - until(before)) as Money
}
