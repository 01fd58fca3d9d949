import { type EquityPoint, worthOf } from './equity.ts'
import { DAY_MS, exchangeDay, exchangeDayStartMs, exchangeWeekday } from './exchange-time.ts'
import { FeesTold } from './fees-told.ts'
import type { Money } from './money.ts'
import type { Sale } from './sale.ts'

/** Results that were counted: of sales, or of closed holdings. */
export interface Results {
  readonly count: number
  /** Whose result nobody knows. */
  readonly unknown: number
  readonly wins: number
  readonly losses: number
  /** Of the wins and of the losses, both positive. */
  readonly gained: Money
  readonly lost: Money
}

export const NO_RESULTS: Results = {
  count: 0,
  unknown: 0,
  wins: 0,
  losses: 0,
  gained: 0 as Money,
  lost: 0 as Money,
}

/** One result more; neither a gain nor a loss is no win. */
export function withResult(sum: Results, result: Money | null): Results {
  const count = sum.count + 1
  if (result === null) return { ...sum, count, unknown: sum.unknown + 1 }
  if (result > 0) {
    return { ...sum, count, wins: sum.wins + 1, gained: (sum.gained + result) as Money }
  }
  if (result === 0) return { ...sum, count }
  return { ...sum, count, losses: sum.losses + 1, lost: (sum.lost - result) as Money }
}

/** What is known of the result of all. */
export const knownResult = ({ gained, lost }: Results): Money => (gained - lost) as Money

/** Of those that are known; null when there is none. */
export function winRate({ count, unknown, wins }: Results): number | null {
  return count === unknown ? null : wins / (count - unknown)
}

/** Gains for each yuan that was lost; null while nothing was lost. */
export const profitFactor = ({ gained, lost }: Results): number | null =>
  lost === 0 ? null : gained / lost

/** Sales of a day, a stock, a strategy or a span, together. */
export interface SalesSum {
  readonly results: Results
  /** Of the sales whose amount is known. */
  readonly amount: Money
  readonly fees: Money
  /** Sales of orders for which no fee was reported. */
  readonly withoutFee: number
}

export const NO_SALES: SalesSum = {
  results: NO_RESULTS,
  amount: 0 as Money,
  fees: 0 as Money,
  withoutFee: 0,
}

const withSale = (sum: SalesSum, sale: Sale, isFeeTold: boolean): SalesSum => ({
  results: withResult(sum.results, sale.realized),
  amount: (sum.amount + (sale.amount ?? 0)) as Money,
  fees: (sum.fees + sale.fee) as Money,
  withoutFee: sum.withoutFee + (isFeeTold ? 0 : 1),
})

function together(one: SalesSum, other: SalesSum): SalesSum {
  const [a, b] = [one.results, other.results]
  return {
    results: {
      count: a.count + b.count,
      unknown: a.unknown + b.unknown,
      wins: a.wins + b.wins,
      losses: a.losses + b.losses,
      gained: (a.gained + b.gained) as Money,
      lost: (a.lost + b.lost) as Money,
    },
    amount: (one.amount + other.amount) as Money,
    fees: (one.fees + other.fees) as Money,
    withoutFee: one.withoutFee + other.withoutFee,
  }
}

/** Monday of the week of an exchange day. */
export function weekOf(day: string): string {
  const startMs = exchangeDayStartMs(day)
  const sinceMonday = (exchangeWeekday(startMs) + 6) % 7
  return exchangeDay(startMs - sinceMonday * DAY_MS)
}

export const monthOf = (day: string): string => day.slice(0, 7)

/** Sales added up by all that they are asked by. */
export class SalesTally {
  total = NO_SALES
  readonly byDay = new Map<string, SalesSum>()
  readonly byStock = new Map<string, SalesSum & { readonly name: string }>()
  readonly byStrategy = new Map<string, SalesSum>()

  constructor(sales: readonly Sale[]) {
    const fees = new FeesTold(sales)
    for (const sale of sales) this.#add(sale, fees.isTold(sale))
  }

  #add(sale: Sale, isFeeTold: boolean): void {
    const { code, name, strategy, timeMs } = sale
    const plus = (sum: SalesSum = NO_SALES) => withSale(sum, sale, isFeeTold)
    const day = exchangeDay(timeMs)
    this.total = plus(this.total)
    this.byDay.set(day, plus(this.byDay.get(day)))
    this.byStrategy.set(strategy, plus(this.byStrategy.get(strategy)))
    this.byStock.set(code, { name, ...plus(this.byStock.get(code)) })
  }

  /** The sums of days by what `key` says of a day. */
  daysBy(key: (day: string) => string): ReadonlyMap<string, SalesSum> {
    const sums = new Map<string, SalesSum>()
    for (const [day, sum] of this.byDay) {
      sums.set(key(day), together(sums.get(key(day)) ?? NO_SALES, sum))
    }
    return sums
  }
}

/** The deepest fall of the equity below what it had been before. */
export interface Drawdown {
  readonly amount: Money
  /** As a part of that peak. */
  readonly ratio: number
  readonly peakMs: number
  readonly troughMs: number
}

/** Of points in the order of time; undefined of fewer than two. */
export function drawdownOf(points: readonly EquityPoint[]): Drawdown | undefined {
  const [first] = points
  if (first === undefined || points.length < 2) return undefined
  let peak = first
  let deepest: Drawdown = {
    amount: 0 as Money,
    ratio: 0,
    peakMs: first.timeMs,
    troughMs: first.timeMs,
  }
  for (const point of points) {
    if (worthOf(point) > worthOf(peak)) peak = point
    const amount = (worthOf(peak) - worthOf(point)) as Money
    if (amount <= deepest.amount) continue
    const ratio = worthOf(peak) > 0 ? amount / worthOf(peak) : 0
    deepest = { amount, ratio, peakMs: peak.timeMs, troughMs: point.timeMs }
  }
  return deepest
}
