import { prometheusReply } from '../metrics.ts'
import { type Route, route } from '../routes.ts'
import type { DirectContext } from './context.ts'

/** What can be counted, of this account and of the process. */
export const metricsRoutes = (context: DirectContext): Route[] => [
  route({
    method: 'GET',
    path: '/metrics',
    scope: 'view',
    summary: 'Prometheus 指标 (metrics as Prometheus reads them)',
    produces: 'text/plain',
    handle: ({ request }) =>
      prometheusReply(context, request, (accountId) => accountId === context.accountId),
  }),
]
