import { z } from 'zod'
import { dataAnswer, money, ratio, statusAnswer, time, v1Answer } from './envelope.ts'

const score = z.object({
  score: z.number().nullable().describe('0 … 100; null while there are too few events'),
  status: z.enum(['healthy', 'degraded', 'unstable', 'down', 'unknown']),
  event_count: z.int(),
  success_count: z.int(),
  failure_count: z.int(),
  consecutive_failures: z.int(),
  last_success_at: time.nullable(),
  last_event_at: time.nullable(),
  avg_latency_ms: z.int().nullable(),
  last_reason: z.string().nullable(),
})

export const marketHealth = dataAnswer(
  z.object({
    enabled: z.boolean(),
    observe_only: z.boolean(),
    generated_at: time,
    overall: score,
    sources: z.record(z.string(), score),
    stocks: z.record(
      z.string(),
      z.record(z.string(), score.extend({ sources: z.record(z.string(), score) })),
    ),
    trading: z.object({ min_score: z.number(), allow_fallback_source: z.boolean() }),
  }),
)

const verdict = z.string().describe('stable code')
const step = z.object({ code: verdict, price: money, threshold: money, message: z.string() })

const decision = z
  .object({
    time,
    stock_code: z.string(),
    cause: z.enum(['tick', 'change', 'alarm']),
    verdict: verdict.nullable(),
    message: z.string(),
    steps: z.array(step),
    inputs: z.object({
      price: money,
      quote_time: time,
      cost_price: money,
      volume: z.int(),
      available: z.int(),
      highest_price: money,
      profit_triggered: z.boolean(),
      profit_breakout_triggered: z.boolean(),
      breakout_highest_price: money,
    }),
    gates: z.record(z.string(), z.union([z.boolean(), z.string()])),
    order: z
      .object({
        client_order_id: z.string(),
        signal_type: z.string(),
        side: z.enum(['buy', 'sell']),
        volume: z.int(),
      })
      .nullable(),
    refusal: z.object({ code: z.string(), message: z.string() }).nullable(),
  })
  .meta({ id: 'Decision' })

export const decisions = statusAnswer(
  z.object({ decisions: z.array(decision), total: z.int().describe('kept, before the limit') }),
)

const moduleConfig = z.object({
  enabled: z.boolean(),
  stop_loss_ratio: ratio,
  initial_take_profit_ratio: ratio,
  initial_take_profit_pullback_ratio: ratio,
  initial_take_profit_sell_ratio: ratio,
  monitor_interval: z.number().describe('seconds'),
})

const moduleRow = z.object({
  stock_code: z.string(),
  highest_price: money,
  profit_triggered: z.boolean(),
  profit_breakout_triggered: z.boolean(),
  breakout_highest_price: money,
  last_price: money,
})

export const gatewayStopProfit = v1Answer(
  z.object({
    running: z.boolean(),
    reason: z.string().optional().describe('while it is not running'),
    config: moduleConfig.extend({ signal_dedup_seconds: z.number() }),
    positions: z.record(z.string(), z.record(z.string(), moduleRow)),
  }),
)
export const moduleMessage = v1Answer(z.object({ message: z.string(), config: moduleConfig }))
export const moduleToggled = v1Answer(z.object({ enabled: z.boolean(), message: z.string() }))
