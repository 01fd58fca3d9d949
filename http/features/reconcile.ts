import { z } from 'zod'
import { time } from '../answers/envelope.ts'
import type { Feature } from './feature.ts'

const result = z.enum(['ok', 'differences', 'unavailable'])
const fields = z
  .object({
    result: z.enum(['pending', ...result.options]),
    is_running: z.boolean(),
    last_run: z
      .object({
        time,
        duration_ms: z.number(),
        cause: z.enum(['first', 'restore', 'start', 'reconnect', 'periodic']),
        result,
        differences: z.int(),
        failed_reports: z.array(z.object({ report: z.string(), reason: z.string() })),
      })
      .nullable(),
    restore: z
      .object({
        found: time,
        compared: time.nullable().describe('null: nothing is sent before it'),
        epoch: z.int().describe('of the books as they were put back'),
        client_epoch: z.int().nullable().describe('highest that the trading client had seen'),
      })
      .nullable()
      .describe('the last time that the books were put back from a backup'),
    interval_seconds: z.number(),
    differences: z.array(
      z.object({
        id: z.int(),
        time,
        kind: z.enum(['order', 'deal', 'position', 'cash']),
        key: z.string(),
        ours: z.string().nullable(),
        theirs: z.string().nullable(),
        resolution: z.string(),
        while_away: z.boolean(),
      }),
    ),
    orders_in_doubt: z.array(
      z.object({
        client_order_id: z.string(),
        order_id: z.string(),
        stock_code: z.string(),
        stock_name: z.string(),
        trade_type: z.enum(['BUY', 'SELL']),
        volume: z.int().describe('shares'),
        since: time,
      }),
    ),
  })
  .meta({ id: 'Reconcile' })

/** What our books and those of the broker differ in. */
export const reconcile: Feature = ({ account }) => [
  account.ofAccount({
    method: 'GET',
    path: '/reconcile',
    scope: 'view',
    summary: '与交易客户端的差异 (differences with the trading client)',
    answer: account.envelope.answer(fields),
    handle: ({ request }, link) =>
      account.envelope.read({ status: 'reconcile', v1: 'v1Reconcile' }, link, request),
  }),
]
