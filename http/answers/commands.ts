import { z } from 'zod'
import { KILL_LEVELS } from '../../src/domain/kill-level.ts'
import { money, statusAnswer, time, v1Answer } from './envelope.ts'

const message = z.string()
const shares = z.int().describe('shares')

const switches = {
  isMonitoring: z.boolean(),
  autoTradingEnabled: z.boolean(),
  gridTradingEnabled: z.boolean(),
}
export const masterSwitch = statusAnswer(z.object({ message, ...switches }))
export const savedConfig = statusAnswer(
  z.object({ message, ...switches, saved_count: z.int(), failed_count: z.int() }),
)
export const importedData = statusAnswer(z.object({ message, applied_count: z.int(), ...switches }))
export const initializedPositions = statusAnswer(
  z.object({ success: z.boolean(), message, updated_count: z.int(), error_count: z.int() }),
)
export const messageOnly = statusAnswer(z.object({ message }))
export const stopProfitSwitch = statusAnswer(z.object({ message, enabled: z.boolean() }))
export const clearedRecords = statusAnswer(z.object({ message, removed: z.int() }))

const number = z
  .union([z.int(), z.string()])
  .describe('number of the trading client; text when too long for a JSON number')

/** One order as the answers of both backends show it. */
export const orderAnswer = z
  .object({
    order_id: number.nullable(),
    client_order_id: z.string(),
    status: z.enum(['accepted', 'rejected', 'unknown']),
    message,
    refusal_code: z.string().optional(),
    refusal_explanation: z.string().optional(),
  })
  .meta({ id: 'OrderAnswer' })

export const executed = statusAnswer(
  z.object({
    state: z.literal('unknown').optional().describe('with 202: repeat with the same key'),
    message,
    success_count: z.int(),
    total_count: z.int(),
    client_order_id: z.string(),
    orders: z.array(orderAnswer),
  }),
)
export const canceled = statusAnswer(
  z.object({
    message,
    result: z.int().describe('0 = the trading client took the request, -1 = it did not'),
    order_id: z.string(),
  }),
)
export const resolved = statusAnswer(
  z.object({
    message,
    state: z.string(),
    order_id: number.nullable(),
    client_order_id: z.string(),
  }),
)

/** Placed: the order. In doubt (202): its state. Refused by the client without a number: `success` false. */
export const placed = z.union([
  v1Answer(orderAnswer),
  v1Answer(z.object({ state: z.literal('unknown'), client_order_id: z.string() })),
  z.object({
    success: z.literal(false),
    data: z.null(),
    error: z.string(),
    message,
    detail: z.string(),
    client_order_id: z.string(),
    refusal_code: z.string(),
    refusal_explanation: z.string(),
  }),
])
export const v1Canceled = v1Answer(z.object({ result: z.int(), order_id: number, message }))

const limitValue = z.union([z.number(), z.string(), z.null()])
const previewFields = z
  .object({
    stock_code: z.string(),
    side: z.enum(['buy', 'sell']),
    order_type: z.int(),
    quantity: shares,
    price_type: z.int(),
    allowed: z.boolean(),
    code: z.string().nullable().describe('of the first rule that refuses'),
    message,
    rules: z.array(
      z.object({
        name: z.string(),
        code: z.string(),
        ok: z.boolean(),
        status: z.enum(['pass', 'refused', 'off']),
        message,
        limit: limitValue,
        actual: limitValue,
      }),
    ),
    price: z.number().describe('the worst at which the order may trade, yuan; 0 = not known'),
    amount: money,
    fees: z.object({ commission: money, stamp_duty: money, transfer_fee: money, total: money }),
  })
  .meta({ id: 'OrderPreview' })
export const preview = statusAnswer(previewFields)
export const v1Preview = v1Answer(previewFields)

const killSwitchFields = z
  .object({
    level: z.enum(KILL_LEVELS),
    since: time.nullable(),
    reason: z.string(),
    source: z.string(),
    level_in_force: z.enum(KILL_LEVELS).describe('the level, or a hold that goes by itself'),
    reason_in_force: z.string(),
    holds: z.array(
      z.object({ name: z.string(), level: z.string(), since: time, reason: z.string() }),
    ),
    open_orders: z.int(),
    triggers: z.array(
      z.object({
        name: z.string(),
        raises: z.string(),
        clears_itself: z.boolean(),
        unit: z.string(),
        limit: z.number().describe('0 = off'),
        actual: z.number().nullable(),
        first_total: z.number().nullable().optional(),
        next_at: z.number().nullable().optional(),
      }),
    ),
  })
  .meta({ id: 'KillSwitch' })
export const killSwitch = statusAnswer(killSwitchFields)
export const v1KillSwitch = v1Answer(killSwitchFields)

const result = z.enum(['ok', 'differences', 'unavailable'])
const reconcileFields = z
  .object({
    result: z.enum(['pending', ...result.options]),
    is_running: z.boolean(),
    last_run: z
      .object({
        time,
        duration_ms: z.number(),
        cause: z.enum(['first', 'start', 'reconnect', 'periodic']),
        result,
        differences: z.int(),
        failed_reports: z.array(z.object({ report: z.string(), reason: z.string() })),
      })
      .nullable(),
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
        volume: shares,
        since: time,
      }),
    ),
  })
  .meta({ id: 'Reconcile' })
export const reconcile = statusAnswer(reconcileFields)
export const v1Reconcile = v1Answer(reconcileFields)

const auditFields = z
  .object({
    entries: z.array(
      z
        .object({
          seq: z.int(),
          time,
          epoch: z.int().describe('of the process that wrote it'),
          kind: z.string(),
          source: z.string().describe('who caused it'),
          summary: z.string(),
          body: z.unknown().describe('the event, money in yuan'),
          hash: z.string(),
          previous: z.string().describe('hash of the entry before'),
        })
        .meta({ id: 'AuditEntry' }),
    ),
    total: z.int().describe('number of the last entry'),
    pagination: z.object({
      limit: z.int(),
      next_before: z.int().nullable(),
      next_after: z.int().nullable(),
      has_more: z.boolean(),
    }),
  })
  .meta({ id: 'AuditPage' })
export const audit = statusAnswer(auditFields)
export const v1Audit = v1Answer(auditFields)

export const replay = statusAnswer(
  z
    .object({
      state: z.enum(['idle', 'playing', 'paused', 'finished']),
      ticks_played: z.int(),
      ticks_total: z.int(),
      bad_lines: z.int(),
      time: z.int().nullable().describe('epoch milliseconds of the latest tick'),
    })
    .meta({ id: 'Replay' }),
)
