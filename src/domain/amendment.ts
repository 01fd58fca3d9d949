import type { Quantity } from './money.ts'
import { type Amendment, isCaughtUp, isTerminal, type OrderRecord } from './order.ts'
import { isOpen } from './order-state.ts'

/** What is to be sent in the place of an order that was canceled for it: so many shares, nothing yet, or nothing at all. */
export type Replacement =
  | { readonly kind: 'wait' }
  | { readonly kind: 'send'; readonly quantity: Quantity }
  | { readonly kind: 'drop'; readonly reason: string }

const WAIT: Replacement = { kind: 'wait' }
const drop = (reason: string): Replacement => ({ kind: 'drop', reason })

/** What an amendment is judged by besides the order. */
export interface AmendmentMoment {
  /** Exchange day in force. */
  readonly day: string
  /** Whether its time is up. */
  readonly isLate: boolean
  /** Whether no more tries to cancel are made. */
  readonly isCancelGivenUp: boolean
  /** Whether its end tells of a part that is still looked for. */
  readonly isPartSought: boolean
}

/**
 * What follows from an order that is to be changed. Shares are sent anew only once the trading client has shown its end
 * and every share that it counts as filled is booked: both orders together never ask for more than was wanted.
 */
export function replacementOf(
  order: OrderRecord,
  { quantity }: Pick<Amendment, 'quantity'>,
  { day, isLate, isCancelGivenUp, isPartSought }: AmendmentMoment,
): Replacement {
  if (isCancelGivenUp)
    return drop('撤单未成功，原委托继续有效 (it could not be canceled and works on)')
  if (isLate) {
    return drop(
      isOpen(order.status)
        ? '限时内未确认撤单；撤单仍在进行，不再发新委托 (its end was not confirmed in time: the cancel goes on, nothing takes its place)'
        : '限时已过，未发新委托 (too late: nothing takes its place)',
    )
  }
  if (isOpen(order.status)) return WAIT
  if (order.status === 'filled')
    return drop('撤单前已全部成交 (it was filled before it could be canceled)')
  if (order.status !== 'canceled')
    return drop(`原委托以 ${order.status} 结束 (it did not end by a cancel)`)
  if (order.day < day) return drop('原委托的交易日已过 (its day is over)')
  if (!isSettled(order, isPartSought)) return WAIT
  const left = quantity - order.filledQuantity
  if (left > 0) return { kind: 'send', quantity: left as Quantity }
  return drop('撤单前已成交到新的数量 (as much was filled before it could be canceled)')
}

/** The trading client has shown its end, and every share that is known to be filled, or looked for, is booked. */
const isSettled = (order: OrderRecord, isPartSought: boolean): boolean =>
  isTerminal(order.venueStatus) && isCaughtUp(order) && !isPartSought
