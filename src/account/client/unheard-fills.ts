import { exchangeDay } from '../../domain/exchange-time.ts'
import type { StockCode } from '../../domain/instrument.ts'
import type { Quantity } from '../../domain/money.ts'
import type { BrokerPosition, OrderRecord } from '../../domain/order.ts'
import { isOpen } from '../../domain/order-state.ts'
import { type Position, UNKNOWN_COST } from '../../domain/position.ts'
import { boardOf } from '../../domain/rules.ts'
import { isAfterHours } from '../../domain/session.ts'
import type { AccountState } from '../model/state.ts'
import { dealtBefore, unshownShares } from '../orders/available.ts'
import { listedMs, unheardOf, untoldBy, untoldOf } from '../orders/unheard-orders.ts'
import { isOfPerson } from '../orders/untold.ts'
import type { Turn } from '../turn/turn.ts'

/*
 * The service or the terminal was away as the day of an order ended, and lists of another day tell nothing of it: only the first
 * list of holdings after that says what it has filled. Once the order has ended, that counts as what the broker has counted and
 * no deal has told of, or a first take-profit would be taken a second time, and a grid trade a level twice. That may be days
 * later, and in another life. Where it cannot be told for a grid, that is paused: a person has to look.
 */

/**
 * Shares that are gone, less what rows tell that are laid aside as long as they may be those of an order in doubt: whosever
 * they are, their own deals will be booked. A list may have shown that before, so it explains no more than there is.
 */
export function besideLaid({ parked }: AccountState, code: StockCode, gone: number): number {
  const side = gone > 0 ? 'sell' : 'buy'
  let untold = Math.abs(gone)
  for (const row of parked.values()) {
    if (row.code === code && row.side === side) untold -= row.filledQuantity
  }
  return Math.sign(gone) * Math.max(0, untold)
}

/** What a list shows otherwise than deals have told. */
export interface Moved {
  /** Below 0: come. */
  readonly gone: number
  readonly row: BrokerPosition
}

/**
 * Whether shares of a holding are gone by sales of which nobody has said how they ended. Of several orders each has filled at
 * least what the others cannot have; what a grid books must be exact. Where nothing has moved nothing was filled.
 */
export function noteUnheard(turn: Turn, held: Position, { gone, row }: Moved): boolean {
  if (turn.asked === undefined || gone === 0) return false
  const orders = unheardOf(turn, held)
  const most = { sell: untoldBy(orders, 'sell'), buy: untoldBy(orders, 'buy') }
  if (gone > most.sell || -gone > most.buy) {
    return leaveToPerson(
      turn,
      orders.filter((order) => !isShownTonight(turn, held, order)),
    )
  }
  const filled = orders.filter((order) => {
    const { side } = order
    const untold = untoldOf(order)
    const moved = side === 'sell' ? gone : -gone
    const least = Math.max(0, moved - (most[side] - untold))
    const greatest = Math.min(untold, moved + most[side === 'sell' ? 'buy' : 'sell'])
    if (!isOfGrid(turn, order)) return takeSale(turn, order, least)
    const isAll = side === 'sell' && least === untold
    const isPlain = !hasFills(order) && isOfItsCost(order, { held, gone, row, isAll })
    return takeGrids(turn, order, { least, greatest, isPlain })
  })
  return filled.some(({ side }) => side === 'sell')
}

/**
 * Lists show a holding no more: a sale of a grid that was for all of it is in its ledger before the grid ends with the holding.
 * Where others may have sold it a person is told; there is nothing left to trade twice.
 */
export function noteCleared(turn: Turn, held: Position, gone: number): void {
  if (turn.asked === undefined || gone <= 0) return
  const orders = unheardOf(turn, held)
  const most = untoldBy(orders, 'sell')
  for (const order of orders) {
    if (order.side === 'buy' || !isOfGrid(turn, order)) continue
    const untold = untoldOf(order)
    if (gone === most && !hasFills(order)) take(turn, order, untold)
    else turn.warnOfOrder(order.clientOrderId, CLEARED_TEXT)
  }
}

/**
 * Lists lack an order of a grid on its own day, and nothing is frozen for it: it has ended. Where shares of its stock have moved
 * meanwhile of which no deal tells, those may be its fills, and its deals may be listed again.
 */
export function noteVanished(turn: Turn, order: OrderRecord): void {
  if (isOfGrid(turn, order) && movedAsBy(turn, order) > 0) {
    leaveToPerson(turn, [order], VANISHED_TEXT)
  }
}

/** Shares of its stock that have moved as fills of the order would have moved them, and of which no deal tells. */
function movedAsBy({ state }: Turn, order: OrderRecord): number {
  const { code, side, goneQuantity = 0 } = order
  const { positions, costs, earnings } = state
  if (earnings.sinceMs === 0 || boardOf(code) === undefined) return 0 // no costs are kept for it
  const shown = positions.get(code)?.quantity ?? 0
  const held = dealtBefore(state, code, shown) ?? shown + unshownShares(state, code)
  const gone = besideLaid(state, code, (costs.books.get(code)?.quantity ?? 0) - held)
  return Math.max(0, Math.min((side === 'sell' ? gone : -gone) - goneQuantity, untoldOf(order)))
}

/** Whether an order that lists lack on its own day may be behind what has moved of its stock, and would be sent again. */
export const mayHaveFilled = (turn: Turn, order: OrderRecord): boolean =>
  wouldBeRepeated(order) && movedAsBy(turn, order) > 0

/**
 * What would be sent again if it counted as an order of which nothing more came: a first take-profit by its signal, but for one of
 * which a part is known, and one of a person by him. A stop sells no more than what is there, and a grid has been paused.
 */
export const wouldBeRepeated = (order: OrderRecord): boolean =>
  (isFirstProfit(order) && !hasFills(order)) || isOfPerson(order)

/**
 * No machine decides any more what has moved as by the order, and costs will follow it: once a first take-profit has ended it
 * counts as its fills, and a grid is paused.
 */
export function noteUndecided(turn: Turn, order: OrderRecord): void {
  noteVanished(turn, order)
  if (!isFirstProfit(order) || order.goneQuantity !== undefined || hasFills(order)) return
  const moved = movedAsBy(turn, order)
  if (moved > 0) take(turn, order, moved)
}

/** A day ends with orders of which nothing is decided: no list will tell any more what has moved by them. */
export function noteDayEnds(turn: Turn, day: string): void {
  for (const order of [...turn.state.orders.open()]) {
    if (order.day >= day) continue
    if (order.status === 'inDoubt' || isFirstProfit(order)) noteUndecided(turn, order)
  }
}

const isFirstProfit = ({ signalType }: OrderRecord): boolean => signalType === 'take_profit_half'

/** Whether a sale has sold something that a signal wanted. With a part that is known its fills have had their effects. */
function takeSale(turn: Turn, order: OrderRecord, least: number): boolean {
  if (least === 0 || order.side === 'buy' || order.signalType === undefined) return false
  if (!hasFills(order)) take(turn, order, least)
  return true
}

interface Filled {
  readonly least: number
  readonly greatest: number
  /** Nothing else speaks against it. */
  readonly isPlain: boolean
}

/** Whether an order of a grid has filled something, which is left to a person where nobody can tell how much. */
function takeGrids(turn: Turn, order: OrderRecord, { least, greatest, isPlain }: Filled): boolean {
  if (greatest === 0) return false
  if (isPlain && least === greatest) take(turn, order, least)
  else leaveToPerson(turn, [order])
  return least > 0
}

/**
 * Whether the first list of the day has to tell what such an order has filled. A push comes before the deals of today
 * are known, so what it shows may be of somebody's sale of this morning; followed, it would leave nothing to be told.
 */
export function awaitsList(turn: Turn, { code, quantity }: BrokerPosition): boolean {
  const { positions, lost, orders, isReady } = turn.state
  const held = positions.get(code) ?? lost.get(code)?.held
  if (held === undefined || held.quantity === quantity) return false
  // On an evening only lists say whether its day is over.
  const isOpenAtNight = !isReady && isAfterHours(turn.inputs.nowMs)
  const awaited = isOpenAtNight
    ? [...orders.values()].filter((order) => order.code === code && isOpen(order.status))
    : unheardOf(turn, held)
  return awaited.some((order) => order.signalType !== undefined || isOfGrid(turn, order))
}

interface Priced extends Moved {
  readonly held: Position
  /** The order has sold all that it was to. */
  readonly isAll: boolean
}

/**
 * Shares that an ex-day adds cost nothing, beside those that are bought, or in place of some that are sold: a sale takes what
 * they have cost, or what they have brought (摊薄成本). A client that tells no cost says nothing of it, nor does one beside deals of
 * today. What an order has sold whole hides no shares, but a dividend may have lowered the cost besides.
 */
function isOfItsCost({ side, price }: OrderRecord, { held, gone, row, isAll }: Priced): boolean {
  if (held.costPrice <= UNKNOWN_COST || row.costPrice <= UNKNOWN_COST) return true
  const paid = row.costPrice * row.quantity - held.costPrice * held.quantity
  const come = row.quantity - held.quantity
  if (side === 'buy') return paid * 2 > price * come
  if (come !== -gone) return true
  return [held.costPrice, price].some((each) => {
    const off = paid - each * come
    return (isAll ? off : Math.abs(off)) * 2 < -each * come
  })
}

const hasFills = ({ filledQuantity, venueFilledQuantity = 0 as Quantity }: OrderRecord): boolean =>
  filledQuantity + venueFilledQuantity > 0

const isOfGrid = ({ state }: Turn, { clientOrderId }: OrderRecord): boolean =>
  state.grid.orders.has(clientOrderId)

function take(turn: Turn, order: OrderRecord, moved: number): void {
  const { clientOrderId, goneQuantity = 0 } = order
  const quantity = (goneQuantity + moved) as Quantity
  turn.emit({ kind: 'orderTakenForFilled', clientOrderId, quantity })
  turn.state.dayEnds.delete(clientOrderId)
}

/** What has moved may be the fills of an order of a grid, and may be not: it must not trade that level twice. */
function leaveToPerson(
  turn: Turn,
  orders: readonly OrderRecord[],
  text: string = UNCLEAR_TEXT,
): false {
  const { grid } = turn.state
  for (const { clientOrderId } of orders) {
    const session = grid.sessions.get(grid.orders.get(clientOrderId)?.sessionId ?? 0)
    if (session?.status !== 'active' || !session.isEnabled) continue
    const { id: sessionId, tracker } = session
    turn.emit({ kind: 'gridSwitched', sessionId, isEnabled: false, tracker, source: SOURCE })
    turn.warnOfOrder(clientOrderId, text)
    turn.state.dataVersion += 1
    turn.after({ kind: 'bands' })
  }
  return false
}
const SOURCE = 'unheard_fill'
const UNCLEAR_TEXT =
  '委托日已过而未见成交，持仓的变化无法确定是否由它造成：网格已暂停，请在交易客户端核对成交后再恢复 (its day is over, and nobody can tell whether it made the change of the holding: its grid is paused, look at the fills in the trading client before you resume it)'

const VANISHED_TEXT =
  '交易客户端的当日委托中没有该委托，而持仓已有变化、成交列表未能说明：网格已暂停，请在交易客户端核对成交后再恢复 (the trading client does not list it, and the holding has changed by what no deal tells: its grid is paused, look at the fills in the trading client before you resume it)'

const CLEARED_TEXT =
  '委托日已过而未见成交，且其股票已无持仓：网格账目可能缺少这笔成交，请在交易客户端核对 (its day is over, and its stock is held no more: the ledger of its grid may lack what it filled, please look at the trading client)'

/** Lists of this evening have shown its stock: what no fill of it can have made is none, unless they were behind. */
const isShownTonight = (turn: Turn, held: Position, order: OrderRecord): boolean =>
  order.day === exchangeDay(turn.inputs.nowMs) && isAfterHours(listedMs(turn.state, held, order))
