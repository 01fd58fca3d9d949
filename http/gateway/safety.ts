import { v1KillSwitch, v1Reconcile } from '../answers/commands.ts'
import { sourceOf, v1Reply, within } from '../context.ts'
import { killSwitchBody } from '../kill-switch.ts'
import { readWhole } from '../read-model.ts'
import { type Route, route } from '../routes.ts'
import { accountParams } from './accounts.ts'
import { accountOf, type GatewayContext } from './context.ts'

const KILL_SWITCH = '/api/v1/accounts/{account_id}/kill-switch'

/** What guards an account: the kill switch, and the comparison with the trading client. */
export const safetyRoutes = (context: GatewayContext): Route[] => [
  route({
    method: 'GET',
    path: KILL_SWITCH,
    scope: 'view',
    summary: '熔断开关 (kill switch)',
    answer: v1KillSwitch,
    params: accountParams,
    handle: ({ request, params }) =>
      readWhole(context, accountOf(context, params.account_id), 'v1KillSwitch', request),
  }),
  route({
    method: 'POST',
    path: KILL_SWITCH,
    scope: 'admin',
    summary: '设置熔断开关 (set the kill switch)',
    answer: v1KillSwitch,
    params: accountParams,
    body: killSwitchBody,
    handle: async ({ request, params, body: { level, reason } }) => {
      const link = accountOf(context, params.account_id)
      const { fields } = await link.ask(
        { kind: 'setKillSwitch', level, reason, source: sourceOf('gateway', request) },
        within(context.limits.commandTimeoutMs, request),
      )
      return v1Reply(fields)
    },
  }),
  route({
    method: 'GET',
    path: '/api/v1/accounts/{account_id}/reconcile',
    scope: 'view',
    summary: '与交易客户端的差异 (differences with the trading client)',
    answer: v1Reconcile,
    params: accountParams,
    handle: ({ request, params }) =>
      readWhole(context, accountOf(context, params.account_id), 'v1Reconcile', request),
  }),
]
