import { statusAnswer } from '../answers/envelope.ts'
import { latencyFields } from '../answers/metrics.ts'
import { statusReply } from '../context.ts'
import { latencyFigures, prometheusReply } from '../metrics.ts'
import { type Route, route } from '../routes.ts'
import type { DirectContext } from './context.ts'

/** What can be counted, of this account and of the process. */
export function metricsRoutes(context: DirectContext): Route[] {
  const sees = (accountId: string) => accountId === context.accountId
  return [
    route({
      method: 'GET',
      path: '/metrics',
      scope: 'view',
      summary: 'Prometheus 指标 (metrics as Prometheus reads them)',
      produces: 'text/plain',
      handle: ({ request }) => prometheusReply(context, request, sees),
    }),
    route({
      method: 'GET',
      path: '/api/latency',
      scope: 'view',
      summary:
        '耗时分布：行情到报出，HTTP 按路由 (how long things take: tick to submit, HTTP by route)',
      answer: statusAnswer(latencyFields),
      handle: () => statusReply(context, latencyFigures(context, sees)),
    }),
  ]
}
