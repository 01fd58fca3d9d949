import type { StockCode } from '../../domain/instrument.ts'

/** Why a strategy is asked to evaluate a stock. */
export type Cause =
  /** A price left the band of the stock. */
  | 'tick'
  /** Something that the judgment rests on changed: the holding, an order, a switch, the connection. */
  | 'change'
  /** The moment that the strategy had named has come. */
  | 'alarm'

/** One evaluation of one stock by one strategy; the strategy knows what else it holds. */
export interface TraceEntry {
  /** Market clock, epoch ms. */
  readonly timeMs: number
  readonly code: StockCode
  readonly cause: Cause
}

type OfStocks = Map<StockCode, TraceEntry[]>

/** Why strategies did or did not act: the newest evaluations of each stock by each strategy. In memory only. */
export class DecisionTrace {
  readonly #perStockMax: number
  readonly #kept = new Map<string, OfStocks>()

  constructor(perStockMax: number) {
    this.#perStockMax = perStockMax
  }

  /** Keeps an evaluation under the name of its strategy, and forgets the oldest of the stock that is one too many. */
  note(strategy: string, entry: TraceEntry): void {
    const stocks = this.#kept.get(strategy) ?? new Map()
    const kept = stocks.get(entry.code) ?? []
    kept.push(entry)
    if (kept.length > this.#perStockMax) kept.shift()
    stocks.set(entry.code, kept)
    this.#kept.set(strategy, stocks)
  }

  /** What a strategy has noted: stocks as they first came, the oldest evaluation of each first. */
  of(strategy: string): ReadonlyMap<StockCode, readonly TraceEntry[]> {
    return this.#kept.get(strategy) ?? NOTHING
  }
}

const NOTHING: ReadonlyMap<StockCode, readonly TraceEntry[]> = new Map()
