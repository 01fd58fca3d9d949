import type { ErrorCode } from '../domain/errors.ts'
import type { Side } from '../domain/order.ts'
import type { RuleFinding } from '../domain/risk.ts'

/** An order as a caller words it. */
interface WordedOrder {
  /** Suffixed code. */
  readonly code: string
  readonly side: Side
  /** Shares. */
  readonly quantity: number
  readonly priceType: number
  /** Ten-thousandths of a yuan; 0 unless the price type takes one. */
  readonly price: number
}

export interface PlaceOrder extends WordedOrder {
  readonly kind: 'placeOrder'
  /** The caller's idempotency key; the same key is one order. Empty: the account makes one. */
  readonly key: string
  /** Of the body under this key. */
  readonly requestHash: string
  readonly strategy: string
  readonly source: string
}

/** One order, under its client order id or the number that the broker gave it. */
export interface FindOrder {
  readonly kind: 'findOrder'
  readonly id: string
  /** Of the order that has this id for its caller's own key, where none has it for a name. */
  readonly keyed?: string
  /** Of the orders that a request for several under this key may have led to; filled in by the account's shell. */
  readonly parts?: readonly string[]
}

/** One order, or what became of a request for which there is no order of its own. */
export type FoundByKey =
  | { readonly row: object; readonly answer: OrderAnswer; readonly isUntold: boolean }
  | { readonly request: FoundRequest; readonly isUntold: boolean }

/** What became of a request that was taken: for several orders, for one that was not sent (yet), or in simulation mode. */
export interface FoundRequest extends Omit<OrdersAnswer, 'orders'> {
  readonly clientOrderId: string
  /** `queued`: some wait for their turn; `canceling`: for the end of the order in whose place it is to come. */
  readonly state: 'sent' | 'queued' | 'canceling' | 'refused' | 'withdrawn'
  /** Of the refusal that is the answer to this key from now on; null: none. */
  readonly code: ErrorCode | null
  readonly orders: readonly FoundPart[]
  /** What was not sent, with the reason, for people. */
  readonly refusals: readonly string[]
}

/** One order of several; without its row where a simulation has filled it. */
export interface FoundPart {
  readonly answer: OrderAnswer
  readonly row?: FoundRow
}

/** Of the row of an order what tells it from the others, and how far it has come. */
export interface FoundRow {
  readonly stock_code: string
  readonly trade_type: string
  readonly volume: number
  readonly traded_volume: number
  readonly state: string
}

/**
 * By the front: whose answers were delivered after all, and whose never will be. Client order ids of orders,
 * or of requests for several. `answersLost`: a process that passed orders on is gone with all its answers.
 */
export interface NoteTold {
  readonly kind: 'noteTold'
  readonly told: readonly string[]
  readonly untold: readonly string[]
  readonly source: string
}

/**
 * Whoever sent an order has no answer, and gives it up: where nothing has come under its key, nothing that comes
 * under it later is executed. An order that is there already stays as it is.
 */
export interface WithdrawKey {
  readonly kind: 'withdrawKey'
  /** Client order id. */
  readonly key: string
  /** As in {@link FindOrder}. */
  readonly parts?: readonly string[]
  readonly source: string
}

/** What became of a key. */
export type KeyAnswer =
  /** Nothing came under it, and nothing will. */
  | { readonly state: 'withdrawn'; readonly message: string }
  /** What came under it was refused before it left, and will be again. */
  | { readonly state: 'refused'; readonly code: ErrorCode; readonly message: string }
  /** There is an order. */
  | { readonly state: 'ordered'; readonly answer: OrderAnswer; readonly isUntold: boolean }

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

/** What would become of an order, without sending it. */
export interface PreviewOrder extends WordedOrder {
  readonly kind: 'previewOrder'
}

/** Every rule with its verdict, amount and fees. Money in yuan, as it is shown. */
export interface OrderPreview {
  readonly allowed: boolean
  /** Of the first rule that refuses. */
  readonly code: ErrorCode | null
  readonly message: string
  readonly rules: readonly (RuleFinding & { readonly ok: boolean })[]
  /** The worst price at which the order may trade; 0 = not known, and so is what follows from it. */
  readonly price: number
  readonly amount: number
  readonly fees: {
    readonly commission: number
    readonly stamp_duty: number
    readonly transfer_fee: number
    readonly total: number
  }
  /** null = nobody has told how the stock is called. */
  readonly stock_name: string | null
  /** null = there is none, and what follows from one has not been judged. */
  readonly quote: PreviewedQuote | null
  /** The most shares that one such order may be of; null = not known. */
  readonly quantity_max: number | null
  /** Fewest shares of a purchase, and the step above it. */
  readonly lot_min: number
  readonly lot_step: number
  /** Finest step of a price, yuan. */
  readonly tick_size: number
  /** By what this stock can be ordered. */
  readonly price_types: readonly {
    readonly type: number
    /** A price goes along: the limit, or the worst one of a market order. */
    readonly takes_price: boolean
  }[]
}

/** A stock that an account holds, has ordered or watches. */
export interface OwnStock {
  readonly code: string
  /** Its digits while nobody has said how it is called. */
  readonly name: string
  readonly isHeld: boolean
}

/** The quote by which an order was judged, yuan. */
export interface PreviewedQuote {
  /** Epoch milliseconds of the market. */
  readonly time: number
  /** By the clock of the market, which in a replay is not that of the reader. */
  readonly age_seconds: number
  /** 0 = halted. */
  readonly last_price: number
  /** 0 = not known. */
  readonly last_close: number
  /** The limits that the order has to keep; null = none, or not known. */
  readonly limit_up: number | null
  readonly limit_down: number | null
  /** What is asked and bid, best first, as far as there are levels. */
  readonly ask: readonly PreviewedLevel[]
  readonly bid: readonly PreviewedLevel[]
}

/** A level of the book. */
export interface PreviewedLevel {
  readonly price: number
  /** Shares; null = not known. */
  readonly volume: number | null
}

/** Orders that wait for their turn are not to be sent. */
export interface CancelQueued {
  readonly kind: 'cancelQueued'
  /** Of one order, or the key of a request for several; empty: all. */
  readonly clientOrderId: string
  /** Nobody asks for it: whoever asked for the order is gone without an answer. */
  readonly isCallerGone?: true
  readonly source: string
}

/** The operator's word on an order that no machine can clear up. */
export interface ResolveDoubt {
  readonly kind: 'resolveDoubt'
  readonly clientOrderId: string
  /** The broker's number of it; empty: the broker never got it. */
  readonly orderId: string
  readonly source: string
}

export interface ExecuteBuy {
  readonly kind: 'executeBuy'
  readonly key: string
  readonly requestHash: string
  /** `custom_stock` the first `count`, `random_pool` a sample of `count`, anything else none. */
  readonly strategy: string
  readonly count: number
  /** Suffixed codes. */
  readonly codes: readonly string[]
  /** Client order ids, one for each code; derived from `key` by the account's shell. */
  readonly keys: readonly string[]
  readonly source: string
}

export interface ExecuteSell {
  readonly kind: 'executeSell'
  readonly key: string
  readonly requestHash: string
  readonly code: string
  /** Shares, or the part of the sellable quantity, 0 < ratio ≤ 1. Exactly one of the two is given. */
  readonly quantity?: number
  readonly ratio?: number
  readonly priceType: number
  readonly price: number
  readonly source: string
}

/** Where an order stands when a request for it is answered. */
export interface OrderAnswer {
  readonly clientOrderId: string
  /** Empty while unknown. */
  readonly orderId: string
  readonly state: 'accepted' | 'rejected' | 'unknown'
  readonly statusMessage: string
  /** The answer of an earlier request with the same key. */
  readonly replayed: boolean
}

/** Several orders of one request. */
export interface OrdersAnswer {
  readonly successCount: number
  readonly totalCount: number
  readonly message: string
  readonly orders: readonly OrderAnswer[]
  /** Still waiting for their turn, the first one first; absent: none is. */
  readonly queued?: readonly { readonly clientOrderId: string; readonly code: string }[]
}
