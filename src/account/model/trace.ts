import { exchangeDay } from '../../domain/exchange-time.ts'
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

/** Why an order was not let go. */
export interface TracedRefusal {
  readonly code: string
  /** Chinese first. */
  readonly message: string
}

/** A refusal that came again and again for a stock on one exchange day. */
export interface Refused extends TracedRefusal {
  readonly strategy: string
  readonly stock: StockCode
  readonly count: number
  /** Market clock, epoch ms. */
  readonly firstMs: number
  readonly lastMs: number
}

/** Of the refusals of a day so many kinds are counted; one more is counted in the place of the oldest. */
const REFUSED_MAX = 500

type OfStocks = Map<StockCode, TraceEntry[]>

/** How much is kept in memory. */
export interface TraceLimits {
  /** Evaluations of one stock by one strategy. */
  readonly decisionsPerStockMax: number
  /** Of all stocks together; those of the stock that was judged longest ago go first. */
  readonly decisionsMax: number
}

/** Why strategies did or did not act: the newest evaluations of each stock by each strategy. In memory only. */
export class DecisionTrace {
  readonly #limits: TraceLimits
  readonly #kept = new Map<string, OfStocks>()
  #size = 0
  readonly #refused = new Map<string, Refused>()
  #refusedDay = ''

  constructor(limits: TraceLimits) {
    this.#limits = limits
  }

  /** Keeps an evaluation under the name of its strategy, and forgets the oldest of the stock that is one too many. */
  note(strategy: string, entry: TraceEntry, refusal?: TracedRefusal): void {
    if (refusal !== undefined) this.#count(strategy, entry, refusal)
    const stocks = this.#kept.get(strategy) ?? new Map()
    const kept = stocks.get(entry.code) ?? []
    kept.push(entry)
    if (kept.length > this.#limits.decisionsPerStockMax) kept.shift()
    else this.#size += 1
    stocks.delete(entry.code) // goes to the end
    stocks.set(entry.code, kept)
    this.#kept.set(strategy, stocks)
    if (this.#size > this.#limits.decisionsMax) this.#forgetOldest()
  }

  /** Of who trades other stocks every day there would be more and more, until the thread has no room for them. */
  #forgetOldest(): void {
    const first = [...this.#kept.values()].flatMap((stocks) => {
      const [[code, kept] = []] = stocks
      return code === undefined || kept === undefined ? [] : [{ stocks, code, kept }]
    })
    const lastMs = ({ kept }: { readonly kept: readonly TraceEntry[] }) => kept.at(-1)?.timeMs ?? 0
    const [oldest] = first.toSorted((a, b) => lastMs(a) - lastMs(b))
    if (oldest === undefined) return
    oldest.stocks.delete(oldest.code)
    this.#size -= oldest.kept.length
  }

  /** Refusals of the newest exchange day that had one, also of evaluations that are forgotten; the newest kind last. */
  refused(): readonly Refused[] {
    return [...this.#refused.values()]
  }

  #count(strategy: string, { code: stock, timeMs }: TraceEntry, refusal: TracedRefusal): void {
    const day = exchangeDay(timeMs)
    if (day !== this.#refusedDay) this.#refused.clear()
    this.#refusedDay = day
    const key = `${strategy}|${stock}|${refusal.code}`
    const known = this.#refused.get(key)
    const { count, firstMs } = known ?? { count: 0, firstMs: timeMs }
    this.#refused.delete(key)
    if (this.#refused.size >= REFUSED_MAX) {
      for (const oldest of [...this.#refused.keys()].slice(0, 1)) this.#refused.delete(oldest)
    }
    const again = { strategy, stock, ...refusal, count: count + 1, firstMs, lastMs: timeMs }
    this.#refused.set(key, again)
  }

  /** What a strategy has noted: the stock that was judged last at the end, the oldest evaluation of each first. */
  of(strategy: string): ReadonlyMap<StockCode, readonly TraceEntry[]> {
    return this.#kept.get(strategy) ?? NOTHING
  }
}

const NOTHING: ReadonlyMap<StockCode, readonly TraceEntry[]> = new Map()
