import { z } from 'zod'
import { DECISIONS_LIMIT_MAX } from '../../src/protocol/account.ts'
import * as answers from '../answers/strategies.ts'
import { statusReply, timestampOf } from '../context.ts'
import { codeOf } from '../orders.ts'
import { json } from '../reply.ts'
import { type Route, route } from '../routes.ts'
import { command, type DirectContext } from './context.ts'

const LIMIT_DEFAULT = 200

const decisionsQuery = z.object({
  stock_code: z.string().optional(),
  limit: z
    .string()
    .regex(/^\d{1,6}$/, 'must be a whole number')
    .transform(Number)
    .refine(
      (count) => count >= 1 && count <= DECISIONS_LIMIT_MAX,
      `must be from 1 to ${DECISIONS_LIMIT_MAX}`,
    )
    .optional(),
})

/** What strategies saw and why they did what they did. */
export const strategyRoutes = (context: DirectContext): Route[] => [
  route({
    method: 'GET',
    path: '/api/decisions',
    scope: 'view',
    summary: '策略为何动作或不动作，最新在前 (why strategies did or did not act)',
    answer: answers.decisions,
    query: decisionsQuery,
    handle: async ({ request, query: { stock_code: code = '', limit = LIMIT_DEFAULT } }) => {
      const wanted = code === '' ? '' : codeOf(code)
      return statusReply(
        context,
        await command(context, request, { kind: 'decisions', code: wanted, limit }),
      )
    },
  }),
  route({
    method: 'GET',
    path: '/api/market/health',
    scope: 'view',
    summary: '行情健康度快照 (health of the quotes)',
    answer: answers.marketHealth,
    handle: async ({ request }) => {
      const { snapshot } = await command(context, request, { kind: 'marketHealth' })
      return json(200, { status: 'success', data: snapshot, timestamp: timestampOf(context) })
    },
  }),
]
