import { z } from 'zod'
import { decimal, flag, whole } from './fields.ts'
import { carriedOver, withoutEffect } from './strategy-carried.ts'

const ratio = z.number().gt(0).lt(1)

/** Rows of [profit level, coefficient]: the highest row whose level is reached applies. */
const tiers = z
  .array(z.tuple([ratio, ratio]))
  .max(32)
  .refine((rows) => rows.every((row, i) => i === 0 || row[0] > (rows[i - 1]?.[0] ?? 0)), {
    error: 'levels must rise from row to row',
  })
  .default([
    [0.05, 0.96],
    [0.1, 0.93],
    [0.15, 0.9],
    [0.2, 0.87],
    [0.3, 0.85],
    [0.4, 0.83],
    [0.5, 0.8],
  ])
  .describe(
    'after the first take-profit: [highest profit reached, exit price as ratio of the high]',
  )

const buyLevels = z
  .tuple([z.number().gt(0).max(1), z.number().min(0.8).max(0.99), z.number().gt(0).max(1)])
  .default([1.0, 0.93, 0.88])
  .describe('only the second counts: buy more when the price is at this ratio of the cost')

const gates = {
  ENABLE_AUTO_OPERATION: flag(false, 'master switch of all strategies; paper accounts only'),
  ENABLE_AUTO_TRADING: flag(false, 'take-profit and stop-loss may trade'),
  ENABLE_DYNAMIC_STOP_PROFIT: flag(true, 'take-profit and stop-loss signals are detected'),
  ENABLE_ALLOW_BUY: flag(true, 'buying is permitted, by hand and by strategy'),
  ENABLE_ALLOW_SELL: flag(true, 'selling is permitted, by hand and by strategy'),
  ENABLE_SIMULATION_MODE: z
    .boolean()
    .optional()
    .describe('orders stay inside; default off on the paper driver, on with a real one'),
}

const takeProfit = {
  STOP_LOSS_RATIO: decimal({ default: -0.075, min: -0.2, max: -0.01 }, 'loss that sells all'),
  INITIAL_TAKE_PROFIT_RATIO: decimal(
    { default: 0.06, min: 0.01, max: 0.2 },
    'profit that arms the first take-profit',
  ),
  INITIAL_TAKE_PROFIT_PULLBACK_RATIO: decimal(
    { default: 0.005, min: 0.0001, max: 0.2 },
    'fall from the high after arming that sells',
  ),
  INITIAL_TAKE_PROFIT_RATIO_PERCENTAGE: decimal(
    { default: 0.6, min: 0.01, max: 1 },
    'fraction sold at the first take-profit',
  ),
  DYNAMIC_TAKE_PROFIT: tiers,
  ENABLE_STOP_LOSS_BUY: flag(true, 'supplementary buying'),
  BUY_GRID_LEVELS: buyLevels,
  POSITION_UNIT: decimal({ default: 35_000, min: 1_000, max: 100_000 }, 'yuan per buy'),
  MAX_POSITION_VALUE: decimal({ default: 70_000, min: 10_000, max: 100_000 }, 'yuan per stock'),
  MAX_TOTAL_POSITION_RATIO: decimal(
    { default: 0.95, min: 0.05, max: 1 },
    'all positions together as a fraction of the funds',
  ),
}

const signals = {
  ENABLE_DYNAMIC_SIGNAL_KEEPALIVE: flag(true, 'a signal stays although the tick has passed'),
  DYNAMIC_SIGNAL_KEEPALIVE_SECONDS: decimal({ default: 90, min: 0, max: 300 }, 'seconds it stays'),
  DYNAMIC_SIGNAL_MAX_AGE_SECONDS: decimal(
    { default: 120, min: 1, max: 300 },
    'seconds after which a signal is refused',
  ),
  ALLOW_TAKE_PROFIT_FULL_WITH_PENDING: flag(false, 'full exit ignores pending orders'),
  ENABLE_PAUSE_GRID_AFTER_TAKE_PROFIT_FULL: flag(true, 'a confirmed full exit pauses the grid'),
  ENABLE_PENDING_ORDER_AUTO_CANCEL: flag(true, 'orders not filled in time are canceled'),
  PENDING_ORDER_TIMEOUT_MINUTES: decimal({ default: 5, min: 0.05, max: 240 }, 'minutes'),
  STOP_LOSS_PENDING_ORDER_TIMEOUT_MINUTES: decimal(
    { default: 0.5, min: 0.05, max: 240 },
    'minutes, for stop-loss orders',
  ),
  PENDING_ORDER_AUTO_REORDER: flag(true, 'the rest is sent again after a cancel'),
  PENDING_ORDER_REORDER_PRICE_MODE: z
    .enum(['market', 'limit', 'best'])
    .default('best')
    .describe('price of the order sent again: last, first price, or best of the other side'),
  MAX_CANCEL_RETRIES: whole({ default: 3, min: 0, max: 20 }, 'tries'),
  CANCEL_RETRY_INTERVAL_SECONDS: decimal({ default: 1, min: 0.1, max: 60 }, 'seconds'),
  ENABLE_MARKET_DATA_CIRCUIT_BREAKER: flag(true, 'bad quotes stop all signals for a while'),
  MARKET_DATA_FAILURE_THRESHOLD: whole({ default: 3, min: 1, max: 100 }, 'failures of one stock'),
  MARKET_DATA_FAILURE_WINDOW_SECONDS: decimal({ default: 60, min: 1, max: 3_600 }, 'seconds'),
  MARKET_DATA_CIRCUIT_BREAK_SECONDS: decimal({ default: 300, min: 1, max: 86_400 }, 'seconds'),
  MONITOR_LOOP_INTERVAL: decimal({ default: 3, min: 0.1, max: 60 }, 'seconds between passes'),
  QMT_POSITION_QUERY_INTERVAL: decimal(
    { default: 10, min: 0.1, max: 3_600 },
    'seconds between position queries; same as limits.account.position_query_interval_ms',
  ),
}

const grid = {
  ENABLE_GRID_TRADING: flag(true, 'grids may trade'),
  GRID_DEFAULT_PRICE_INTERVAL: decimal(
    { default: 0.05, min: 0.001, max: 0.5 },
    'distance of levels as a ratio of the center',
  ),
  GRID_DEFAULT_POSITION_RATIO: decimal({ default: 0.25, min: 0.01, max: 1 }, 'share per level'),
  GRID_CALLBACK_RATIO: decimal({ default: 0.005, min: 0, max: 0.2 }, 'reversal after a crossing'),
  GRID_DEFAULT_MAX_INVESTMENT_RATIO: decimal(
    { default: 0.5, min: 0.01, max: 10 },
    'suggested quota as a ratio of the market value held',
  ),
  GRID_DEFAULT_DURATION_DAYS: whole({ default: 7, min: 1, max: 3_650 }, 'days'),
  GRID_MAX_DEVIATION_RATIO: decimal({ default: 0.15, min: 0.01, max: 1 }, 'deviation that ends it'),
  GRID_TARGET_PROFIT_RATIO: decimal({ default: 0.1, min: 0.001, max: 10 }, 'profit that ends it'),
  GRID_STOP_LOSS_RATIO: decimal({ default: -0.1, min: -1, max: -0.001 }, 'loss that ends it'),
  GRID_DEFAULT_TRADE_MODE: z.enum(['amount', 'shares']).default('amount').describe('of a session'),
  GRID_REQUIRE_PROFIT_TRIGGERED: flag(false, 'a session needs a first take-profit before it'),
  GRID_LEVEL_COOLDOWN: decimal({ default: 60, min: 0, max: 86_400 }, 'seconds per level'),
  GRID_BUY_COOLDOWN: decimal({ default: 300, min: 0, max: 86_400 }, 'seconds per session'),
  GRID_SELL_COOLDOWN: decimal({ default: 300, min: 0, max: 86_400 }, 'seconds per session'),
  GRID_SELL_COOLDOWN_PRICE_THRESHOLD: decimal(
    { default: 0.02, min: 0, max: 1 },
    'rise over the last sale that halves the wait; 0 = off',
  ),
  ENABLE_GRID_PENDING_ORDER_AUTO_CANCEL: flag(true, 'grid orders not filled are canceled'),
  GRID_PENDING_ORDER_TIMEOUT_SECONDS: decimal({ default: 90, min: 1, max: 86_400 }, 'seconds'),
  GRID_PENDING_ORDER_AUTO_REORDER: flag(true, 'the rest is sent again after a cancel'),
  GRID_PENDING_ORDER_REORDER_MAX_ATTEMPTS: whole({ default: 1, min: 0, max: 20 }, 'times'),
  GRID_SIGNAL_MAX_AGE_SECONDS: decimal({ default: 60, min: 1, max: 3_600 }, 'seconds'),
  GRID_SIGNAL_MAX_PRICE_DRIFT_RATIO: decimal({ default: 0.01, min: 0, max: 1 }, 'ratio'),
  GRID_USE_COUNTERPARTY_PRICE: flag(true, 'orders take the price of the other side'),
  GRID_COUNTERPARTY_BUY_PRICE_BUFFER_RATIO: decimal(
    { default: 0.02, min: 0, max: 0.5 },
    'reserve added to the budget of a buy',
  ),
  GRID_ENABLE_PRICE_LIMIT_GUARD: flag(true, 'no order at the price limit'),
  GRID_PRICE_LIMIT_EPS: decimal({ default: 0.001, min: 0, max: 1 }, 'yuan'),
  GRID_STRATEGY_NAME: z
    .string()
    .regex(/^[A-Za-z0-9_]{1,24}$/, { error: 'must be 1 to 24 letters, digits or "_"' })
    .default('grid')
    .describe('strategy name on grid orders and records'),
}

const marketHealth = {
  MARKET_HEALTH_ENABLED: flag(true, 'quote sources are scored'),
  MARKET_HEALTH_OBSERVE_ONLY: flag(false, 'the score is shown but stops nothing'),
  MARKET_HEALTH_WINDOW_SECONDS: decimal({ default: 300, min: 10, max: 86_400 }, 'seconds'),
  MARKET_HEALTH_MAX_EVENTS: whole({ default: 100, min: 1, max: 10_000 }, 'events kept per key'),
  MARKET_HEALTH_MIN_EVENTS: whole({ default: 3, min: 1, max: 1_000 }, 'events before a score'),
  MARKET_HEALTH_HEALTHY_SCORE: decimal({ default: 80, min: 0, max: 100 }, 'score from here'),
  MARKET_HEALTH_DEGRADED_SCORE: decimal({ default: 60, min: 0, max: 100 }, 'score from here'),
  MARKET_HEALTH_UNSTABLE_SCORE: decimal({ default: 40, min: 0, max: 100 }, 'score from here'),
  MARKET_HEALTH_TRADING_MIN_SCORE: decimal(
    { default: 70, min: 0, max: 100 },
    'score below which quotes feed no signals',
  ),
  MARKET_HEALTH_ALLOW_FALLBACK_SOURCE: flag(false, 'a fallback source may feed signals'),
}

/**
 * Every constant of the strategies under the name that existing configurations know.
 *
 * Units   ratios are decimals (0.06 = 6 %), money is yuan, times are in the unit of the name or seconds.
 */
export const strategySchema = z
  .strictObject({
    ...gates,
    ...takeProfit,
    ...signals,
    ...grid,
    ...marketHealth,
    ...carriedOver,
    ...withoutEffect,
  })
  .prefault({})

type StrategySettings = z.output<typeof strategySchema>
/** The strategy of one account: the simulation mode is decided. */
export type StrategyConfig = Omit<StrategySettings, 'ENABLE_SIMULATION_MODE'> & {
  readonly ENABLE_SIMULATION_MODE: boolean
}
