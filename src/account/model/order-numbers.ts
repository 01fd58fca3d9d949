import type { OrderRecord } from '../../domain/order.ts'

/**
 * What a connection has said of the numbers of orders. A trading client that was started anew may number its orders anew,
 * so what the one before said counts no more.
 */
export interface OrderNumbers {
  /** Orders whose numbers the last list has borne, or a push or an answer since; by client order id. */
  readonly heard: Set<string>
  /** Open orders whose numbers it has said at any time, also where the last list was late or short. */
  said: ReadonlySet<string>
  /** All numbers of the last list, whoever's they are; undefined before the first. */
  listed: ReadonlySet<string> | undefined
}

export const noNumbers = (): OrderNumbers => ({
  heard: new Set(),
  said: new Set(),
  listed: undefined,
})

/** A connection begins, or has ended. */
export function forgetNumbers(numbers: OrderNumbers): void {
  numbers.heard.clear()
  numbers.said = new Set()
  numbers.listed = undefined
}

/** A list says anew which numbers there are; whose they are is found row by row. */
export function beginList(
  numbers: OrderNumbers,
  rows: readonly { readonly orderId: string }[],
  isOpen: (clientOrderId: string) => boolean,
): void {
  numbers.said = new Set([...numbers.said, ...numbers.heard].filter(isOpen))
  numbers.heard.clear()
  numbers.listed = new Set(rows.map(({ orderId }) => orderId))
}

/**
 * Whether what is said of the number of an order can reach that order only: this connection has said it, and no row of
 * the last list has it for another one. Where rows cannot be read, that of the order may be among them.
 */
export const isItsNumber = (
  { heard, said, listed }: OrderNumbers,
  { clientOrderId, orderId }: OrderRecord,
  isWhole: boolean,
): boolean =>
  heard.has(clientOrderId) ||
  (listed?.has(orderId) === false && (said.has(clientOrderId) || !isWhole))
