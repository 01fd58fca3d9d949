import type { OrderEventKind, OrderStatus } from '../../domain/order-state.ts'

/** Something was learned about an order of ours, or is asked of it. */
export interface OrderMoved {
  readonly kind: 'orderMoved'
  readonly clientOrderId: string
  readonly event: OrderEventKind
  /** The broker's number, once it is known. */
  readonly orderId: string
  readonly message: string
  /** Who wanted it, when somebody did: a cancel. */
  readonly source?: string
  /** With `requestCancel`: its time was up, so that the rest is to be sent again. */
  readonly isReorderWanted?: true
  /** With `requestCancel`: another order takes its place. */
  readonly isReplaced?: true
  /** With `reject`: it was never sent. Absent in journals of earlier releases. */
  readonly isTooLate?: true
  /** With `vanish`, and with `requestCancel` of what has: it is canceled once it is shown again. Absent in journals of earlier releases. */
  readonly isCancelWanted?: true
  readonly before?: OrderStatus
}
