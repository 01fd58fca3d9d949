import { statusReply } from '../context.ts'
import { cancelJob, jobDetail, jobList, jobParams } from '../jobs.ts'
import { type Route, route } from '../routes.ts'
import type { DirectContext } from './context.ts'

/** The long work of this account. */
export function jobRoutes(context: DirectContext): Route[] {
  const view = { jobs: context.service.jobs, accountId: context.accountId }
  return [
    route({
      method: 'GET',
      path: '/api/jobs',
      scope: 'view',
      handle: async () => statusReply(context, await jobList(view)),
    }),
    route({
      method: 'GET',
      path: '/api/jobs/{job_id}',
      scope: 'view',
      params: jobParams,
      handle: async ({ params }) => statusReply(context, await jobDetail(view, params.job_id)),
    }),
    route({
      method: 'DELETE',
      path: '/api/jobs/{job_id}',
      scope: 'trade',
      params: jobParams,
      handle: async ({ params }) => statusReply(context, await cancelJob(view, params.job_id)),
    }),
  ]
}
