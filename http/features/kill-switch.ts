import { z } from 'zod'
import { KILL_LEVELS } from '../../src/domain/kill-level.ts'
import { resting } from '../answers/account.ts'
import { time } from '../answers/envelope.ts'
import { within } from '../desk/context.ts'
import { inEach } from '../message/in-both.ts'
import type { Feature } from './feature.ts'

const REASON_MAX = 200
/** Why a person sets it, in the audit for ever. */
export const killReason = z.string().trim().max(REASON_MAX).default('')

const body = z
  .object({
    level: z.enum(KILL_LEVELS),
    from: z
      .enum(KILL_LEVELS)
      .optional()
      .describe('the level that the caller has seen: another one that stops more is not lowered'),
    reason: killReason,
  })
  .meta({ examples: [{ level: 'entries', reason: 'lunch' }] })

const fields = z
  .object({
    level: z.enum(KILL_LEVELS),
    since: time.nullable(),
    reason: z.string(),
    ...inEach('reason'),
    source: z.string(),
    level_in_force: z.enum(KILL_LEVELS).describe('the level, or a hold that goes by itself'),
    reason_in_force: z.string(),
    ...inEach('reason_in_force'),
    holds: z.array(
      z.object({
        name: z.string(),
        level: z.string(),
        since: time,
        reason: z.string(),
        ...inEach('reason'),
      }),
    ),
    open_orders: z.int(),
    resting,
    is_in_session: z
      .boolean()
      .describe('strategies may act by the hours; always true in a simulation'),
    is_ready: z
      .boolean()
      .describe('connected and compared with the trading client; always true in simulation mode'),
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

/** The switch that refuses orders, set by a person or by its triggers. */
export const killSwitch: Feature = ({ account, limits, source }) => {
  const { answer, reply, read } = account.envelope
  return [
    account.ofAccount({
      method: 'GET',
      path: '/kill-switch',
      scope: 'view',
      isReserved: true,
      isConditional: true,
      summary: '急停 (kill switch)',
      answer: answer(fields),
      handle: ({ request }, link) =>
        read({ status: 'killSwitch', v1: 'v1KillSwitch' }, link, request),
    }),
    account.ofAccount({
      method: 'POST',
      path: '/kill-switch',
      scope: 'admin',
      isReserved: true,
      summary: '设置急停 (set the kill switch)',
      answer: answer(fields),
      body,
      handle: async ({ request, body: { level, from, reason } }, link) => {
        const set = await link.ask(
          {
            kind: 'setKillSwitch',
            level,
            ...(from !== undefined && { from }),
            reason,
            source: source(request),
          },
          within(limits.commandTimeoutMs, request),
        )
        return reply(set.fields)
      },
    }),
  ]
}
