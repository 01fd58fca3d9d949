import { exchangeDay } from '../../domain/exchange-time.ts'
import {
  type BrokerDeal,
  type BrokerOrder,
  type OrderRecord,
  PRICE_TYPE,
} from '../../domain/order.ts'
import type { AccountState } from '../model/state.ts'
import type { Turn } from '../turn/turn.ts'
import { isGone } from './listed.ts'

/**
 * Rows that bear the id of an order of ours under another number than the one we know. A trading client that was
 * started anew may have numbered its orders anew; and a person may have placed the order again, remark and all.
 */

/** What such a row is: our order under another number, somebody else's, or nobody's before lists say more. */
export type Claim = 'renumbered' | 'stranger' | 'unclear'

/** Our order whose id this row bears although its number is another one. */
export function otherBearer(state: AccountState, row: BrokerOrder): OrderRecord | undefined {
  const formerly = state.orders.get(state.orderIds.get(row.orderId) ?? '')
  const named = state.orders.bearing(row.clientOrderId)
  const order = formerly?.formerIds?.includes(row.orderId) ? formerly : named
  const isOther = order !== undefined && order.orderId !== '' && order.orderId !== row.orderId
  return isOther && order.strategy !== 'external' ? order : undefined
}

/**
 * Both listed at once are two orders, and ours is the one whose number we were told first. The old number missing
 * for good and the new one there is one order that was renumbered. `listed`: numbers of the list that the row is of.
 */
export function claimOf(
  { state }: Turn,
  order: OrderRecord,
  { row, listed }: { readonly row: BrokerOrder; readonly listed: ReadonlySet<string> | undefined },
): Claim {
  if (!isSameOrder(state, order, row)) return 'stranger'
  if (listed === undefined) return 'unclear' // pushed: it may be both
  if (listed.has(order.orderId)) return 'stranger'
  return isGone(state, order) ? 'renumbered' : 'unclear'
}

function isSameOrder({ policy }: AccountState, order: OrderRecord, row: BrokerOrder): boolean {
  return (
    order.code === row.code &&
    order.side === row.side &&
    order.quantity === row.quantity &&
    (order.priceType !== PRICE_TYPE.limit || order.price === row.price) &&
    order.day === exchangeDay(row.timeMs) &&
    row.timeMs >= order.createdMs - policy.limits.matchBeforeMs
  )
}

/** The order is known by the number of this row from now on. */
export function renumber(turn: Turn, order: OrderRecord, { orderId }: BrokerOrder): void {
  const { clientOrderId, orderId: formerId } = order
  turn.state.unlisted.delete(clientOrderId)
  turn.emit({ kind: 'orderRenumbered', clientOrderId, orderId, formerId })
  const text = `the trading client lists it as ${orderId} now, and ${formerId} no more`
  turn.warnOfOrder(clientOrderId, text)
}

/** The first number is listed again, beside the later one: that was somebody's copy after all. */
export function takeBack(turn: Turn, order: OrderRecord, { orderId }: BrokerOrder): void {
  const { clientOrderId, orderId: formerId } = order
  turn.emit({ kind: 'orderRenumbered', clientOrderId, orderId, formerId, isCopy: true })
  const text = `listed as ${orderId} again beside ${formerId}, which is another order then`
  turn.warnOfOrder(clientOrderId, text)
}

/**
 * Whether a deal bears our id under a number that no order has yet: its order row says whose it is. A row that
 * never comes is not waited for longer than for any other order in doubt.
 */
export function isOfUnknownNumber({ state, inputs }: Turn, deal: BrokerDeal): boolean {
  const named = state.orders.bearing(deal.clientOrderId)
  if (named === undefined || named.orderId === '' || named.strategy === 'external') return false
  const isSameStock = named.code === deal.code && named.side === deal.side
  const isFresh = inputs.nowMs - deal.timeMs < state.policy.limits.doubtQuarantineMs
  return isSameStock && isFresh && !state.orderIds.has(deal.orderId)
}
