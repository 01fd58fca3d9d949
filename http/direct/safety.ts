import { killSwitch, reconcile } from '../answers/commands.ts'
import { statusReply } from '../context.ts'
import { killSwitchBody } from '../kill-switch.ts'
import { readStamped } from '../read-model.ts'
import { type Route, route } from '../routes.ts'
import { command, type DirectContext, linkOf, source } from './context.ts'

/** What guards the account: the kill switch, and the comparison with the trading client. */
export const safetyRoutes = (context: DirectContext): Route[] => [
  route({
    method: 'GET',
    path: '/api/kill-switch',
    scope: 'view',
    summary: '熔断开关 (kill switch)',
    answer: killSwitch,
    handle: ({ request }) => readStamped(context, linkOf(context), 'killSwitch', request),
  }),
  route({
    method: 'POST',
    path: '/api/kill-switch',
    scope: 'admin',
    summary: '设置熔断开关 (set the kill switch)',
    answer: killSwitch,
    body: killSwitchBody,
    handle: async ({ request, body: { level, reason } }) => {
      const { fields } = await command(context, request, {
        kind: 'setKillSwitch',
        level,
        reason,
        source: source(request),
      })
      return statusReply(context, fields)
    },
  }),
  route({
    method: 'GET',
    path: '/api/reconcile',
    scope: 'view',
    summary: '与交易客户端的差异 (differences with the trading client)',
    answer: reconcile,
    handle: ({ request }) => readStamped(context, linkOf(context), 'reconcile', request),
  }),
]
