import { z } from 'zod'
import { time } from '../answers/envelope.ts'
import { within } from '../desk/context.ts'
import { inEach } from '../message/in-both.ts'
import type { Feature } from './feature.ts'

const result = z.enum(['ok', 'differences', 'unavailable'])
const placed = z.object({
  time,
  order_id: z.string(),
  client_order_id: z.string(),
  stock_code: z.string(),
  stock_name: z.string(),
  trade_type: z.enum(['BUY', 'SELL']),
  price: z.number(),
  volume: z.int().describe('shares'),
  traded_volume: z.int().describe('shares'),
  state: z.string(),
  strategy: z.string(),
  is_ours: z.boolean().describe('it bears an id of this service; else somebody else placed it'),
})
const MARK_MAX = 100
const confirmation = z.object({ mark: z.string().min(1).max(MARK_MAX) })

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
        failed_reports: z.array(
          z.object({ report: z.string(), reason: z.string(), ...inEach('reason') }),
        ),
      })
      .nullable(),
    restore: z
      .object({
        mark: z.string().describe('names this restore; what a confirmation has to say'),
        found: time,
        compared: time.nullable().describe('null: nothing is sent before it'),
        confirmed: time.nullable().describe('by a person; null: nothing is sent before it'),
        waits_for_person: z
          .boolean()
          .describe('every order waits for POST /reconcile/confirm, protective sales too'),
        epoch: z.int().describe('of the books as they were put back'),
        client_epoch: z.int().nullable().describe('highest that the trading client had seen'),
        placed_since: z
          .array(placed)
          .describe('orders that the trading client has and the backup had not, the first 200'),
        placed_since_total: z.int(),
        deals_since: z.int().describe('deals that the backup had not'),
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
        order_id: z.string().nullable(),
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
export const reconcile: Feature = ({ account, limits, source }) => [
  account.ofAccount({
    method: 'GET',
    path: '/reconcile',
    scope: 'view',
    isConditional: true,
    summary: '与交易客户端的差异 (differences with the trading client)',
    answer: account.envelope.answer(fields),
    handle: ({ request }, link) =>
      account.envelope.read({ status: 'reconcile', v1: 'v1Reconcile' }, link, request),
  }),
  account.ofAccount({
    method: 'POST',
    path: '/reconcile/confirm',
    scope: 'admin',
    summary:
      '确认恢复后的核对结果，放行委托 (confirm what was found after a restore; orders may leave again)',
    answer: account.envelope.answer(fields),
    body: confirmation,
    handle: async ({ request, body: { mark } }, link) => {
      const done = await link.ask(
        { kind: 'confirmRestore', mark, source: source(request) },
        within(limits.commandTimeoutMs, request),
      )
      return account.envelope.reply(done.fields)
    },
  }),
]
