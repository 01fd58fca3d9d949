import { z } from 'zod'
import { type AccountReplies, DECISIONS_LIMIT_MAX } from '../../src/protocol/account.ts'
import { dataAnswer, money, statusAnswer, time } from '../answers/envelope.ts'
import { statusReply, timestampOf } from '../desk/context.ts'
import { codeOf } from '../desk/orders.ts'
import { ask, type DirectContext } from '../direct/context.ts'
import { withBoth } from '../message/in-both.ts'
import { json } from '../message/reply.ts'
import type { Route } from '../message/routes.ts'
import type { Feature } from './feature.ts'

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

const marketHealth = dataAnswer(
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

const exDay = z.object({
  source: z.enum(['market', 'broker', 'assumed']),
  factor: z.number().nullable().describe('of today’s prices; null = not known yet'),
  highest_price_before: money,
  cost_price_before: money,
})

const decision = z
  .object({
    time,
    stock_code: z.string(),
    stock_name: z.string().describe('the code where nobody has told it'),
    cause: z.enum(['tick', 'change', 'alarm']),
    verdict: verdict.nullable(),
    message: z.string(),
    steps: z.array(step),
    inputs: z.object({
      price: money,
      quote_time: time,
      cost_price: money.describe('as the broker reports it'),
      effective_cost_price: money.describe('the cost that thresholds go by, ex-days followed'),
      volume: z.int(),
      available: z.int(),
      highest_price: money,
      profit_triggered: z.boolean(),
      profit_breakout_triggered: z.boolean(),
      breakout_highest_price: money,
      ex_day: exDay.nullable().describe('present on an ex-day of the holding'),
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
    held_by: z
      .object({
        client_order_id: z.string(),
        order_id: z.string().nullable(),
        strategy: z.string(),
        until: time.nullable().describe('its time is up then at the latest'),
        stop_loss_waits: z.boolean(),
      })
      .optional()
      .describe('the unfinished order that keeps the signals of this stock back'),
  })
  .meta({ id: 'Decision' })

const refused = z
  .object({
    stock_code: z.string(),
    stock_name: z.string(),
    strategy: z.string().describe('of the trace: stop-profit, grid'),
    code: z.string(),
    message: z.string(),
    count: z.int().describe('of the day, since the account was started'),
    first: time,
    last: time,
  })
  .meta({ id: 'RefusedAgain' })

const decisionsAnswer = statusAnswer(
  z.object({
    decisions: z.array(decision),
    total: z.int().describe('kept, before the limit'),
    refused: z
      .array(refused)
      .describe('refusals of the newest day that had one, each kind once, the newest first'),
  }),
)

const LIMIT_DEFAULT = 200

const decisionsQuery = z.object({
  stock_code: z.string().optional(),
  limit: z
    .string()
    .regex(/^\d{1,6}$/, '须为整数 (must be a whole number)')
    .transform(Number)
    .refine(
      (count) => count >= 1 && count <= DECISIONS_LIMIT_MAX,
      `须为 1 至 ${DECISIONS_LIMIT_MAX} (must be from 1 to ${DECISIONS_LIMIT_MAX})`,
    )
    .optional(),
})

/** What strategies saw and why they did what they did. Direct mode only. */
export const decisions: Feature = (on) => (on.backend === 'direct' ? decisionRoutes(on) : [])

type Told = AccountReplies['decisions']['decisions'][number]

/** A decision with all that it says in each language. */
const decisionInBoth = (told: Told): Told =>
  withBoth({
    ...told,
    steps: told.steps.map(withBoth),
    refusal: told.refusal && withBoth(told.refusal),
  })

const decisionRoutes = (context: DirectContext): Route[] => [
  context.account.route({
    method: 'GET',
    path: '/decisions',
    scope: 'view',
    summary: '策略为何动作或不动作，最新在前 (why strategies did or did not act)',
    answer: decisionsAnswer,
    query: decisionsQuery,
    handle: async ({ request, query: { stock_code: code = '', limit = LIMIT_DEFAULT } }) => {
      const wanted = code === '' ? '' : codeOf(code)
      const told = await ask(context, request, { kind: 'decisions', code: wanted, limit })
      return statusReply(context, {
        ...told,
        decisions: told.decisions.map(decisionInBoth),
        refused: told.refused.map(withBoth),
      })
    },
  }),
  context.account.route({
    method: 'GET',
    path: '/market/health',
    scope: 'view',
    summary: '行情健康度快照 (health of the quotes)',
    answer: marketHealth,
    handle: async ({ request }) => {
      const { snapshot } = await ask(context, request, { kind: 'marketHealth' })
      return json(200, { status: 'success', data: snapshot, timestamp: timestampOf(context) })
    },
  }),
]
