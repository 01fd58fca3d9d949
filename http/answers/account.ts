import { z } from 'zod'
import { PARAMETERS, type Parameter } from '../../src/domain/settings/parameters.ts'
import { REASON_CODES, STANDING_CODES } from '../../src/domain/standing.ts'
import { dataAnswer, money, percentNumber, ratio, statusAnswer, time } from './envelope.ts'

const price = z.number().describe('yuan; 0 = none')
const shares = z.int().describe('shares')
const version = z
  .int()
  .describe('rises with every change of the positions; a lower one is a restart')

const line = z.number().nullable().describe('yuan; null = none, or not known')

/** What keeps every strategy of an account from deciding anything. */
export const resting = z
  .enum(['suspended', 'disk_space', 'disk_late'])
  .nullable()
  .describe(
    'why no order leaves, of a strategy or a person: it crashed too often, or the disk is nearly full, or does not answer',
  )

/** What the service thinks of a holding, for machines. Prices are lines at which something happens, none is the last price. */
const why = z
  .object({
    state: z
      .enum(STANDING_CODES)
      .describe('waits_breakout: nothing sold; waits_exit: the first take-profit is filled'),
    first_profit: line.describe('the first price that arms the first take-profit'),
    sells_at: line.describe(
      'after the breakout, or for the rest: the first price that sells; for the rest above the cost only, else at `stop`',
    ),
    stop: line.describe('the first price at which everything is sold'),
    high: line.describe('what `sells_at` is measured from'),
    adds_at: line
      .optional()
      .describe(
        'the first price at which more is bought above `stop`, where supplementary purchases are on; absent: an earlier release does not say',
      ),
    sold_today: shares,
    order: z
      .object({
        client_order_id: z.string(),
        order_id: z.string().nullable(),
        strategy: z.string(),
        volume: shares.describe('that is not filled'),
        price: line.describe('null = at the last price'),
        since: time,
        until: time
          .nullable()
          .describe(
            'canceled then at the latest, or looked at again where it keeps its place; null = never, or it does not rest',
          ),
        in_doubt: z.boolean(),
      })
      .nullable()
      .describe('the sale of a strategy that is not finished with'),
    reasons: z
      .array(z.enum(REASON_CODES))
      .describe('what keeps sales of strategies back, the most binding first'),
  })
  .meta({ id: 'Why' })

/** A position with every field that existing clients read. */
export const positionRow = z
  .object({
    stock_code: z.string().describe('6 digits; with its exchange where these name another stock'),
    stock_name: z.string(),
    volume: shares,
    available: shares.describe('sellable today'),
    cost_price: price,
    base_cost_price: price.describe('of the first build; valid above 0'),
    is_cost_known: z
      .boolean()
      .describe('false: nobody has told its cost, 0.01 stands in and the profit says nothing'),
    current_price: price,
    market_value: money,
    profit_amount: money,
    profit_ratio: percentNumber,
    change_percentage: percentNumber.describe(
      'of the day, against the previous close; percent number',
    ),
    is_priced: z
      .boolean()
      .describe('false: nobody quotes it, the price is its cost and value and profit say nothing'),
    open_date: z.string(),
    last_update: time,
    profit_triggered: z.boolean().describe('the first take-profit sale is filled'),
    highest_price: price,
    stop_loss_price: price,
    profit_breakout_triggered: z.boolean(),
    breakout_highest_price: price,
    stop_profit_enabled: z.boolean(),
    grid_session_active: z.boolean(),
    why_zh: z.string().describe('what the service thinks of it, in one line'),
    why_en: z.string().describe('the same in English'),
    why: why.nullable(),
  })
  .meta({ id: 'Position' })

const shortPosition = positionRow
  .pick({
    stock_code: true,
    stock_name: true,
    volume: true,
    available: true,
    cost_price: true,
    base_cost_price: true,
    current_price: true,
    market_value: true,
    profit_ratio: true,
    change_percentage: true,
    open_date: true,
    profit_triggered: true,
    highest_price: true,
    stop_loss_price: true,
    stop_profit_enabled: true,
    grid_session_active: true,
  })
  .meta({ id: 'PositionShort' })

const metrics = z
  .object({
    total_positions: z.int(),
    position_count: z.int(),
    stock_count: z.int(),
    total_market_value: money,
    total_cost: money,
    total_profit: money,
    profit_ratio: ratio,
    total_profit_ratio: ratio,
    unpriced_positions: z
      .int()
      .describe('holdings that nobody quotes, in the totals at their cost'),
    uncosted_positions: z
      .int()
      .describe('holdings whose cost nobody has told, in the totals without gain or loss'),
    win_positions: z.int(),
    lose_positions: z.int(),
    win_ratio: ratio,
    max_profit_ratio: percentNumber,
    max_loss_ratio: percentNumber,
  })
  .meta({ id: 'PositionMetrics' })

/** Those of them that a list of all accounts tells. */
export const holdingSums = metrics
  .pick({
    total_positions: true,
    total_cost: true,
    total_profit: true,
    total_profit_ratio: true,
    unpriced_positions: true,
    uncosted_positions: true,
  })
  .describe('of the holdings, at the prices of `account`; a node of an older release does not say')

/** `no_change` true: nothing is newer than the version that was asked with, and the lists are empty. */
export const positions = z.object({
  status: z.literal('success'),
  data: z.object({
    positions: z.array(shortPosition),
    metrics: z.union([metrics, z.object({}).describe('with no_change')]),
    positions_all: z.array(positionRow),
  }),
  data_version: version,
  no_change: z.boolean(),
  timestamp: time,
})
export const positionsAll = z.object({
  status: z.literal('success'),
  data: z.array(positionRow),
  data_version: version,
  no_change: z.boolean(),
  timestamp: time,
})

const refusal = {
  refusal_code: z.string().nullable().describe('stable name of why the trading client refused'),
  refusal_explanation: z.string().nullable(),
}

/** An order of the day. */
export const orderRow = z
  .object({
    order_id: z
      .string()
      .describe(
        'number of the trading client as text, in the answer to the order a number; ours until it has spoken',
      ),
    client_order_id: z.string(),
    stock_code: z.string().describe('with its exchange: 600036.SH'),
    stock_name: z.string(),
    trade_type: z.enum(['BUY', 'SELL']),
    order_type: z.int().describe('23 buy, 24 sell'),
    price_type: z
      .int()
      .describe('as in the body of an order; of orders placed elsewhere any number'),
    price,
    volume: shares,
    traded_volume: shares,
    traded_price: price.describe('average of the fills, yuan'),
    status: z.int().describe('48 … 57, of the trading client'),
    status_desc: z.string(),
    quarantined: z.boolean().describe('in doubt, and a person has to decide'),
    ...refusal,
    state: z.string(),
    amendment: z
      .object({
        state: z
          .enum(['canceling', 'sent', 'dropped'])
          .describe('dropped: nothing took its place, message says why'),
        client_order_id: z.string().describe('of the order that takes its place'),
        volume: shares.describe('that both orders together may fill'),
        price_type: z.int(),
        price,
        message: z.string(),
      })
      .optional()
      .describe('what it was last to be changed into'),
    is_pending: z.boolean(),
    order_time: time,
    strategy: z.string(),
    strategy_label: z.string(),
  })
  .meta({ id: 'Order' })

/** A confirmed fill. */
export const tradeRecord = z
  .object({
    id: z.int(),
    stock_code: z.string().describe('6 digits; with its exchange where these name another stock'),
    stock_name: z.string(),
    trade_time: time.nullable(),
    trade_type: z.enum(['BUY', 'SELL']),
    price,
    volume: shares,
    amount: money,
    trade_id: z.string().describe('deal number'),
    order_id: z.string(),
    commission: money,
    strategy: z.string(),
    strategy_label: z.string(),
    note: z.string().nullable().describe('what a person has written beside it; null = nothing'),
  })
  .meta({ id: 'TradeRecord' })

export const orders = dataAnswer(z.array(orderRow))
export const tradeRecords = dataAnswer(z.array(tradeRecord))
export const stockPool = dataAnswer(z.array(z.string()))
const epochSeconds = z.number().describe('Unix time, seconds').nullable()

/** How the attempts to connect to the trading client go. */
export const attempts = {
  disconnected_since: epochSeconds,
  failures: z.int().describe('failed attempts in a row'),
  last_failure: z
    .string()
    .nullable()
    .describe('why the last attempt failed, or the client was lost'),
  next_attempt_at: epochSeconds,
  waiting_for_terminal: z.boolean().describe('between two attempts; true while one is waited for'),
}

export const clientLink = z
  .object({ connected: z.boolean(), ...attempts })
  .meta({ id: 'ClientLink' })

export const connection = statusAnswer(
  z.object({
    account_id: z.string().optional().describe('missing while no account is registered'),
    connected: z.boolean().describe('true in simulation mode, which needs no trading client'),
    ...attempts,
    problem: z.string().optional().describe('why the account cannot be asked'),
  }),
)

/** Cash and holdings as `/api/status` shows them. */
export const accountBlock = z
  .object({
    id: z.string().describe('-- until the trading client has reported'),
    alias: z.string().describe('what people call it; empty = nothing'),
    availableBalance: money,
    maxHoldingValue: money.describe('market value of the holdings, yuan'),
    totalAssets: money.describe('cash, frozen cash and holdings, yuan'),
    frozenCash: money.describe('kept by the broker for open purchases, yuan'),
    isKnown: z.boolean().describe('the trading client has reported; else the amounts are zeros'),
    isTotalKnown: z
      .boolean()
      .describe('false also while a holding has no price, or a fill is not yet in both reports'),
    timestamp: z.string().describe('of the report; empty before the first'),
  })
  .meta({ id: 'AccountBlock' })

const known = z.boolean().nullable()
const problem = z.string().optional().describe('why the account cannot be asked')

const settings = z
  .object({
    isMonitoring: known.describe('ENABLE_AUTO_OPERATION, the master switch; null = unknown'),
    enableAutoTrading: known,
    autoTradingEnabled: known,
    enableGridTrading: known,
    gridTradingEnabled: known,
    positionMonitorRunning: known,
    allowBuy: known,
    allowSell: known,
    simulationMode: known,
  })
  .meta({ id: 'Switches' })

/** Optional: not every gateway tells it. */
export const calendarNotice = z
  .object({
    year: z.int().describe('the first one whose holidays are not known'),
    days: z
      .int()
      .describe('until it begins; 0 = it has, and every weekday counts as a trading day'),
  })
  .nullable()
  .optional()
  .describe('null = the holidays of the next weeks are known, or the market is always open')

export const status = statusAnswer(
  z.object({
    isMonitoring: known,
    positionMonitorRunning: known,
    enableAutoTrading: known,
    autoTradingEnabled: known,
    enableGridTrading: known,
    gridTradingEnabled: known,
    account: accountBlock,
    connection: clientLink,
    calendar_notice: calendarNotice,
    settings,
    problem,
  }),
)

const range = z.object({ min: z.number(), max: z.number() })
const onGateway = 'null on the gateway: only the running process knows'

/** A parameter as it is shown, in the unit of its form. */
function parameter({ label, range, offer }: Parameter): z.ZodType {
  const text = label.join(' / ')
  if (range) return z.number().describe(text)
  if (offer.saved !== 'run') return z.boolean().describe(text)
  return z.boolean().nullable().describe(`${text}; ${onGateway}`)
}

/** Parameters in the units of their form: yuan, percent numbers. */
export const config = z.object({
  status: z.literal('success'),
  data: z
    .object({
      ...Object.fromEntries(Array.from(PARAMETERS, ([name, one]) => [name, parameter(one)])),
      StopLossEnabled: z.boolean(),
      connectPort: z.int(),
      totalAccounts: z.string(),
    })
    .meta({ id: 'Parameters' }),
  ranges: z.record(z.string(), range),
  timestamp: time,
})

export const debug = statusAnswer(
  z.object({
    system_status: z.record(z.string(), z.boolean()),
    multi_account_diagnostics: z.record(
      z.string(),
      z.union([z.string(), z.number(), z.boolean(), z.null()]),
    ),
    actor: z.record(z.string(), z.union([z.string(), z.number(), z.boolean()])),
  }),
)
