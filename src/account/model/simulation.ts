import type { CostBook } from '../../domain/cost-book.ts'
import { exchangeTime } from '../../domain/exchange-time.ts'
import { bareCode, type StockCode } from '../../domain/instrument.ts'
import type { Money, Price, Quantity } from '../../domain/money.ts'
import { type Position, thresholdCost } from '../../domain/position.ts'
import type { OrderAnswer } from '../../protocol/orders.ts'
import { bookOfFound } from './costs.ts'
import type { Batch } from './events.ts'

/** An order that was simulated, under its key. */
export interface SimulatedAnswer {
  readonly requestHash: string
  readonly answer: OrderAnswer
}

/** Holdings and cash of the simulation mode: in memory only, gone with the mode. */
export interface Simulation {
  cash: Money
  readonly positions: Map<StockCode, Position>
  /** What they have cost, as for real ones. */
  readonly costs: Map<StockCode, CostBook>
  /** Orders so far. */
  count: number
  readonly answers: Map<string, SimulatedAnswer>
  /** Requests for several stocks, under their keys. */
  readonly batches: Map<string, Batch>
}

/** Begins with what the account holds; everything may be sold at once (docs/domain.md 9.3). */
export function newSimulation(held: Iterable<Position>, cash: Money): Simulation {
  const positions = new Map(Array.from(held, (each) => [each.code, begun(each)] as const))
  const books = Array.from(positions.values(), (each) => bookOfFound(each, each.updatedMs))
  const costs = new Map(books.map((book) => [book.code, book]))
  return { cash, positions, costs, count: 0, answers: new Map(), batches: new Map() }
}

/** No broker reports its cost: the one that thresholds go by is its own. */
const begun = (position: Position): Position => ({
  ...position,
  sellable: position.quantity,
  costPrice: thresholdCost(position),
  effectiveCost: 0 as Price,
})

/** For a caller that asks again; the oldest go first. */
export function keepNewest<T>(
  kept: Map<string, T>,
  max: number,
  [key, value]: readonly [string, T],
): void {
  const [oldest] = kept.keys()
  if (kept.size >= max && oldest !== undefined) kept.delete(oldest)
  kept.set(key, value)
}

/** Commission of a purchase, and of a sale with its duty, in millionths of the amount (docs/domain.md 9.3). */
const FEE_PPM = { buy: 300, sell: 1_300 } as const
const PPM = 1_000_000
const CENT = 100

export const simulatedFee = (side: 'buy' | 'sell', amount: Money): Money =>
  Math.round((amount * FEE_PPM[side]) / PPM) as Money

interface Fill {
  readonly price: Price
  readonly quantity: Quantity
  /** Epoch ms of the market clock. */
  readonly nowMs: number
}

/** The holding after a purchase: average cost, at once sellable. */
export function afterPurchase(
  held: Position | undefined,
  code: StockCode,
  { price, quantity, nowMs }: Fill,
): Position {
  if (held === undefined) return firstHolding(code, { price, quantity, nowMs })
  const total = (held.quantity + quantity) as Quantity
  const mixed = Math.round((held.quantity * held.costPrice + quantity * price) / total) as Price
  return {
    ...held,
    quantity: total,
    sellable: (held.sellable + quantity) as Quantity,
    // What nobody knows has no average.
    costPrice: held.costPrice > 0 ? mixed : held.costPrice,
    highestPrice: Math.max(held.highestPrice, price) as Price,
    updatedMs: nowMs,
  }
}

const firstHolding = (code: StockCode, { price, quantity, nowMs }: Fill): Position => ({
  code,
  name: bareCode(code),
  quantity,
  sellable: quantity,
  costPrice: price,
  baseCostPrice: price,
  highestPrice: price,
  stopLossPrice: 0 as Price,
  profitTriggered: false,
  breakoutTriggered: false,
  breakoutHighestPrice: 0 as Price,
  stopProfitEnabled: true,
  openDate: exchangeTime(nowMs),
  actedTickMs: 0,
  updatedMs: nowMs,
})

/**
 * The holding after a sale; undefined when nothing is left. The first take-profit spreads its profit
 * over the rest, whose cost falls by it.
 */
export function afterSale(
  held: Position,
  { price, quantity, nowMs }: Fill,
  isFirstProfit: boolean,
): Position | undefined {
  const rest = (held.quantity - quantity) as Quantity
  if (rest <= 0) return undefined
  const sellable = (held.sellable - quantity) as Quantity
  const after = { ...held, quantity: rest, sellable, updatedMs: nowMs }
  if (!isFirstProfit || held.profitTriggered) return after
  const amount = (price * quantity) as Money
  const revenue = amount - simulatedFee('sell', amount)
  const profit = revenue - quantity * held.costPrice
  const costPrice = Math.max(CENT, Math.round((rest * held.costPrice - profit) / rest)) as Price
  return { ...after, costPrice, profitTriggered: true }
}
