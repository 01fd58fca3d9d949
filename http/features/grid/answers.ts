import { z } from 'zod'
import { GRID_STANDING_CODES, REASON_CODES } from '../../../src/domain/standing.ts'
import { money, ratio, time } from '../../answers/envelope.ts'
import { ignored } from '../../message/ignored.ts'
import { code, gridAnswer, isoTime, message, rates, sessionId, shares } from './shapes.ts'

const parameters = {
  center_price: money,
  ...rates,
  trade_mode: z.enum(['amount', 'shares']),
  fixed_volume: shares,
  max_investment: money,
}
const config = z.object({
  stock_code: code,
  enabled: z.boolean(),
  ...parameters,
  duration_days: z.int(),
})

const pnlSnapshot = z
  .object({
    stock_code: code,
    session_id: sessionId,
    method: z.enum([
      'ledger_true_pnl',
      'memory_true_pnl',
      'fallback_market_value_ratio',
      'cash_flow_legacy',
    ]),
    method_detail: z.string(),
    mark_price: money,
    profit_ratio: ratio,
    total_pnl_ratio: ratio,
    total_pnl: money.describe('without fees, yuan'),
    realized_pnl: money.describe('without fees, yuan'),
    unrealized_pnl: money,
    fees: money.nullable().describe('of all its trades; null where they were not noted, yuan'),
    net_pnl: money.nullable().describe('total_pnl less fees, yuan'),
    cash_flow_profit: money,
    cash_flow_ratio: ratio,
    open_volume: shares,
    matched_volume: shares,
    unmatched_volume: shares,
    has_ledger: z.boolean(),
    is_degraded: z.boolean(),
    denominator: money,
    denominator_type: z.enum(['max_investment', 'position_market_value']),
  })
  .meta({ id: 'GridPnlSnapshot' })

const counts = { trade_count: z.int(), buy_count: z.int(), sell_count: z.int() }
const profit = { profit_ratio: ratio, grid_profit: money, pnl_snapshot: pnlSnapshot }
const stats = z.object({
  center_price: money,
  current_center_price: money,
  ...counts,
  ...profit,
  current_investment: money,
  max_investment: money,
  start_time: isoTime.nullable(),
  end_time: isoTime.nullable(),
  deviation_ratio: ratio,
  center_deviation_ratio: ratio,
  market_deviation_ratio: ratio,
  effective_deviation_ratio: ratio,
  market_price: money,
})
const finalStats = z
  .object({
    stock_code: code,
    trade_count: z.int(),
    profit_ratio: ratio,
    pnl_snapshot: pnlSnapshot,
    stop_reason: z.string(),
    grid_profit: money.optional(),
    status: z.string().optional().describe('stopping: orders are still under way'),
    pending_orders: z.int().optional(),
    cancel_requested: z.int().optional(),
    cancel_failed: z.int().optional(),
  })
  .meta({ id: 'GridFinalStats' })
const levels = z.object({ lower: money, center: money, upper: money })
const tracker = {
  last_price: money,
  peak_price: money,
  valley_price: money,
  direction: z.enum(['rising', 'falling']).nullable(),
  waiting_callback: z.boolean(),
}
const status = z.enum(['active', 'stopping', 'stopped'])

const line = z.number().nullable().describe('yuan; null = none')
const nextOrder = z
  .object({
    phase: z
      .enum(['level', 'callback', 'other'])
      .describe(
        'level: it has to be crossed first; callback: it was, and the price has to turn; other: the turn of the other side comes first',
      ),
    level: line.describe('exact, may lie between two ticks'),
    price: line.describe('the first price that crosses the level, or that ends the callback'),
    sends_at: line.describe('the first price that sends the order, if the price turns where it is'),
    turns_from: line.describe('peak or valley that the turn is measured from'),
    volume: shares.nullable().describe('null = nothing would be sent'),
    order_price: line.describe('its limit, as far as it can be told before'),
    blocked: z.string().nullable().describe('code of what would stop it now; null = nothing'),
    blocked_zh: z.string().nullable(),
    blocked_en: z.string().nullable(),
  })
  .meta({ id: 'GridNextOrder' })
/** What a session waits for, or what keeps it back and what would let it go on. */
const standing = {
  why_zh: z.string().describe('what it waits for, or what keeps it back, in one line'),
  why_en: z.string().describe('the same in English'),
  why: z
    .object({
      state: z.enum(GRID_STANDING_CODES),
      reasons: z.array(z.enum(REASON_CODES)).describe('the most binding first'),
      paused_since: time.nullable(),
      paused_by: z
        .enum(['person', 'take_profit_full', 'stop_loss', 'unheard_fill', 'unknown'])
        .nullable()
        .describe('unknown: by an earlier release'),
      pause_source: z.string().nullable().describe('as the audit has it'),
      goes_on_zh: z.string().nullable().describe('what would let it go on'),
      goes_on_en: z.string().nullable(),
    })
    .meta({ id: 'GridWhy' }),
  next_buy: nextOrder.nullable().describe('null once it has ended'),
  next_sell: nextOrder.nullable().describe('null once it has ended'),
}

export const started = gridAnswer({
  session_id: sessionId,
  enabled: z.boolean(),
  risk_level: z.string(),
  template_name: z.string().nullable(),
  warning: z.string().nullable(),
  old_session_id: sessionId.nullable(),
  message,
  config,
  ignored,
})
export const stopped = gridAnswer({ final_stats: finalStats, stats: finalStats, message })
export const stoppedAny = gridAnswer({
  final_stats: finalStats.optional().describe('with session_id or stock_code'),
  stats: finalStats.optional().describe('with session_id or stock_code'),
  stopped: z.int().optional().describe('without a body: sessions that end'),
  results: z
    .array(z.object({ session_id: sessionId, stock_code: code, status, final_stats: finalStats }))
    .optional(),
  message,
})
export const switched = gridAnswer({
  session: z.object({ session_id: sessionId, stock_code: code, enabled: z.boolean(), status }),
  enabled: z.boolean(),
  message,
})
const detail = z.object({
  id: sessionId,
  stock_code: code,
  status,
  enabled: z.boolean(),
  ...parameters,
  current_center_price: money,
  current_investment: money,
  ...counts,
  total_buy_amount: money,
  total_sell_amount: money,
  ...profit,
  deviation_ratio: ratio,
  start_time: isoTime.nullable(),
  end_time: isoTime.nullable(),
  grid_levels: levels,
  tracker_state: z.object({ ...tracker, crossed_level: money.nullable() }),
  ...standing,
})
/** By stock: `has_session` and what belongs to it; by number: `session`. */
export const sessionFound = gridAnswer({
  has_session: z.boolean().optional().describe('by stock code'),
  session_id: sessionId.optional(),
  stock_code: code.optional(),
  risk_level: z.string().optional(),
  template_name: z.string().nullable().optional(),
  enabled: z.boolean().optional(),
  config: z
    .object({ ...rates, max_investment: money, duration_days: z.int() })
    .loose()
    .optional()
    .describe('of the session; without one, what a start would begin with'),
  stats: stats.optional(),
  pnl_snapshot: pnlSnapshot.optional().describe('that of stats'),
  why_zh: standing.why_zh.optional(),
  why_en: standing.why_en.optional(),
  why: standing.why.optional(),
  next_buy: standing.next_buy.optional(),
  next_sell: standing.next_sell.optional(),
  session: detail.optional().describe('by session number'),
})
export const sessions = gridAnswer({
  sessions: z.array(
    z.object({
      session_id: sessionId,
      stock_code: code,
      status,
      enabled: z.boolean(),
      simulated: z.boolean().describe('of the simulation mode'),
      center_price: money,
      current_center_price: money,
      ...counts,
      ...profit,
      current_investment: money,
      max_investment: money,
      deviation_ratio: ratio,
      start_time: isoTime.nullable(),
      end_time: isoTime.nullable(),
      stop_time: isoTime.nullable(),
      stop_reason: z.string().nullable(),
      ...standing,
    }),
  ),
  total: z.int(),
})

const trade = z
  .object({
    id: z.int(),
    session_id: sessionId,
    stock_code: code,
    trade_type: z.enum(['BUY', 'SELL']),
    grid_level: money,
    trigger_price: money.describe('average price of the fill'),
    volume: shares,
    amount: money,
    peak_price: money,
    valley_price: money,
    callback_ratio: ratio,
    trade_id: z.string().describe('number of the order'),
    trade_time: isoTime,
    grid_center_before: money,
    grid_center_after: money,
    created_at: time,
  })
  .meta({ id: 'GridTrade' })
const paged = {
  trades: z.array(trade).describe('newest first'),
  total_count: z.int(),
  pagination: z.object({ limit: z.int(), offset: z.int(), has_more: z.boolean() }),
}
export const trades = gridAnswer(paged)
export const ledger = gridAnswer({
  session_id: sessionId,
  session: z.object({ id: sessionId, session_id: sessionId, stock_code: code, status }).loose(),
  current_price: money,
  summary: z.object({
    has_ledger: z.boolean(),
    lot_count: z.int(),
    match_count: z.int(),
    bought_volume: shares,
    open_volume: shares,
    matched_volume: shares,
    unmatched_volume: shares,
    open_cost: money,
    open_market_value: money,
    realized_pnl: money,
    unrealized_pnl: money,
    true_pnl: money,
  }),
  lots: z.array(
    z.object({
      id: z.int(),
      session_id: sessionId,
      stock_code: code,
      buy_trade_id: z.string(),
      buy_order_id: z.string(),
      buy_price: money,
      original_volume: shares,
      remaining_volume: shares,
      realized_volume: shares,
      buy_amount: money,
      opened_at: isoTime,
      updated_at: isoTime,
      status: z.enum(['open', 'closed']),
    }),
  ),
  matches: z.array(
    z.object({
      id: z.int(),
      session_id: sessionId,
      stock_code: code,
      buy_lot_id: z.int().nullable(),
      sell_trade_id: z.string(),
      sell_order_id: z.string(),
      match_type: z.enum(['matched', 'unmatched']),
      volume: shares,
      buy_price: money.nullable(),
      sell_price: money,
      buy_amount: money.nullable(),
      sell_amount: money,
      realized_pnl: money,
      matched_at: isoTime,
    }),
  ),
  ...paged,
})
export const quickStatus = gridAnswer({
  is_active: z.boolean(),
  stock_code: z.string().describe('as it was asked for'),
  session_id: sessionId.optional(),
  enabled: z.boolean().optional(),
  current_center_price: money.optional(),
  grid_levels: levels.optional(),
  tracker_state: z.object(tracker).optional(),
  stats: z.object({ ...counts, ...profit, deviation_ratio: ratio }).optional(),
  pnl_snapshot: pnlSnapshot.optional().describe('that of stats'),
})
const checkboxState = { active: z.boolean(), session_id: sessionId.nullable() }
export const checkboxes = gridAnswer({
  states: z.record(z.string(), z.object(checkboxState)),
  version: z.int(),
})
export const checkbox = gridAnswer({ stock_code: code, ...checkboxState, version: z.int() })

export const backtestTicket = gridAnswer({
  job_id: z.string().describe('GET /api/jobs/<job_id> shows progress and result'),
  state: z.string(),
  message,
  ignored,
})

const step = z.object({
  step: z.int(),
  price: money,
  volume: shares,
  amount: money,
  fees: money,
  cash: money.describe('spent or received until then, fees included'),
  refused: z.string().optional().describe('why this step would not be made'),
})
export const preview = gridAnswer({
  stock_code: code,
  market_price: money,
  config: z.object({ ...parameters, duration_days: z.int() }),
  levels,
  buys: z.array(step),
  sells: z.array(step),
  worst_case: z.object({
    price: money,
    volume: shares,
    cost: money,
    loss: money,
    profit_ratio: ratio,
  }),
  round_trip: z.object({
    volume: shares,
    gain: money,
    fees: money,
    net: money,
    fee_ratio: ratio,
  }),
  warnings: z.array(z.string()),
  ignored,
})
