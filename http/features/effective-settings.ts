import { z } from 'zod'
import { maskSecret } from '../../src/config/effective.ts'
import { statusAnswer } from '../answers/envelope.ts'
import { OPERATOR } from '../caller.ts'
import { statusReply } from '../context.ts'
import type { DirectContext } from '../direct/context.ts'
import type { Route } from '../routes.ts'
import { shownSettings } from '../shown-settings.ts'
import type { Feature } from './feature.ts'

const answer = statusAnswer(
  z.object({
    settings: z.array(
      z.object({
        path: z.string().describe('name in the configuration file'),
        value: z.unknown().describe('a secret shows its length only'),
        source: z.string().describe('default, file, environment, command line …'),
      }),
    ),
  }),
)

/** What the process was started with, as far as it concerns the caller. Direct mode only. */
export const effectiveSettings: Feature = (on) =>
  on.backend === 'direct' ? effectiveRoutes(on) : []

const effectiveRoutes = (context: DirectContext): Route[] => [
  context.common.route({
    method: 'GET',
    path: '/settings',
    scope: 'view',
    summary:
      '生效的配置及来源，限调用者的账户 (effective settings and their source, of its accounts)',
    answer,
    handle: ({ request: { caller = OPERATOR } }) => {
      const shown = shownSettings(context.settings ?? [], caller)
      const settings = shown.map(({ path, value, source, isSecret }) => ({
        path,
        value: isSecret ? maskSecret(String(value)) : value,
        source,
      }))
      return statusReply(context, { settings })
    },
  }),
]
