import { exchangeDay } from '../../domain/exchange-time.ts'
import type { Quantity } from '../../domain/money.ts'
import { type BrokerPosition, isTerminal, type OrderRecord } from '../../domain/order.ts'
import { isOpen } from '../../domain/order-state.ts'
import { type Position, UNKNOWN_COST } from '../../domain/position.ts'
import type { AccountState } from '../model/state.ts'
import type { Turn } from '../turn/turn.ts'

/*
 * The service or the terminal was away as the day of an order ended, and lists of another day tell nothing of it: only the first
 * list of holdings after that says what it has filled. Once the order has ended, that counts as what the broker has counted and
 * no deal has told of, or a first take-profit would be taken a second time, and a grid trade a level twice. That may be days
 * later, and in another life. Where it cannot be told for a grid, that is paused: a person has to look.
 */

/** Whether so many shares of a holding are gone by a sale of which nobody has said how it ended. Of two nobody knows which it was. */
export function noteUnheardSale(turn: Turn, held: Position, gone: number): boolean {
  if (turn.asked === undefined || gone <= 0) return false
  const sales = unheardOf(turn, held, 'sell')
  const [sale, other] = sales
  if (sale === undefined) return false
  const isGrids = isOfGrid(turn, sale)
  // A purchase of the grid may have been filled besides.
  const isPlain = !isGrids || unheardOf(turn, held, 'buy').length === 0
  if (other !== undefined || gone > sale.quantity || !isPlain) return leaveToPerson(turn, sales)
  if (sale.signalType === undefined && !isGrids) return false
  // With a part that is known its fills have had their effects; a grid has booked no more than that part.
  if (!hasFills(sale)) take(turn, sale, gone)
  else if (isGrids) leaveToPerson(turn, sales)
  return true
}

/** The same for shares that are there without a deal: only grids make anything of their purchases. */
export function noteUnheardPurchase(
  turn: Turn,
  held: Position,
  { come, row }: { readonly come: number; readonly row: BrokerPosition },
): void {
  if (turn.asked === undefined || come <= 0) return
  const purchases = unheardOf(turn, held, 'buy')
  const [purchase, other] = purchases
  if (purchase === undefined || !purchases.some((order) => isOfGrid(turn, order))) return
  const isPlain =
    other === undefined &&
    come <= purchase.quantity &&
    !hasFills(purchase) &&
    unheardOf(turn, held, 'sell').length === 0 &&
    isPaidFor(held, row, purchase)
  if (isPlain) take(turn, purchase, come)
  else leaveToPerson(turn, purchases)
}

/** Shares that an ex-day adds cost nothing. A client that tells no cost says nothing of it. */
function isPaidFor(held: Position, row: BrokerPosition, { price }: OrderRecord): boolean {
  if (held.costPrice <= UNKNOWN_COST || row.costPrice <= UNKNOWN_COST) return true
  const paid = row.costPrice * row.quantity - held.costPrice * held.quantity
  return paid * 2 > price * (row.quantity - held.quantity)
}

const hasFills = ({ filledQuantity, venueFilledQuantity = 0 as Quantity }: OrderRecord): boolean =>
  filledQuantity + venueFilledQuantity > 0

const isOfGrid = ({ state }: Turn, { clientOrderId }: OrderRecord): boolean =>
  state.grid.orders.has(clientOrderId)

function take(turn: Turn, order: OrderRecord, moved: number): void {
  const { clientOrderId } = order
  turn.emit({ kind: 'orderTakenForFilled', clientOrderId, quantity: moved as Quantity })
}

/** What has moved may be the fills of an order of a grid, and may be not: it must not trade that level twice. */
function leaveToPerson(turn: Turn, orders: readonly OrderRecord[]): false {
  const { grid } = turn.state
  for (const { clientOrderId } of orders) {
    const session = grid.sessions.get(grid.orders.get(clientOrderId)?.sessionId ?? 0)
    if (session?.status !== 'active' || !session.isEnabled) continue
    const { id: sessionId, tracker } = session
    turn.emit({ kind: 'gridSwitched', sessionId, isEnabled: false, tracker, source: SOURCE })
    turn.warnOfOrder(clientOrderId, UNCLEAR_TEXT)
    turn.state.dataVersion += 1
    turn.after({ kind: 'bands' })
  }
  return false
}
const SOURCE = 'unheard_fill'
const UNCLEAR_TEXT =
  '委托日已过而未见成交，持仓的变化无法确定是否由它造成：网格已暂停，请在交易客户端核对成交后再恢复 (its day is over, and nobody can tell whether it made the change of the holding: its grid is paused, look at the fills in the trading client before you resume it)'

const unheardOf = (turn: Turn, held: Position, side: OrderRecord['side']): readonly OrderRecord[] =>
  [...turn.state.orders.values()].filter(
    (order) => order.code === held.code && order.side === side && isUnheard(turn, held, order),
  )

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
