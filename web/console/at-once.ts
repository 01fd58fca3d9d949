import { priceDecimals } from '../shared/format.ts'
import { stopDistance } from '../shared/rows.ts'
import { figuresOf } from '../shared/sums.ts'
import type { PositionRow } from '../shared/wire.ts'

/** A loss that is smaller sells nothing, whatever the stop. */
const LOSS_MIN = 0.02
/** Doubles err by less than this part of a price. */
const NOISE = 1e-9

/** As saved, percent numbers of the cost; NaN = not known. */
export interface ExitParameters {
  readonly stopLoss: number
  /** Gain that arms the first take-profit, which sells nothing once too little is left of that. */
  readonly firstProfit: number
}

/**
 * Holdings that are sold at once, whole or in part, as soon as nothing keeps that back: the price is at the stop, or where
 * profit is taken, or below. With a stop that is drawn tighter, to a percent number of the cost, those as well that it reaches.
 */
export const soldAtOnce = (
  rows: readonly PositionRow[],
  saved: ExitParameters,
  tighter?: number,
): readonly PositionRow[] =>
  rows.filter((row) => {
    const { price = 0 } = figuresOf(row)
    if (!row.stop_profit_enabled || row.available <= 0 || price <= 0) return false
    const cost = costOf(row, saved)
    if (tighter !== undefined && price <= cost * (kept(tighter) + NOISE)) return true
    return isDue(row, { price, cost }, saved)
  })

/**
 * Holdings of which more is bought at once, as far as cash and limits go, where supplementary purchases are on and let
 * through. undefined: an older service does not tell at which prices.
 */
export function boughtAtOnce(rows: readonly PositionRow[]): readonly PositionRow[] | undefined {
  if (rows.some(({ why }) => why != null && why.adds_at === undefined)) return undefined
  return rows.filter((row) => {
    const { price = 0 } = figuresOf(row)
    const { adds_at: addsAt, stop } = row.why ?? {}
    return row.stop_profit_enabled && price > (stop ?? 0) && price <= (addsAt ?? 0)
  })
}

/** By the prices that the service tells: no profit is taken that is none. An older one tells the shown stop alone. */
function isDue(
  row: PositionRow,
  { price, cost }: { readonly price: number; readonly cost: number },
  { firstProfit }: ExitParameters,
): boolean {
  if (row.why == null) return (stopDistance(row) ?? 1) <= 0
  const { stop, sells_at: sellsAt, high } = row.why
  if (price <= (stop ?? 0)) return true
  if (sellsAt === null || price > sellsAt || price <= cost) return false
  const isPart = !row.profit_triggered && high !== null
  return !(isPart && price < cost * (1 + firstProfit / 100) * (sellsAt / high) ** 2)
}

/** What is left of the cost at a stop. */
const kept = (stopLoss: number): number => 1 - Math.max(stopLoss / 100, LOSS_MIN)

/** On an ex-day the broker's cost may be that of before; the stop that the service tells, on a price that trades, never is. */
function costOf(row: PositionRow, { stopLoss }: ExitParameters): number {
  const { cost = 0 } = figuresOf(row)
  const told = (row.why?.stop ?? 0) / kept(stopLoss)
  const tick = 1 / 10 ** priceDecimals(row.stock_code)
  return told > 0 && Math.abs(told - cost) > tick * 2 ? told : cost
}
