import { z } from 'zod'
import { timeRead } from '../../src/domain/exchange-time.ts'
import type { MarketRequest, ReplayStatus } from '../../src/protocol/market.ts'
import { statusAnswer } from '../answers/envelope.ts'
import { statusReply, within } from '../desk/context.ts'
import { type DirectContext, linkOf } from '../direct/context.ts'
import type { Reply } from '../message/reply.ts'
import type { HttpRequest } from '../message/request.ts'
import type { Route } from '../message/routes.ts'
import type { Feature } from './feature.ts'

const answer = statusAnswer(
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

type ReplayRequest = Extract<
  MarketRequest,
  { kind: 'replayStatus' | 'replayPlay' | 'replayPause' | 'replayRewind' }
>

/** Strict: without an end it plays to the end, and one that is spelled wrong must not. */
const playBody = z.strictObject({
  until: z.int().positive().optional().describe('epoch milliseconds, played up to and including'),
  speed: z
    .union([z.number().positive(), z.literal('max')], {
      error: '须为大于 0 的数字或 "max" (must be a number above 0, or "max")',
    })
    .optional(),
})

/** The replay of a recorded market; refused with `NOT_A_REPLAY` on any other source. Direct mode only. */
export const replay: Feature = (on) => (on.backend === 'direct' ? replayRoutes(on) : [])

function replayRoutes(context: DirectContext): Route[] {
  const ask = async (request: HttpRequest, body: ReplayRequest): Promise<Reply> => {
    const options = within(context.limits.commandTimeoutMs, request)
    const status: ReplayStatus = await linkOf(context).market(body, options)
    return statusReply(context, status)
  }
  return [
    context.common.route({
      method: 'GET',
      path: '/replay/status',
      scope: 'view',
      summary: '回放状态 (where the replay stands)',
      answer,
      handle: ({ request }) => ask(request, { kind: 'replayStatus' }),
    }),
    context.common.route({
      method: 'POST',
      path: '/replay/play',
      scope: 'admin',
      summary: '回放至某时刻 (play up to a time)',
      answer,
      bodyUse: 'optional',
      body: playBody,
      handle: ({ request, body: { until, speed } }) =>
        ask(request, {
          kind: 'replayPlay',
          ...(until !== undefined && { until: timeRead(until) ?? until }),
          ...(speed !== undefined && { speed }),
        }),
    }),
    context.common.route({
      method: 'POST',
      path: '/replay/pause',
      scope: 'admin',
      summary: '暂停回放 (pause)',
      answer,
      handle: ({ request }) => ask(request, { kind: 'replayPause' }),
    }),
    context.common.route({
      method: 'POST',
      path: '/replay/rewind',
      scope: 'admin',
      summary: '回到开头 (rewind)',
      answer,
      handle: ({ request }) => ask(request, { kind: 'replayRewind' }),
    }),
  ]
}
