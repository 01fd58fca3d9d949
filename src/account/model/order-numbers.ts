import type { OrderRecord } from '../../domain/order.ts'

/**
 * What a connection has said of the numbers of orders. A trading client that was started anew may number its orders anew,
 * so what the one before said counts no more.
 */
export interface OrderNumbers {
  /** Orders whose numbers the last list has borne, or a push or an answer since; by client order id. */
  readonly heard: Set<string>
  /** All numbers of the last list, whoever's they are; undefined before the first. */
  listed: ReadonlySet<string> | undefined
}

export const noNumbers = (): OrderNumbers => ({ heard: new Set(), listed: undefined })

/** A connection begins, or has ended. */
export function forgetNumbers(numbers: OrderNumbers): void {
  numbers.heard.clear()
  numbers.listed = undefined
}

/** A list says anew which numbers there are; whose they are is found row by row. */
export function beginList(
  numbers: OrderNumbers,
  rows: readonly { readonly orderId: string }[],
): void {
  numbers.heard.clear()
  numbers.listed = new Set(rows.map(({ orderId }) => orderId))
}

/**
 * Whether what is said of the number of an order can reach that order only. A number that no row has may be its own still:
 * lists are late, and short.
 */
export const isItsNumber = ({ heard, listed }: OrderNumbers, order: OrderRecord): boolean =>
  heard.has(order.clientOrderId) || (listed !== undefined && !listed.has(order.orderId))
