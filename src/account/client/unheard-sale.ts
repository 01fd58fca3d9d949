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

/**
 * Whether so many shares of a holding are gone by sales of which nobody has said how they ended. Of several each has sold at
 * least what the others cannot have; what a grid has booked must be exact.
 */
export function noteUnheardSale(turn: Turn, held: Position, gone: number): boolean {
  if (turn.asked === undefined || gone <= 0) return false
  const sales = unheardOf(turn, held, 'sell')
  const most = sales.reduce((sum, sale) => sum + untoldOf(sale), 0)
  if (gone > most) return leaveToPerson(turn, sales)
  // A purchase of the grid may have been filled besides.
  const isExact = sales.length === 1 || gone === most
  const isPlain = isExact && unheardOf(turn, held, 'buy').length === 0
  const known = sales.filter((sale) =>
    takeSale(turn, sale, { isPlain, least: gone - (most - untoldOf(sale)) }),
  )
  return known.length > 0
}

interface SaleSeen {
  /** What it has sold is known to the share. */
  readonly isPlain: boolean
  /** What it has sold at least; 0 or less: perhaps nothing. */
  readonly least: number
}

/** Whether it has sold something. With a part that is known its fills have had their effects; a grid has booked that part. */
function takeSale(turn: Turn, sale: OrderRecord, { isPlain, least }: SaleSeen): boolean {
  const isGrids = isOfGrid(turn, sale)
  const isUnclear = isGrids && (!isPlain || hasFills(sale))
  if (isUnclear) leaveToPerson(turn, [sale])
  if (least <= 0 || (sale.signalType === undefined && !isGrids)) return false
  if (!isUnclear && !hasFills(sale)) take(turn, sale, least)
  return true
}

/** What no deal tells of it yet. */
const untoldOf = ({ quantity, filledQuantity }: OrderRecord): number => quantity - filledQuantity

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

/**
 * Whether the first list of the day has to tell what such an order has filled. A push comes before the deals of today
 * are known, so what it shows may be of somebody's sale of this morning; followed, it would leave nothing to be told.
 */
export function awaitsList(turn: Turn, { code, quantity }: BrokerPosition): boolean {
  const { positions, lost } = turn.state
  const held = positions.get(code) ?? lost.get(code)?.held
  if (held === undefined || held.quantity === quantity) return false
  const orders = [...unheardOf(turn, held, 'sell'), ...unheardOf(turn, held, 'buy')]
  return orders.some((order) => order.signalType !== undefined || isOfGrid(turn, order))
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
