import { exchangeDay } from '../../domain/exchange-time.ts'
import type { Quantity } from '../../domain/money.ts'
import {
  type BrokerOrder,
  type BrokerPosition,
  isTerminal,
  type OrderRecord,
  VENUE_STATUS,
} from '../../domain/order.ts'
import { isOpen } from '../../domain/order-state.ts'
import type { Position } from '../../domain/position.ts'
import type { AccountState } from '../model/state.ts'
import { unshownShares } from '../orders/available.ts'
import type { Turn } from '../turn/turn.ts'

/**
 * The service or the terminal was away as the day of a sale ended, and no list of another day tells of it: only the first list
 * of holdings after that says what it has filled. That counts as what the broker has counted and no deal has told of, or
 * a first take-profit would be taken a second time. Of two sales nobody knows which of them it was.
 */
export function countUnheardSale(turn: Turn, held: Position, row: BrokerPosition): void {
  const { state, asked } = turn
  const gone = held.quantity + unshownShares(state, row.code) - row.quantity
  if (asked === undefined || gone <= 0) return
  const [sale, other] = [...state.orders.values()].filter(
    (order) => order.code === row.code && order.side === 'sell' && isUnheard(state, order),
  )
  if (sale?.signalType === undefined || other !== undefined) return
  // Whoever is in doubt is decided by looks.
  if (sale.status !== 'expired' || sale.orderId === '') return
  // With a part that is known its fills have had their effects.
  const isKnown = sale.filledQuantity + (sale.venueFilledQuantity ?? 0) > 0
  if (isKnown || gone > sale.quantity) return
  const report = endOf(sale, gone as Quantity)
  turn.emit({ kind: 'orderReported', clientOrderId: sale.clientOrderId, report })
}

/** Nobody has said how it ended, its day is over, and since then no list has shown its stock. */
function isUnheard({ day, shares }: AccountState, order: OrderRecord): boolean {
  const { listed } = shares.get(order.code) ?? {}
  return (
    (order.status === 'expired' || isOpen(order.status)) &&
    order.day < day &&
    !isTerminal(order.venueStatus) &&
    (listed === undefined || exchangeDay(listed.wallMs) <= order.day)
  )
}

function endOf(order: OrderRecord, filledQuantity: Quantity): BrokerOrder {
  const { orderId, clientOrderId, code, side, quantity, priceType, price, strategy } = order
  const status = filledQuantity === quantity ? 56 : 53
  return {
    ...{ orderId, clientOrderId, code, side, quantity, priceType, price, strategy },
    filledQuantity,
    filledAmount: order.filledAmount,
    status,
    statusMessage: VENUE_STATUS[status],
    timeMs: order.createdMs,
  }
}
