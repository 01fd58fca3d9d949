import { v1Answer } from '../answers/envelope.ts'
import { callFigures, callFiguresByAccount } from '../answers/metrics.ts'
import { v1Reply } from '../context.ts'
import { callSnapshot, callSnapshots, prometheusReply } from '../metrics.ts'
import type { HttpRequest } from '../request.ts'
import { type Route, route } from '../routes.ts'
import { accountParams } from './accounts.ts'
import { accountOf, accountsOf, type GatewayContext } from './context.ts'

/** How the calls to the trading clients go, and everything else that can be counted. */
export function metricsRoutes(context: GatewayContext): Route[] {
  const seen =
    ({ caller }: HttpRequest) =>
    (accountId: string) =>
      caller?.accounts?.has(accountId) ?? true
  return [
    route({
      method: 'GET',
      path: '/api/v1/metrics',
      scope: 'view',
      confinesItself: true,
      summary: '调用统计，按账户 (calls to the trading clients, by account)',
      answer: v1Answer(callFiguresByAccount),
      handle: async ({ request }) =>
        v1Reply(await callSnapshots(context, accountsOf(context, request.caller), request)),
    }),
    route({
      method: 'GET',
      path: '/api/v1/metrics/{account_id}',
      scope: 'view',
      summary: '单个账户的调用统计 (calls to the trading client of an account)',
      answer: v1Answer(callFigures),
      params: accountParams,
      handle: async ({ request, params }) =>
        v1Reply(await callSnapshot(context, accountOf(context, params.account_id), request)),
    }),
    route({
      method: 'GET',
      path: '/metrics',
      scope: 'view',
      confinesItself: true,
      summary: 'Prometheus 指标 (metrics as Prometheus reads them)',
      produces: 'text/plain',
      handle: ({ request }) => prometheusReply(context, request, seen(request)),
    }),
  ]
}
