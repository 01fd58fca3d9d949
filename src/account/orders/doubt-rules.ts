import { exchangeDay } from '../../domain/exchange-time.ts'
import { CLIENT_ORDER_ID } from '../../domain/ids.ts'
import {
  type BrokerDeal,
  type BrokerOrder,
  type OrderRecord,
  PRICE_TYPE,
} from '../../domain/order.ts'
import type { AccountLimits } from '../model/policy.ts'
import type { AccountState } from '../model/state.ts'

/** Nobody knows whether the broker has it, and a machine still may find out. */
export const isInDoubt = (order: OrderRecord): boolean =>
  order.status === 'inDoubt' && order.isQuarantined !== true

export const hasDoubt = ({ orders }: AccountState): boolean =>
  [...orders.doubtful()].some(isInDoubt)

/** Whether no barrier has been answered behind it on this connection. */
export const isUncleared = ({ laneClearedMs }: AccountState, order: OrderRecord): boolean =>
  order.status === 'inDoubt' && !laneClearedMs.has(order.clientOrderId)

/** Whether it may still arrive at the broker: what had a number has, and what is cleared never will. */
export const mayArrive = (state: AccountState, order: OrderRecord): boolean =>
  order.orderId === '' && isUncleared(state, order)

/**
 * Orders of ours that the end of their day does not end: the broker has not said that it has them, and they may
 * still reach it. A call that stood in a library over night places its order in the morning.
 */
export function* unarrived(state: AccountState): Iterable<string> {
  for (const order of state.orders.unanswered()) {
    if (order.status === 'submitted' || mayArrive(state, order)) yield order.clientOrderId
  }
}

/** Of a day that is over: nothing like it is listed any more, so a person has nothing to go by. */
export const isOfEarlierDay = ({ day }: AccountState, order: OrderRecord): boolean =>
  order.day < day

/** Whether somebody has to look on: a machine may find out, or a barrier must say what a person may. */
export const isDoubtOpen = (state: AccountState): boolean =>
  state.hasParked ||
  [...state.orders.doubtful()].some(
    (order) => isInDoubt(order) || mayArrive(state, order) || isOfEarlierDay(state, order),
  )

/**
 * Orders of ours that this row of the broker may be, its remark lost or cut. A remark that
 * is a whole client order id of another order proves that it is none of them, and so does a deal of
 * it that was booked when none of them could have been meant.
 */
export function ordersLike(state: AccountState, row: BrokerOrder): readonly OrderRecord[] {
  if (row.isOtherBusiness || CLIENT_ORDER_ID.test(row.clientOrderId)) return []
  const { orders, policy } = state
  const like = [...orders.unanswered()].filter((order) => isLike(order, row, policy.limits))
  return like.length > 0 && isStrangers(state, row) ? [] : like
}

/** Orders of somebody else that an order of ours may be which is listed no more: its number new, its remark lost. */
export const strangersLike = (
  { orders, policy }: AccountState,
  order: OrderRecord,
): readonly OrderRecord[] =>
  [...orders.values()].filter(
    (other) =>
      other.strategy === 'external' &&
      other.day === order.day &&
      other.code === order.code &&
      other.side === order.side &&
      other.quantity === order.quantity &&
      (order.priceType !== PRICE_TYPE.limit || other.price === order.price) &&
      other.createdMs >= order.createdMs - policy.limits.matchBeforeMs &&
      other.createdMs <= order.createdMs + policy.limits.matchAfterMs,
  )

const isStrangers = (state: AccountState, row: BrokerOrder): boolean =>
  [...state.deals.values()].some(
    ({ deal }) =>
      deal.orderId === row.orderId &&
      deal.code === row.code &&
      deal.side === row.side &&
      exchangeDay(deal.timeMs) === exchangeDay(row.timeMs),
  )

function isLike(order: OrderRecord, row: BrokerOrder, limits: AccountLimits): boolean {
  return (
    order.code === row.code &&
    order.side === row.side &&
    order.quantity === row.quantity &&
    // Other price types show the price that the broker gave them.
    (order.priceType !== PRICE_TYPE.limit || order.price === row.price) &&
    // However long it was on its way: a late row may be it, but see `isTimely`.
    row.timeMs >= order.createdMs - limits.matchBeforeMs
  )
}

/** Whether a row is near enough in time to be taken for the order without asking a person. */
export const isTimely = (order: OrderRecord, row: BrokerOrder, limits: AccountLimits): boolean =>
  row.timeMs <= order.createdMs + limits.matchAfterMs

/** Whether a deal of an unknown order may belong to one of ours that has no number yet. */
export function mayFillOurs(state: AccountState, deal: BrokerDeal): boolean {
  if (state.parked.has(deal.orderId)) return true
  if (deal.isOtherBusiness || CLIENT_ORDER_ID.test(deal.clientOrderId)) return false
  return [...state.orders.unanswered()].some(
    (order) =>
      order.code === deal.code &&
      order.side === deal.side &&
      deal.quantity <= order.quantity - order.filledQuantity &&
      deal.timeMs >= order.createdMs - state.policy.limits.matchBeforeMs,
  )
}
