import { isNamed, type OrderRecord } from '../../domain/order.ts'
import type { OrdersReport } from '../../protocol/driver.ts'

/**
 * What a connection has said of the numbers of orders. A trading client that was started anew may number its orders anew,
 * so what the one before said counts no more.
 */
export interface OrderNumbers {
  /** Orders whose numbers the last list has borne, or a push or an answer since; by client order id. */
  readonly heard: Set<string>
  /** Open orders whose numbers anything since the first list has borne, also where the last list was late or short. */
  readonly known: Set<string>
  /** All numbers of the last list, whoever's they are; undefined before the first. */
  listed: ReadonlySet<string> | undefined
  /** Whether it has rows of which not even the number could be read. */
  hasUnread: boolean
  /** Open orders of which a person knows that they are not canceled because of such rows. */
  readonly told: Set<string>
}

export const noNumbers = (): OrderNumbers => ({
  heard: new Set(),
  known: new Set(),
  listed: undefined,
  hasUnread: false,
  told: new Set(),
})

/** A connection begins, or has ended. What a person was told of it is not said again. */
export function forgetNumbers(numbers: OrderNumbers): void {
  numbers.heard.clear()
  numbers.known.clear()
  numbers.listed = undefined
  numbers.hasUnread = false
}

/**
 * A row, a push or an answer has borne the number of the order. What comes before the first list may be told again, with a
 * number of before the client was started anew.
 */
export function noteNumber({ heard, known, listed }: OrderNumbers, clientOrderId: string): void {
  heard.add(clientOrderId)
  if (listed !== undefined) known.add(clientOrderId)
}

/** A list says anew which numbers there are; whose they are is found row by row. */
export function beginList(
  numbers: OrderNumbers,
  { rows, otherNumbers = [], leftOut = [] }: OrdersReport,
  isOpen: (clientOrderId: string) => boolean,
): void {
  const { known, told } = numbers
  for (const ids of [known, told]) for (const id of ids) if (!isOpen(id)) ids.delete(id)
  numbers.heard.clear()
  numbers.listed = new Set([...rows.map(({ orderId }) => orderId), ...otherNumbers])
  numbers.hasUnread = leftOut.length > 0
}

/**
 * Whether what is said of the number of an order can reach that order only: this connection has said it, and the last
 * list bears it for no other. A list may be late, short, or have rows that cannot be read: where it is the first, the
 * number may be another's.
 */
export function isItsNumber({ heard, known, listed }: OrderNumbers, order: OrderRecord): boolean {
  const { clientOrderId, orderId } = order
  if (!isNamed(order) || listed === undefined) return false
  return heard.has(clientOrderId) || (known.has(clientOrderId) && !listed.has(orderId))
}
