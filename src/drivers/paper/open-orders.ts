import type { StockCode } from '../../domain/instrument.ts'
import type { BrokerOrder } from '../../domain/order.ts'

/** An order with the row that is reported of it. */
interface Waiting {
  readonly row: BrokerOrder
}

/** Shares that an order to sell still asks for; 0 for a purchase. */
export const askedBy = ({ row }: Waiting): number =>
  row.side === 'sell' ? row.quantity - row.filledQuantity : 0

/**
 * The orders that wait, by number, oldest first, with the sums that every new order is checked
 * against: kept as orders come and go, so that a check costs the same however many wait.
 */
export class OpenOrders<O extends Waiting> extends Map<string, O> {
  readonly #byCode = new Map<StockCode, Map<string, O>>()
  readonly #asked = new Map<StockCode, number>()
  readonly #reckoned = new Map<string, number>()
  readonly #unreckoned = new Set<string>()
  #frozen = 0

  override set(orderId: string, order: O): this {
    const { code } = order.row
    this.#leave(orderId)
    super.set(orderId, order)
    const same = this.#byCode.get(code) ?? new Map<string, O>()
    this.#byCode.set(code, same.set(orderId, order))
    this.#ask(code, askedBy(order))
    this.#unreckoned.add(orderId)
    return this
  }

  override delete(orderId: string): boolean {
    const code = this.get(orderId)?.row.code
    this.#leave(orderId)
    if (code !== undefined) {
      const same = this.#byCode.get(code)
      same?.delete(orderId)
      if (same?.size === 0) this.#byCode.delete(code)
    }
    return super.delete(orderId)
  }

  override clear(): void {
    for (const orderId of [...this.keys()]) this.delete(orderId)
  }

  /** Stocks in which orders wait. */
  codes(): Iterable<StockCode> {
    return this.#byCode.keys()
  }

  /** Those of one stock, oldest first. */
  of(code: StockCode): Iterable<O> {
    return this.#byCode.get(code)?.values() ?? []
  }

  /** Shares of a stock that open sales ask for. */
  asked(code: StockCode): number {
    return this.#asked.get(code) ?? 0
  }

  /** Sum of what each order freezes by `frozenBy`, which must give the same for the same order. */
  frozen(frozenBy: (order: O) => number): number {
    for (const orderId of this.#unreckoned) {
      const order = this.get(orderId)
      const frozen = order === undefined ? 0 : frozenBy(order)
      this.#reckoned.set(orderId, frozen)
      this.#frozen += frozen
    }
    this.#unreckoned.clear()
    return this.#frozen
  }

  /** Takes the sums of the order as it was. */
  #leave(orderId: string): void {
    const before = this.get(orderId)
    if (before === undefined) return
    this.#ask(before.row.code, -askedBy(before))
    this.#frozen -= this.#reckoned.get(orderId) ?? 0
    this.#reckoned.delete(orderId)
    this.#unreckoned.delete(orderId)
  }

  #ask(code: StockCode, shares: number): void {
    const asked = this.asked(code) + shares
    if (asked === 0) this.#asked.delete(code)
    else this.#asked.set(code, asked)
  }
}
