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
    params: accountParams,
    handle: ({ request, params }) =>
      readWhole(context, accountOf(context, params.account_id), 'v1KillSwitch', request),
  }),
  route({
    method: 'POST',
    path: KILL_SWITCH,
    scope: 'admin',
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
    params: accountParams,
    handle: ({ request, params }) =>
      readWhole(context, accountOf(context, params.account_id), 'v1Reconcile', request),
  }),
]
