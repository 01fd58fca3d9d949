import { v1Answer } from '../answers/envelope.ts'
import { jobDetailFields, jobFields, jobListFields } from '../answers/jobs.ts'
import { v1Reply } from '../context.ts'
import { cancelJob, jobDetail, jobList, jobParams } from '../jobs.ts'
import type { HttpRequest } from '../request.ts'
import { type Route, route } from '../routes.ts'
import type { GatewayContext } from './context.ts'

/** The long work of all accounts that the caller may see. */
export function jobRoutes({ service }: GatewayContext): Route[] {
  const viewOf = ({ caller }: HttpRequest) => ({
    jobs: service.jobs,
    sees: (accountId: string) => caller?.accounts?.has(accountId) ?? true,
  })
  return [
    route({
      method: 'GET',
      path: '/api/v1/jobs',
      scope: 'view',
      confinesItself: true,
      summary: '后台任务列表 (jobs, newest first)',
      answer: v1Answer(jobListFields),
      handle: async ({ request }) => v1Reply(await jobList(viewOf(request))),
    }),
    route({
      method: 'GET',
      path: '/api/v1/jobs/{job_id}',
      scope: 'view',
      confinesItself: true,
      summary: '后台任务与结果 (a job with its result)',
      answer: v1Answer(jobDetailFields),
      params: jobParams,
      handle: async ({ request, params }) =>
        v1Reply(await jobDetail(viewOf(request), params.job_id)),
    }),
    route({
      method: 'DELETE',
      path: '/api/v1/jobs/{job_id}',
      scope: 'trade',
      confinesItself: true,
      summary: '取消后台任务 (cancel a job)',
      answer: v1Answer(jobFields),
      params: jobParams,
      handle: async ({ request, params }) =>
        v1Reply(await cancelJob(viewOf(request), params.job_id)),
    }),
  ]
}
