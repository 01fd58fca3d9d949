import type { StockCode } from '../../domain/instrument.ts'
import type { Price, Quantity } from '../../domain/money.ts'
import type { BrokerPosition } from '../../domain/order.ts'
import type { PositionRow } from './frames.ts'
import { positionOf } from './rows.ts'

/** Of a list of holdings. */
export interface Holdings {
  /** One for each stock. */
  readonly holdings: readonly BrokerPosition[]
  /** Stocks that had more than one row: a push of one of these says nothing of the others. */
  readonly split: ReadonlySet<StockCode>
}

/**
 * One holding for each stock. The terminal lists a stock once for each shareholder's number that holds it, also at
 * none; what is held and what may be sold add up.
 */
export function holdingsOf(rows: readonly BrokerPosition[]): Holdings {
  const byCode = Map.groupBy(rows, ({ code }) => code)
  const holdings = Array.from(byCode.values(), (same) => same.reduce(sum))
  const split = new Set([...byCode].flatMap(([code, same]) => (same.length > 1 ? [code] : [])))
  return { holdings, split }
}

/** By which shareholder's number each stock of a list is held, where its row tells. */
export function holdersOf(rows: readonly PositionRow[]): Map<StockCode, string> {
  const holders = new Map<StockCode, string>()
  for (const row of rows) {
    const code = positionOf(row)?.code
    if (code !== undefined && row.holder) holders.set(code, row.holder)
  }
  return holders
}

function sum(one: BrokerPosition, other: BrokerPosition): BrokerPosition {
  return {
    code: one.code,
    name: one.name || other.name,
    quantity: (one.quantity + other.quantity) as Quantity,
    sellable: (one.sellable + other.sellable) as Quantity,
    costPrice: costOf(one, other),
  }
}

/** Their average; of one whose cost nobody tells, the other's. */
function costOf(one: BrokerPosition, other: BrokerPosition): Price {
  const known = [one, other].filter(({ costPrice, quantity }) => costPrice > 0 && quantity > 0)
  const quantity = known.reduce((total, row) => total + row.quantity, 0)
  const cost = known.reduce((total, row) => total + row.costPrice * row.quantity, 0)
  return (quantity > 0 ? Math.round(cost / quantity) : 0) as Price
}
