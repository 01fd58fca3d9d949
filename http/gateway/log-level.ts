import { v1Answer } from '../answers/envelope.ts'
import { v1Reply } from '../context.ts'
import { logLevelBody, logLevelFields } from '../log-level.ts'
import { type Route, route } from '../routes.ts'
import type { GatewayContext } from './context.ts'

const path = '/api/v1/logs/level'
const answer = v1Answer(logLevelFields)

/** How much the process writes into its log. */
export const logLevelRoutes = ({ service: { logs } }: GatewayContext): Route[] => [
  route({
    method: 'GET',
    path,
    scope: 'view',
    confinesItself: true,
    summary: '日志级别 (log level)',
    answer,
    handle: () => v1Reply({ level: logs.level() }),
  }),
  route({
    method: 'POST',
    path,
    scope: 'admin',
    summary: '运行时更改日志级别 (change the log level while it runs)',
    answer,
    body: logLevelBody,
    handle: ({ body: { level } }) => {
      logs.setLevel(level)
      return v1Reply({ level })
    },
  }),
]
