import { z } from 'zod'
import { dataAnswer } from '../answers/envelope.ts'
import { timestampOf } from '../desk/context.ts'
import { json } from '../message/reply.ts'
import type { Feature } from './feature.ts'

const answer = dataAnswer(
  z
    .object({
      backup: z.enum(['scheduled', 'none']).nullable().describe('null = unknown'),
      autostart: z.literal(true).nullable().describe('null = unknown'),
      access: z
        .enum(['token', 'loopback', 'open'])
        .nullable()
        .describe('open: to the network, without a token; null = unknown'),
    })
    .meta({ id: 'FirstStart' }),
)

/** What a checklist of the first start asks the service itself. Direct mode only. */
export const firstStart: Feature = (on) => {
  if (on.backend !== 'direct') return []
  return [
    on.common.route({
      method: 'GET',
      path: '/first-start',
      scope: 'view',
      summary: '首次启动清单：备份、自动启动、访问 (first start: backups, autostart, access)',
      answer,
      handle: () => {
        const told = on.installation?.()
        const data = {
          backup: told?.backup ?? null,
          autostart: told?.isAutostarted ?? null,
          access: told?.access ?? null,
        }
        return json(200, { status: 'success', data, timestamp: timestampOf(on) })
      },
    }),
  ]
}
