import type { CostBook } from '../../domain/cost-book.ts'
import {
  type Drawdown,
  knownResult,
  profitFactor,
  type Results,
  type SalesSum,
  winRate,
} from '../../domain/earnings.ts'
import { type EquityPoint, worthOf } from '../../domain/equity.ts'
import {
  DAY_MS,
  exchangeDay,
  exchangeDayStartMs,
  exchangeTime,
} from '../../domain/exchange-time.ts'
import { shownCode } from '../../domain/instrument.ts'
import { type Money, marketValue, round, toYuan } from '../../domain/money.ts'
import type { Position } from '../../domain/position.ts'
import type { Sale } from '../../domain/sale.ts'
import { strategyLabel } from '../../domain/trade-record.ts'
import type { NumberedClosed } from '../model/costs.ts'
import type { AccountState } from '../model/state.ts'
import { dayResult } from '../orders/day-result.ts'
import { equityNow } from '../orders/equity-points.ts'
import { isQuoted, markPrice } from '../orders/quote-rules.ts'
import { nameOf, positionsOf } from '../turn/holding.ts'
import type { Sight } from '../turn/turn.ts'

const RATIO_DIGITS = 6

/** How costs are reckoned, as every answer says. */
export const COST_METHOD = 'moving_average_with_fees'

const yuanOrNull = (units: Money | null): number | null => (units === null ? null : toYuan(units))
export const ratioOrNull = (value: number | null): number | null =>
  value === null ? null : round(value, RATIO_DIGITS)

/** Results of sales, or of closed holdings. */
const resultFields = (results: Results) => ({
  realized: results.unknown > 0 ? null : toYuan(knownResult(results)),
  realized_known: toYuan(knownResult(results)),
  realized_reason: results.unknown > 0 ? ('unknown_cost' as const) : null,
  wins: results.wins,
  losses: results.losses,
  win_rate: ratioOrNull(winRate(results)),
  profit_factor: ratioOrNull(profitFactor(results)),
})

export const sumRow = ({ results, amount, fees, withoutFee }: SalesSum) => ({
  sales: results.count,
  unknown_sales: results.unknown,
  sales_without_fee: withoutFee,
  amount: toYuan(amount),
  fees: toYuan(fees),
  ...resultFields(results),
})

export const closedSumRow = (results: Results) => ({
  positions: results.count,
  unknown_positions: results.unknown,
  ...resultFields(results),
})

/** Why a sale has no result. */
const reasonOf = ({ realized, amount }: Sale) => {
  if (realized !== null) return null
  return amount === null ? ('no_deal' as const) : ('unknown_cost' as const)
}

export const saleRow = (sale: Sale) => ({
  id: sale.id,
  time: exchangeTime(sale.timeMs),
  stock_code: shownCode(sale.code),
  stock_name: sale.name,
  volume: sale.quantity,
  price: sale.amount === null ? null : toYuan(sale.price),
  amount: yuanOrNull(sale.amount),
  fee: toYuan(sale.fee),
  cost: yuanOrNull(sale.cost),
  realized: yuanOrNull(sale.realized),
  realized_ratio:
    sale.cost !== null && sale.cost > 0 && sale.realized !== null
      ? round(sale.realized / sale.cost, RATIO_DIGITS)
      : null,
  realized_reason: reasonOf(sale),
  cost_from: sale.costFrom,
  strategy: sale.strategy,
  strategy_label: strategyLabel(sale.strategy),
  order_id: sale.orderId,
  trade_id: sale.dealId,
  is_simulated: sale.isSimulated,
})

export const closedRow = (closed: NumberedClosed) => ({
  id: closed.id,
  stock_code: shownCode(closed.code),
  stock_name: closed.name,
  opened: exchangeTime(closed.openedMs),
  closed: exchangeTime(closed.closedMs),
  days_held: Math.round(
    (exchangeDayStartMs(exchangeDay(closed.closedMs)) -
      exchangeDayStartMs(exchangeDay(closed.openedMs))) /
      DAY_MS,
  ),
  bought_volume: closed.boughtQuantity,
  bought: yuanOrNull(closed.bought),
  sold_volume: closed.soldQuantity,
  sold: yuanOrNull(closed.sold),
  fees: toYuan(closed.fees),
  realized: yuanOrNull(closed.realized),
  realized_reason: closed.realized === null ? ('unknown_cost' as const) : null,
  sales: closed.sales,
  cost_from: closed.costFrom,
})

export const pointRow = (point: EquityPoint) => ({
  time: exchangeTime(point.timeMs),
  equity: toYuan(worthOf(point)),
  cash: toYuan(point.cash),
  frozen_cash: toYuan(point.frozen),
  market_value: toYuan(point.marketValue),
  is_simulated: point.isSimulated,
  session: point.session,
})

export const drawdownRow = (drawdown: Drawdown | undefined) =>
  drawdown === undefined
    ? null
    : {
        amount: toYuan(drawdown.amount),
        ratio: round(drawdown.ratio, RATIO_DIGITS),
        peak_day: exchangeDay(drawdown.peakMs),
        trough_day: exchangeDay(drawdown.troughMs),
      }

/** What costs are those of the mode that the account is in. */
const booksOf = ({ simulation, costs }: AccountState): ReadonlyMap<string, CostBook> =>
  simulation?.costs ?? costs.books

/** What a holding has cost, as far as its book is about the same shares. */
function costOf(state: AccountState, { code, quantity }: Position) {
  const book = booksOf(state).get(code)
  if (book === undefined || book.quantity !== quantity || book.cost === null) return undefined
  return { cost: book.cost, from: book.costFrom }
}

function heldCostRow(state: AccountState, sight: Sight, held: Position) {
  const quote = sight.quote(held.code)
  const known = costOf(state, held)
  const value = isQuoted(quote) ? marketValue(markPrice(held, quote), held.quantity) : null
  const cost = known?.cost ?? null
  const unrealized = cost === null || value === null ? null : ((value - cost) as Money)
  const reason = known === undefined ? ('unknown_cost' as const) : ('no_price' as const)
  return {
    stock_code: shownCode(held.code),
    stock_name: nameOf(state, held.code),
    volume: held.quantity,
    cost: yuanOrNull(cost),
    average_cost: cost === null ? null : round(toYuan(cost) / held.quantity, 4),
    cost_from: known?.from ?? null,
    client_cost_price: toYuan(held.costPrice),
    market_value: yuanOrNull(value),
    unrealized: yuanOrNull(unrealized),
    unrealized_reason: unrealized === null ? reason : null,
  }
}

/** The holdings with both costs: ours with fees, and the client's. */
export const heldCostRows = (state: AccountState, sight: Sight) =>
  Array.from(positionsOf(state).values(), (held) => heldCostRow(state, sight, held))
type HeldCostRow = ReturnType<typeof heldCostRows>[number]

/** Null when one of them is not known. */
export function unrealizedOf(rows: readonly HeldCostRow[]): number | null {
  let sum = 0
  for (const { unrealized } of rows) {
    if (unrealized === null) return null
    sum += unrealized
  }
  return round(sum, 4)
}

/** What the account knows of the day by itself, all of one moment. */
export interface DayNow {
  readonly day: string
  readonly isSimulated: boolean
  readonly point: EquityPoint | undefined
  readonly traded: Money | null
}

export function dayNow(state: AccountState, sight: Sight): DayNow {
  const point = equityNow(state, sight)
  return {
    day: exchangeDay(sight.nowMs),
    isSimulated: state.simulation !== undefined,
    point,
    traded: (point && dayResult(state, sight)) ?? null,
  }
}

/**
 * The day until now. From holdings and deals where that is known, which no transfer of cash moves; else by how much the
 * equity has changed since `before`, the close before in the same mode, whatever has moved it.
 */
export function todayRow({ day, point, traded }: DayNow, before?: EquityPoint) {
  const change =
    point === undefined || before === undefined
      ? null
      : ((worthOf(point) - worthOf(before)) as Money)
  const both = traded === null || change === null ? null : ((change - traded) as Money)
  return {
    day,
    ...dayPnl(traded, change),
    pnl_reason: noPnl(point, traded ?? change),
    equity: point === undefined ? null : toYuan(worthOf(point)),
    equity_before: before === undefined ? null : toYuan(worthOf(before)),
    before_day: before === undefined ? null : exchangeDay(before.timeMs),
    equity_change: yuanOrNull(change),
    unexplained: yuanOrNull(both),
  }
}

function dayPnl(traded: Money | null, change: Money | null) {
  if (traded !== null) return { pnl: toYuan(traded), method: 'holdings_and_deals' as const }
  return { pnl: yuanOrNull(change), method: change === null ? null : ('equity' as const) }
}

function noPnl(now: EquityPoint | undefined, pnl: Money | null) {
  if (pnl !== null) return null
  return now === undefined ? ('equity_unknown' as const) : ('no_close_before' as const)
}
