import { statusAnswer } from '../answers/envelope.ts'
import { statusReply } from '../context.ts'
import { logLevelBody, logLevelFields } from '../log-level.ts'
import { type Route, route } from '../routes.ts'
import type { DirectContext } from './context.ts'

const path = '/api/logs/level'
const answer = statusAnswer(logLevelFields)

/** How much the process writes into its log. */
export const logLevelRoutes = (context: DirectContext): Route[] => [
  route({
    method: 'GET',
    path,
    scope: 'view',
    summary: '日志级别 (log level)',
    answer,
    handle: () => statusReply(context, { level: context.service.logs.level() }),
  }),
  route({
    method: 'POST',
    path,
    scope: 'admin',
    summary: '运行时更改日志级别 (change the log level while it runs)',
    answer,
    body: logLevelBody,
    handle: ({ body: { level } }) => {
      context.service.logs.setLevel(level)
      return statusReply(context, { level })
    },
  }),
]
