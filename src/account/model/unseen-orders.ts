import type { OrderRecord } from '../../domain/order.ts'
import type { Unseen } from './shown.ts'

/** What an order moves: shares of one stock, in or out. */
export type Moved = Pick<OrderRecord, 'code' | 'side'>

const NONE: ReadonlySet<string> = new Set()
const keyOf = ({ side, code }: Moved): string => `${side}|${code}`

/**
 * Orders that the last report cannot be proven to know, by client order id. How many shares of a stock are free is
 * asked with every look at it, so those of one stock are found without a look at the others: in a market that falls
 * an account has as many of them as it sells.
 */
export class UnseenOrders extends Map<string, Unseen> {
  readonly #byStock = new Map<string, Set<string>>()

  /** Those of one stock on one side, in the order in which they came. */
  of(moved: Moved): Iterable<string> {
    return this.#byStock.get(keyOf(moved)) ?? NONE
  }

  override set(clientOrderId: string, unseen: Unseen): this {
    const before = this.get(clientOrderId)
    if (before !== undefined && keyOf(before) !== keyOf(unseen)) this.delete(clientOrderId)
    super.set(clientOrderId, unseen)
    const key = keyOf(unseen)
    const ids = this.#byStock.get(key)
    if (ids === undefined) this.#byStock.set(key, new Set([clientOrderId]))
    else ids.add(clientOrderId)
    return this
  }

  override delete(clientOrderId: string): boolean {
    const before = this.get(clientOrderId)
    if (before === undefined) return false
    const key = keyOf(before)
    const ids = this.#byStock.get(key)
    ids?.delete(clientOrderId)
    if (ids?.size === 0) this.#byStock.delete(key)
    return super.delete(clientOrderId)
  }

  override clear(): void {
    super.clear()
    this.#byStock.clear()
  }
}
