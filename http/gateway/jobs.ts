import { v1Reply } from '../context.ts'
import { cancelJob, jobDetail, jobList, jobParams } from '../jobs.ts'
import { type Route, route } from '../routes.ts'
import type { GatewayContext } from './context.ts'

/** The long work of all accounts. */
export function jobRoutes({ service }: GatewayContext): Route[] {
  const view = { jobs: service.jobs }
  return [
    route({
      method: 'GET',
      path: '/api/v1/jobs',
      scope: 'view',
      handle: async () => v1Reply(await jobList(view)),
    }),
    route({
      method: 'GET',
      path: '/api/v1/jobs/{job_id}',
      scope: 'view',
      params: jobParams,
      handle: async ({ params }) => v1Reply(await jobDetail(view, params.job_id)),
    }),
    route({
      method: 'DELETE',
      path: '/api/v1/jobs/{job_id}',
      scope: 'trade',
      params: jobParams,
      handle: async ({ params }) => v1Reply(await cancelJob(view, params.job_id)),
    }),
  ]
}
