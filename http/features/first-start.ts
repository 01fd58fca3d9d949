import { z } from 'zod'
import { dataAnswer } from '../answers/envelope.ts'
import { timestampOf } from '../context.ts'
import { json } from '../reply.ts'
import type { Feature } from './feature.ts'

/** How the service is set up, as far as it knows. */
export interface Installation {
  /** Whether it makes copies of its data by itself; undefined where its plan cannot be read. */
  readonly backup: 'scheduled' | 'none' | undefined
  /** Something starts it again after a boot; undefined: it was started by hand, or by something that does not say. */
  readonly isAutostarted: true | undefined
  /** Who is let in: whoever has a token, this computer alone, or nobody else though the port is open to the network. */
  readonly access: 'token' | 'loopback' | 'open'
}

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
