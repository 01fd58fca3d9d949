import { z } from 'zod'
import { dataAnswer, money, statusAnswer, time } from './envelope.ts'

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
