import { z } from 'zod'
import { ServiceError } from '../../src/domain/errors.ts'
import { LOG_LEVELS } from '../../src/domain/log-level.ts'
import type { Feature } from './feature.ts'

const body = z.object({ level: z.enum(LOG_LEVELS) })
const fields = z.object({
  level: z.enum(LOG_LEVELS).describe('of the whole process, until it ends'),
})

/** Also in direct mode, where a token of this account may do everything that is about it. */
const ofSomeAccounts = (): ServiceError =>
  new ServiceError(
    'SCOPE_REFUSED',
    '此令牌只限部分账户，而日志属于全部账户 (this token is for some accounts only; the log is of all)',
  )

/** How much the process writes into its log. The next start has the configured level again. */
export const logLevel: Feature = ({ common, service: { logs } }) => {
  const { answer, reply } = common.envelope
  return [
    common.route({
      method: 'GET',
      path: '/logs/level',
      scope: 'view',
      confinesItself: true,
      summary: '日志级别 (log level)',
      answer: answer(fields),
      handle: () => reply({ level: logs.level() }),
    }),
    common.route({
      method: 'POST',
      path: '/logs/level',
      scope: 'admin',
      summary: '运行时更改日志级别 (change the log level while it runs)',
      answer: answer(fields),
      body,
      handle: ({ request, body: { level } }) => {
        if (request.caller?.accounts !== undefined) throw ofSomeAccounts()
        logs.setLevel(level)
        return reply({ level })
      },
    }),
  ]
}
