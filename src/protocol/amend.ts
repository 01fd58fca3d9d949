import type { OrderAnswer } from './account.ts'

/** A person wants an open order changed: it is canceled, and what is left of it is sent anew as an order of its own. */
export interface AmendOrder {
  readonly kind: 'amendOrder'
  /** The broker's number of the order to change, or ours. */
  readonly orderId: string
  /** Client order id of the order that takes its place. */
  readonly key: string
  /** Of the request body, so that the same key with another body is seen. */
  readonly requestHash: string
  /** Shares that both together may fill; absent: as many as the order was of. */
  readonly quantity?: number
  /** A limit, in ten-thousandths of a yuan; absent: the price of the order. */
  readonly price?: number
  readonly source: string
}

/** Where a change stands. */
export interface AmendAnswer {
  /** The broker's number of the order that is changed, or ours. */
  readonly orderId: string
  /** Of the order that takes its place. */
  readonly clientOrderId: string
  readonly outcome: 'canceling' | 'sent' | 'dropped'
  /** Why nothing takes its place; empty otherwise. */
  readonly reason: string
  /** Of the order that takes its place, once it was sent. */
  readonly order?: OrderAnswer
  readonly replayed: boolean
}
