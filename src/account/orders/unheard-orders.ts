import { exchangeDay } from '../../domain/exchange-time.ts'
import type { Quantity } from '../../domain/money.ts'
import { isTerminal, type OrderRecord } from '../../domain/order.ts'
import { isOpen } from '../../domain/order-state.ts'
import type { Position } from '../../domain/position.ts'
import { isAfterHours } from '../../domain/session.ts'
import type { AccountState } from '../model/state.ts'
import type { Turn } from '../turn/turn.ts'

type Sighted = Pick<Turn, 'state' | 'inputs'>

/** Orders of a stock of which nobody has said how they ended. */
export const unheardOf = (turn: Sighted, held: Position): readonly OrderRecord[] =>
  withoutDeals(turn, held).filter(({ venueStatus }) => !isTerminal(venueStatus))

/** Purchases whose shares may have come unseen: with those that the broker has counted as filled, and of which no deal has told. */
export const unseenPurchases = (turn: Sighted, held: Position): readonly OrderRecord[] =>
  withoutDeals(turn, held).filter(
    ({ side, venueStatus }) => side === 'buy' && (venueStatus === 56 || !isTerminal(venueStatus)),
  )

/**
 * Orders of a stock that ended without all their deals: their day is over, and since then no list has shown the stock but one
 * that may be behind.
 */
const withoutDeals = (turn: Sighted, held: Position): readonly OrderRecord[] =>
  [...turn.state.orders.values()].filter(
    (order) =>
      order.code === held.code &&
      (order.status === 'expired' || isOpen(order.status)) &&
      isDayOver(turn, order) &&
      isListAwaited(turn.state, order, listedMs(turn.state, held, order)),
  )

function isListAwaited({ dayEnds, policy }: AccountState, order: OrderRecord, listed: number) {
  if (exchangeDay(listed) <= order.day) return true
  const sinceMs = listed - (dayEnds.get(order.clientOrderId) ?? Number.NEGATIVE_INFINITY)
  // A clock that was set back meanwhile makes nothing wait.
  return sinceMs >= 0 && sinceMs < policy.limits.holdingsLagMs
}

/** Some clients empty the lists of a day on its evening: what those lack then has no day any more either. */
function isDayOver({ state, inputs }: Sighted, { day, clientOrderId, vanishedMs }: OrderRecord) {
  const { nowMs } = inputs
  if (day < exchangeDay(nowMs)) return true
  return isAfterHours(nowMs) && (state.unlisted.has(clientOrderId) || vanishedMs !== undefined)
}

/** When lists have shown a stock last: in an earlier life as they last changed it, for whole it may be sold again. */
export function listedMs(
  { shares, unseen }: AccountState,
  { code, updatedMs, reportedMs = updatedMs }: Position,
  { clientOrderId, createdMs }: OrderRecord,
): number {
  const { listed } = shares.get(code) ?? {}
  if (listed !== undefined) return listed.wallMs
  // A life that began with the order still open has followed no list of a later day.
  return unseen.has(clientOrderId) ? createdMs : reportedMs
}

/** What neither a deal nor an earlier list of holdings tells of it. */
export const untoldOf = ({
  quantity,
  filledQuantity,
  goneQuantity = 0 as Quantity,
}: OrderRecord): number => quantity - filledQuantity - goneQuantity

/** What orders of one side may have filled together. */
export const untoldBy = (orders: readonly OrderRecord[], side: OrderRecord['side']): number =>
  orders.reduce((sum, order) => sum + (order.side === side ? untoldOf(order) : 0), 0)
