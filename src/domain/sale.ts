import type { SaleOutcome } from './cost-book.ts'
import type { StockCode } from './instrument.ts'
import type { Money, Price, Quantity } from './money.ts'

/** One sale with what it has earned; a row for ever. */
export interface Sale extends SaleOutcome {
  /** Serial number, 1, 2, 3 … within the account. */
  readonly id: number
  readonly code: StockCode
  readonly name: string
  /** Epoch milliseconds of the market clock. */
  readonly timeMs: number
  readonly quantity: Quantity
  /** 0 and null: the shares have left, and no deal says for how much. */
  readonly price: Price
  readonly amount: Money | null
  /** Of the sale; those of the purchase are in the cost. */
  readonly fee: Money
  readonly strategy: string
  readonly orderId: string
  readonly dealId: string
  readonly isSimulated: boolean
}

const ID_DIGITS = 9

/** Rows of a day lie together, in the order in which they came. */
export const dayKey = (day: string, id: number): string =>
  `${day}/${String(id).padStart(ID_DIGITS, '0')}`
