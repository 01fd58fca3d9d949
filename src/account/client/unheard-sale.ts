import { exchangeDay } from '../../domain/exchange-time.ts'
import type { Quantity } from '../../domain/money.ts'
import { isTerminal, type OrderRecord } from '../../domain/order.ts'
import { isOpen } from '../../domain/order-state.ts'
import type { Position } from '../../domain/position.ts'
import type { AccountState } from '../model/state.ts'
import type { Turn } from '../turn/turn.ts'

/*
 * The service or the terminal was away as the day of a sale ended, and lists of another day tell nothing of it: only the first
 * list of holdings after that says what it has filled. Once the order has ended, that counts as what the broker has counted and
 * no deal has told of, or a first take-profit would be taken a second time. That may be days later, and in another life.
 */

/** Whether so many shares of a holding are gone by a sale of which nobody has said how it ended. Of two nobody knows which it was. */
export function noteUnheardSale(turn: Turn, held: Position, gone: number): boolean {
  const { state, asked } = turn
  if (asked === undefined || gone <= 0) return false
  const [sale, other] = [...state.orders.values()].filter(
    (order) => order.code === held.code && order.side === 'sell' && isUnheard(turn, held, order),
  )
  if (sale?.signalType === undefined || other !== undefined) return false
  if (gone > sale.quantity) return false
  // With a part that is known its fills have had their effects.
  if (sale.filledQuantity + (sale.venueFilledQuantity ?? 0) > 0) return true
  const { clientOrderId } = sale
  turn.emit({ kind: 'orderTakenForFilled', clientOrderId, quantity: gone as Quantity })
  return true
}

/** Its day is over, and since then no list has shown its stock. */
function isUnheard({ state, inputs }: Turn, held: Position, order: OrderRecord): boolean {
  return (
    (order.status === 'expired' || isOpen(order.status)) &&
    order.day < exchangeDay(inputs.nowMs) &&
    !isTerminal(order.venueStatus) &&
    exchangeDay(listedMs(state, held, order)) <= order.day
  )
}

/** When lists have shown a stock last: in an earlier life as they last changed it, for whole it may be sold again. */
function listedMs(
  { shares, unseen }: AccountState,
  { code, updatedMs, reportedMs = updatedMs }: Position,
  { clientOrderId, createdMs }: OrderRecord,
): number {
  const { listed } = shares.get(code) ?? {}
  if (listed !== undefined) return listed.wallMs
  // A life that began with the order still open has followed no list of a later day.
  return unseen.has(clientOrderId) ? createdMs : reportedMs
}
