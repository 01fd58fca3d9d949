import type { BoardRule } from './data/board-rules.ts'
import { moneyFromYuan, type Quantity } from './money.ts'
import { estimateOf, type RiskInput } from './risk-input.ts'

type LotRule = Pick<BoardRule, 'lotMin' | 'lotStep' | 'quantityMax'>

/** What of all that the rules look at bounds the quantity of one order. */
export type QuantityInput = Pick<
  RiskInput,
  | 'order'
  | 'day'
  | 'quote'
  | 'feeRates'
  | 'limits'
  | 'cash'
  | 'cashReserved'
  | 'sellable'
  | 'sellableReserved'
>

/**
 * The most shares that one order may be of, whatever quantity it asks for: what the cash pays with all fees, or what may
 * be sold, within the lots of the board and the value that one order may have. 0 = not even one lot.
 * Undefined = not known: no price to reckon with, or the broker has not told the cash.
 */
export function largestQuantity(input: QuantityInput, rule: LotRule): Quantity | undefined {
  if (input.order.side === 'sell') {
    return largestSale(input, Math.max(0, input.sellable - input.sellableReserved), rule)
  }
  const valueMax = valueMaxOf(input)
  if (input.cash === undefined) return undefined
  const free = input.cash - input.cashReserved
  if (costOf(input, rule.lotMin).price === 0) return undefined
  return mostLots(rule, rule.quantityMax, (quantity) => {
    const { amount, fees } = costOf(input, quantity)
    return amount <= valueMax && amount + fees.total <= free
  })
}

/** What bounds a sale, but for the shares that may be sold. */
type SaleInput = Pick<QuantityInput, 'order' | 'day' | 'quote' | 'feeRates' | 'limits'>

/** The most of so many free shares that one order may sell; 0 = not even one lot. */
export function largestSale(input: SaleInput, free: number, rule: LotRule): Quantity {
  const valueMax = valueMaxOf(input)
  const isWhole = free <= rule.quantityMax && costOf(input, free).amount <= valueMax
  // What is sold whole needs no whole lots; a part of it does.
  if (isWhole) return free as Quantity
  return mostLots(rule, free, (quantity) => costOf(input, quantity).amount <= valueMax)
}

const valueMaxOf = ({ limits: { maxOrderValue } }: SaleInput): number =>
  maxOrderValue === 0 ? Number.POSITIVE_INFINITY : moneyFromYuan(maxOrderValue)

const costOf = (input: SaleInput, quantity: number) =>
  estimateOf({ ...input.order, quantity: quantity as Quantity }, input)

/** The largest quantity in lots, up to `most`, that is allowed; what is allowed is so for all below it. */
function mostLots(
  { lotMin, lotStep, quantityMax }: LotRule,
  most: number,
  isAllowed: (quantity: number) => boolean,
): Quantity {
  const top = Math.min(most, quantityMax)
  let low = -1 // steps above the smallest lot; −1 = not even that
  let high = Math.floor((top - lotMin) / lotStep)
  while (low < high) {
    const middle = Math.ceil((low + high) / 2)
    if (isAllowed(lotMin + middle * lotStep)) low = middle
    else high = middle - 1
  }
  return (low < 0 ? 0 : lotMin + low * lotStep) as Quantity
}
