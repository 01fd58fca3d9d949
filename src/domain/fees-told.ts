import { exchangeDayNumber } from './exchange-time.ts'
import type { StockCode } from './instrument.ts'
import type { Money } from './money.ts'

/** A fill as far as its fee goes. */
export interface ChargedFill {
  readonly code: StockCode
  readonly orderId: string
  /** Epoch milliseconds. */
  readonly timeMs: number
  readonly fee: Money
}

/** Numbers of orders begin anew every day. */
const orderOf = ({ code, orderId, timeMs }: ChargedFill): string =>
  `${exchangeDayNumber(timeMs)} ${code} ${orderId}`

/**
 * Which fills lack their fee. Fees are those of an order: with the least commission, which the first fill pays, the
 * others cost nothing more. So a fill without a fee lacks one only where no fill of its order has told any.
 */
export class FeesTold {
  readonly #told = new Set<string>()
  /** Fills without a fee, by order. */
  readonly #without = new Map<string, number>()

  constructor(fills: Iterable<ChargedFill> = []) {
    for (const fill of fills) this.add(fill)
  }

  add(fill: ChargedFill): void {
    const order = orderOf(fill)
    if (fill.fee !== 0) this.#told.add(order)
    else this.#without.set(order, (this.#without.get(order) ?? 0) + 1)
  }

  /** Whether the fee of a fill is known, by itself or by another one of its order. */
  isTold(fill: ChargedFill): boolean {
    return fill.fee !== 0 || this.#told.has(orderOf(fill))
  }

  /** Fills of orders of which no fee was told. */
  get missing(): number {
    let count = 0
    for (const [order, fills] of this.#without) if (!this.#told.has(order)) count += fills
    return count
  }
}
