import type { Money } from './money.ts'
import type { TradeRecord } from './trade-record.ts'

/** Fills together. */
export interface FillSum {
  readonly count: number
  /** Amounts without fees. */
  readonly bought: Money
  readonly sold: Money
  readonly fees: Money
}

export const NO_FILLS: FillSum = {
  count: 0,
  bought: 0 as Money,
  sold: 0 as Money,
  fees: 0 as Money,
}

/** One fill more. */
export function withFill(
  sum: FillSum,
  { side, amount, fee }: Pick<TradeRecord, 'side' | 'amount' | 'fee'>,
): FillSum {
  return {
    count: sum.count + 1,
    bought: (sum.bought + (side === 'buy' ? amount : 0)) as Money,
    sold: (sum.sold + (side === 'sell' ? amount : 0)) as Money,
    fees: (sum.fees + fee) as Money,
  }
}

/** Sold less bought, without fees. */
export const netOf = ({ bought, sold }: FillSum): Money => (sold - bought) as Money

/** What is simulated is in no sum with what is not. */
export interface FillSums {
  readonly real: FillSum
  readonly simulated: FillSum
}
