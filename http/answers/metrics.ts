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
