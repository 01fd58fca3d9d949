import type { Money, Quantity } from '../../../domain/money.ts'
import { averagePrice } from '../../../strategy/grid/ledger.ts'
import { tradeCountOf } from '../../../strategy/grid/session.ts'
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
