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
  readonly #openByCode = new Map<string, number>()
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

  get openCount(): number {
    return this.#open.size
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

  /** Whether any order of a stock is open. */
  hasOpen(code: string): boolean {
    return this.#openByCode.has(code)
  }

  /** Orders of this service on an exchange day. */
  oursOn(day: string): number {
    return this.#oursByDay.get(day) ?? 0
  }

  /** An order keeps its place among its like as long as its terms stay. */
  #followOpen(clientOrderId: string, order: OrderRecord | undefined): void {
    const before = this.#open.get(clientOrderId)
    follow(this.#open, clientOrderId, order)
    if (before?.code !== order?.code) {
      if (before !== undefined) add(this.#openByCode, before.code, -1)
      if (order !== undefined) add(this.#openByCode, order.code, 1)
    }
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
    add(this.#oursByDay, order.day, by)
  }
}

/** What counts nothing is not kept. */
function add(counts: Map<string, number>, key: string, by: number): void {
  const count = (counts.get(key) ?? 0) + by
  if (count === 0) counts.delete(key)
  else counts.set(key, count)
}

function follow(
  index: Map<string, OrderRecord>,
  clientOrderId: string,
  order: OrderRecord | undefined,
): void {
  if (order === undefined) index.delete(clientOrderId)
  else index.set(clientOrderId, order)
}
