import { z } from 'zod'
import { money, ratio, time } from './envelope.ts'

const day = z.string().describe('YYYY-MM-DD, Asia/Shanghai')
const unknown = (why: string) => money.nullable().describe(`yuan; null = not known: ${why}`)
const reason = <const T extends readonly [string, ...string[]]>(codes: T) =>
  z.enum(codes).nullable().describe('why it is null')
const costFrom = z
  .enum(['deals', 'client'])
  .describe('deals: the purchases that were seen; client: in part the cost of the trading client')

const results = {
  realized: unknown('a sale in it has no known cost'),
  realized_known: money.describe('yuan, of those that are known'),
  realized_reason: reason(['unknown_cost', 'not_begun']),
  wins: z.int(),
  losses: z.int(),
  win_rate: ratio.nullable().describe('of those that are known; null = there is none'),
  profit_factor: z
    .number()
    .nullable()
    .describe('gained for each yuan lost; null = nothing was lost'),
}

const sums = z
  .object({
    sales: z.int(),
    unknown_sales: z.int().describe('whose result nobody knows'),
    sales_without_fee: z.int().describe('of orders for which the client reported no fee'),
    amount: money.describe('yuan, of all sales whose amount is known'),
    fees: money.describe('yuan, of the sales; those of purchases are in their cost'),
    ...results,
  })
  .meta({ id: 'EarningsSum' })

const closedSums = z
  .object({ positions: z.int(), unknown_positions: z.int(), ...results })
  .meta({ id: 'EarningsClosedSum' })

const dayRow = sums
  .extend({
    day,
    equity: unknown('no point of that day'),
    equity_change: unknown('no point of that day, or none before').describe(
      'yuan, since the last day before with a point; transfers are in it; null = not known',
    ),
  })
  .meta({ id: 'EarningsDay' })
const stockRow = sums
  .extend({ stock_code: z.string(), stock_name: z.string() })
  .meta({ id: 'EarningsStock' })
const strategyRow = sums
  .extend({ strategy: z.string(), strategy_label: z.string() })
  .meta({ id: 'EarningsStrategy' })

const drawdown = z
  .object({ amount: money, ratio, peak_day: day, trough_day: day })
  .meta({ id: 'Drawdown' })
  .nullable()
  .describe('of the points of days; null = fewer than two')

const span = {
  since: time.nullable().describe('since when costs are followed; null = not yet'),
  cost_method: z
    .literal('moving_average_with_fees')
    .describe('moving weighted average of the purchases, with their fees'),
  is_simulated: z.boolean().describe('of the simulation mode; never mixed with what is real'),
  total: sums,
  closed: closedSums,
  by_day: z.array(dayRow).describe('the oldest first'),
  by_stock: z.array(stockRow),
  by_strategy: z.array(strategyRow),
  max_drawdown: drawdown,
}

const today = z
  .object({
    day,
    pnl: unknown('pnl_reason').describe('yuan, after fees; null = not known'),
    pnl_reason: reason(['equity_unknown', 'no_close_before']),
    method: z
      .enum(['holdings_and_deals', 'equity'])
      .nullable()
      .describe(
        'holdings_and_deals: prices and deals of the day, no transfer of cash is in it; equity: the change of the equity, whatever moved it',
      ),
    equity: unknown('as of now'),
    equity_before: unknown('the last point before today'),
    before_day: day.nullable(),
    equity_change: unknown('one of the two'),
    unexplained: unknown('one of the two methods').describe(
      'yuan, equity_change without pnl: transfers, dividends, interest, or a close that was not seen; null = not known',
    ),
  })
  .meta({ id: 'EarningsToday' })

const heldCost = z
  .object({
    stock_code: z.string(),
    stock_name: z.string(),
    volume: z.int(),
    cost: unknown('the client tells none'),
    average_cost: z.number().nullable().describe('yuan a share, with the fees of purchases'),
    cost_from: costFrom.nullable(),
    client_cost_price: z.number().describe('yuan a share, as the trading client tells it'),
    market_value: unknown('nobody quotes it'),
    unrealized: unknown('unrealized_reason'),
    unrealized_reason: reason(['unknown_cost', 'no_price']),
  })
  .meta({ id: 'EarningsPosition' })

/** `GET …/earnings`. */
export const summaryFields = z
  .object({
    from: day,
    to: day,
    ...span,
    by_week: z.array(sums.extend({ week: day.describe('its Monday') })),
    by_month: z.array(sums.extend({ month: z.string().describe('YYYY-MM') })),
    today,
    unrealized: unknown('of a holding'),
    unrealized_reason: reason(['unknown_cost', 'no_price']),
    positions: z.array(heldCost).describe('what is held, with both costs'),
  })
  .meta({ id: 'Earnings' })

const sale = z
  .object({
    id: z.int(),
    time,
    stock_code: z.string(),
    stock_name: z.string(),
    volume: z.int(),
    price: money.nullable(),
    amount: unknown('no deal tells it'),
    fee: money,
    cost: unknown('realized_reason').describe('yuan, of the shares sold; null = not known'),
    realized: unknown('realized_reason').describe('yuan, after all fees; null = not known'),
    realized_ratio: ratio.nullable().describe('of the cost'),
    realized_reason: reason(['unknown_cost', 'no_deal']),
    cost_from: costFrom.nullable(),
    strategy: z.string(),
    strategy_label: z.string(),
    order_id: z.string(),
    trade_id: z.string(),
    is_simulated: z.boolean(),
  })
  .meta({ id: 'Sale' })

const closed = z
  .object({
    id: z.int(),
    stock_code: z.string(),
    stock_name: z.string(),
    opened: time,
    closed: time,
    days_held: z.int().describe('calendar days'),
    bought_volume: z.int(),
    bought: unknown('no cost of what was there before'),
    sold_volume: z.int(),
    sold: unknown('some have left without a deal'),
    fees: money.describe('yuan, of all its purchases and sales that were seen'),
    realized: unknown('realized_reason'),
    realized_reason: reason(['unknown_cost']),
    sales: z.int(),
    cost_from: costFrom,
  })
  .meta({ id: 'ClosedPosition' })

const pagination = z.object({
  limit: z.int(),
  next_before: z
    .string()
    .nullable()
    .describe('the before of the next page; null = it was the last'),
  has_more: z.boolean(),
})
const page = { from: day, to: day, pagination }

/** `GET …/earnings/sales`, newest first. */
export const salesFields = z.object({ ...page, sales: z.array(sale) }).meta({ id: 'SalesPage' })
/** `GET …/earnings/closed`. */
export const closedFields = z
  .object({ ...page, positions: z.array(closed) })
  .meta({ id: 'ClosedPositionsPage' })

/** `GET …/equity`. */
export const equityFields = z
  .object({
    resolution: z.enum(['minute', 'day']),
    points: z
      .array(
        z
          .object({
            time,
            equity: money,
            cash: money.describe('yuan, frozen cash with it'),
            frozen_cash: money,
            market_value: money,
            is_simulated: z.boolean(),
            session: z.enum(['open', 'closed']),
          })
          .meta({ id: 'EquityPoint' }),
      )
      .describe('the oldest first; a minute or day without one was not known'),
  })
  .meta({ id: 'Equity' })

/** `GET …/statements/{month}`. */
export const statementFields = z
  .object({
    month: z.string().describe('YYYY-MM'),
    ...span,
    equity_begin: unknown('no point before the month'),
    equity_end: unknown('no point in it'),
    equity_change: unknown('one of the two'),
    sales: z.array(sale).describe('the oldest first'),
    closed_positions: z.array(closed),
  })
  .meta({ id: 'Statement' })
