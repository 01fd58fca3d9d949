import { z } from 'zod'

const calls = z.int().describe('calls')
const latency = z.number().describe('milliseconds, of the last 1,000 calls')

export const callFigures = z
  .object({
    total_calls: calls,
    success_calls: calls,
    error_calls: calls.describe('timeouts included'),
    timeout_calls: calls,
    error_rate: z.number().describe('of the last 100 calls; decimal ratio'),
    avg_latency_ms: latency,
    p50_latency_ms: latency,
    p95_latency_ms: latency,
    last_error_time: z.number().nullable().describe('Unix time, seconds'),
    last_error_msg: z.string().nullable(),
    uptime_seconds: z.number(),
    ops: z.record(
      z.string(),
      z.object({
        total: calls,
        success: calls,
        error: calls,
        timeout: calls,
        error_calls: calls.describe('the same as error'),
      }),
    ),
  })
  .meta({ id: 'CallFigures' })

const fault = z.object({ error: z.string(), code: z.string() }).describe('it cannot answer now')

export const callFiguresByAccount = z.record(z.string(), z.union([callFigures, fault]))

const spread = {
  count: z.int().describe('how often, since the process began'),
  p50_ms: z.number().describe('milliseconds, to an eighth'),
  p90_ms: z.number(),
  p99_ms: z.number(),
  max_ms: z.number(),
}

const latencyPath = z
  .object({
    path: z
      .enum(['tick_to_step', 'tick_to_intent', 'step_to_durable', 'durable_to_submit'])
      .describe('on the way of an order; the second counts only ticks that led to one'),
    ...spread,
  })
  .meta({ id: 'LatencyPath' })

const latencyRoute = z
  .object({
    backend: z.enum(['direct', 'gateway']),
    method: z.string().describe('empty: no route took it'),
    route: z.string().describe('as in this description'),
    ...spread,
  })
  .meta({ id: 'LatencyRoute' })

export const latencyFields = z.object({
  uptime_seconds: z.int(),
  paths: z
    .array(latencyPath)
    .describe('of this account; empty while another process runs it and has the figures'),
  routes: z
    .array(latencyRoute)
    .describe('of this listener and, in the same process, the gateway; most asked first'),
})
