import { exchangeDay } from '../../domain/exchange-time.ts'
import type { StockCode } from '../../domain/instrument.ts'
import type { Quantity } from '../../domain/money.ts'
import type { BrokerPosition, OrderRecord } from '../../domain/order.ts'
import { isOpen } from '../../domain/order-state.ts'
import type { Position } from '../../domain/position.ts'
import type { AccountState } from '../model/state.ts'
import { isEndUntold, unshownShares } from '../orders/available.ts'
import type { Turn } from '../turn/turn.ts'

/*
 * A first take-profit may rest at the broker when the computer is switched off, and be filled that afternoon. On the next day
 * clients list neither the order nor its deals any more; all they say of it is the holding. Where the first list that shows
 * it has just so many shares fewer as the order asked for, and nothing else of that stock was or is at work, the broker has
 * said that it was filled (docs/domain.md 3.11).
 */

/** Looks whether a list of holdings tells of such a sale, before the list is followed. */
export function noteSoldAway(turn: Turn, before: Position | undefined, row: BrokerPosition): void {
  const { state, asked } = turn
  if (before === undefined || asked === undefined) return
  const quantity = (before.quantity - row.quantity) as Quantity
  if (quantity <= 0 || before.profitTriggered || unshownShares(state, row.code) !== 0) return
  const order = lastUntold(state, row.code)
  if (order?.signalType !== 'take_profit_half' || order.quantity !== quantity) return
  if (!isFirstList(state, order)) return
  turn.emit({ kind: 'orderTakenForFilled', clientOrderId: order.clientOrderId, quantity })
}

/** The last sale of a stock whose day has ended without a word of its fills; undefined when others may have sold, too. */
function lastUntold({ orders, day }: AccountState, code: StockCode): OrderRecord | undefined {
  const sales = [...orders.values()].filter((order) => order.code === code && order.side === 'sell')
  const untold = sales.filter(isEndUntold).toSorted((one, other) => (one.day < other.day ? 1 : -1))
  const [last, next] = untold
  if (last === undefined || last.orderId === '' || next?.day === last.day) return undefined
  return sales.some((order) => isOpen(order.status) || order.day === day) ? undefined : last
}

/** No list of a later day has shown the stock: what it lacks by now may have gone on the day of the order. */
function isFirstList({ shares, unseen }: AccountState, order: OrderRecord): boolean {
  const listed = shares.get(order.code)?.listed
  // A life that began with the order still open has followed no list of this day before.
  if (listed === undefined) return unseen.has(order.clientOrderId)
  return exchangeDay(listed.wallMs) <= order.day
}
