import { statusAnswer } from '../answers/envelope.ts'
import { jobDetailFields, jobFields, jobListFields } from '../answers/jobs.ts'
import { statusReply } from '../context.ts'
import { cancelJob, jobDetail, jobList, jobParams } from '../jobs.ts'
import { type Route, route } from '../routes.ts'
import type { DirectContext } from './context.ts'

/** The long work of this account. */
export function jobRoutes(context: DirectContext): Route[] {
  const view = {
    jobs: context.service.jobs,
    sees: (accountId: string) => accountId === context.accountId,
  }
  return [
    route({
      method: 'GET',
      path: '/api/jobs',
      scope: 'view',
      summary: '后台任务列表 (jobs, newest first)',
      answer: statusAnswer(jobListFields),
      handle: async () => statusReply(context, await jobList(view)),
    }),
    route({
      method: 'GET',
      path: '/api/jobs/{job_id}',
      scope: 'view',
      summary: '后台任务与结果 (a job with its result)',
      answer: statusAnswer(jobDetailFields),
      params: jobParams,
      handle: async ({ params }) => statusReply(context, await jobDetail(view, params.job_id)),
    }),
    route({
      method: 'DELETE',
      path: '/api/jobs/{job_id}',
      scope: 'trade',
      summary: '取消后台任务 (cancel a job)',
      answer: statusAnswer(jobFields),
      params: jobParams,
      handle: async ({ params }) => statusReply(context, await cancelJob(view, params.job_id)),
    }),
  ]
}
