import { z } from 'zod'
import { maskSecret } from '../../src/config/effective.ts'
import { statusAnswer } from '../answers/envelope.ts'
import { statusReply } from '../context.ts'
import { type Route, route } from '../routes.ts'
import type { DirectContext } from './context.ts'

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

/** What the process was started with, and where each value came from. */
export const effectiveRoutes = (context: DirectContext): Route[] => [
  route({
    method: 'GET',
    path: '/api/settings',
    scope: 'view',
    summary: '生效的配置及来源 (effective settings and their source)',
    answer,
    handle: () => {
      const settings = (context.settings ?? []).map(({ path, value, source, isSecret }) => ({
        path,
        value: isSecret ? maskSecret(String(value)) : value,
        source,
      }))
      return statusReply(context, { settings })
    },
  }),
]
