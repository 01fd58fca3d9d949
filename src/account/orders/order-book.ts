import { type OrderRecord, PRICE_TYPE } from '../../domain/order.ts'
import { isOpen } from '../../domain/order-state.ts'

/** Sent, and for all we know not in the reports of the trading client yet. */
const isUnanswered = ({ status, orderId }: OrderRecord): boolean =>
  orderId === '' && (status === 'submitted' || status === 'inDoubt')

/** Placed by this service, and not by somebody else at the trading client. */
const isOurs = ({ strategy }: OrderRecord): boolean => strategy !== 'external'

/** What an order asks for. */
export type Terms = Pick<OrderRecord, 'code' | 'side' | 'quantity' | 'priceType' | 'price'>

/** Without a limit the price says nothing: the row shows the one that the trading client gave it. */
const termsOf = ({ code, side, quantity, priceType, price }: Terms): string =>
  `${code}|${side}|${quantity}|${priceType}|${priceType === PRICE_TYPE.limit ? price : ''}`

/**
 * The orders of an account by client order id. What every new order is judged by (those that are
 * open, those that wait for an answer, how many of a day are ours) is kept beside them as they
 * change, so that an order costs the same however many there are.
 */
export class OrderBook extends Map<string, OrderRecord> {
  readonly #open = new Map<string, OrderRecord>()
  readonly #unanswered = new Map<string, OrderRecord>()
  readonly #doubtful = new Map<string, OrderRecord>()
  /** Client order ids of open orders, by their terms. */
  readonly #openByTerms = new Map<string, Set<string>>()
  readonly #oursByDay = new Map<string, number>()

  override set(clientOrderId: string, order: OrderRecord): this {
    const before = this.get(clientOrderId)
    super.set(clientOrderId, order)
    this.#followOpen(clientOrderId, isOpen(order.status) ? order : undefined)
    follow(this.#unanswered, clientOrderId, isUnanswered(order) ? order : undefined)
    follow(this.#doubtful, clientOrderId, order.status === 'inDoubt' ? order : undefined)
    this.#count(before, -1)
    this.#count(order, 1)
    return this
  }

  override delete(clientOrderId: string): boolean {
    this.#count(this.get(clientOrderId), -1)
    this.#followOpen(clientOrderId, undefined)
    this.#unanswered.delete(clientOrderId)
    this.#doubtful.delete(clientOrderId)
    return super.delete(clientOrderId)
  }

  override clear(): void {
    for (const clientOrderId of [...this.keys()]) this.delete(clientOrderId)
  }

  /** Not ended, or perhaps not. */
  open(): Iterable<OrderRecord> {
    return this.#open.values()
  }

  /** Sent, and without an answer that names the trading client's number. */
  unanswered(): Iterable<OrderRecord> {
    return this.#unanswered.values()
  }

  /** Nobody knows yet whether the trading client has them. */
  doubtful(): Iterable<OrderRecord> {
    return this.#doubtful.values()
  }

  /** Client order id of an open order with these terms, the oldest. */
  openLike(terms: Terms): string | undefined {
    return this.#openByTerms.get(termsOf(terms))?.values().next().value
  }

  /** Orders of this service on an exchange day. */
  oursOn(day: string): number {
    return this.#oursByDay.get(day) ?? 0
  }

  /** An order keeps its place among its like as long as its terms stay. */
  #followOpen(clientOrderId: string, order: OrderRecord | undefined): void {
    const before = this.#open.get(clientOrderId)
    follow(this.#open, clientOrderId, order)
    const [terms, next] = [before, order].map((one) => one && termsOf(one))
    if (terms === next) return
    if (terms !== undefined) {
      const ids = this.#openByTerms.get(terms)
      ids?.delete(clientOrderId)
      if (ids?.size === 0) this.#openByTerms.delete(terms)
    }
    if (next === undefined) return
    this.#openByTerms.set(next, (this.#openByTerms.get(next) ?? new Set()).add(clientOrderId))
  }

  #count(order: OrderRecord | undefined, by: number): void {
    if (order === undefined || !isOurs(order)) return
    const count = this.oursOn(order.day) + by
    if (count === 0) this.#oursByDay.delete(order.day)
    else this.#oursByDay.set(order.day, count)
  }
}

function follow(
  index: Map<string, OrderRecord>,
  clientOrderId: string,
  order: OrderRecord | undefined,
): void {
  if (order === undefined) index.delete(clientOrderId)
  else index.set(clientOrderId, order)
}
