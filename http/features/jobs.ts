import { z } from 'zod'
import { ServiceError } from '../../src/domain/errors.ts'
import { exchangeTime } from '../../src/domain/exchange-time.ts'
import type { Job } from '../../src/protocol/job.ts'
import { time } from '../answers/envelope.ts'
import { faultOf } from '../message/in-both.ts'
import type { HttpRequest } from '../message/request.ts'
import type { Jobs } from '../port/service.ts'
import type { Feature } from './feature.ts'

/** Long work as it is shown. */
const jobFields = z
  .object({
    job_id: z.string(),
    kind: z.string().describe('what is done'),
    account_id: z.string(),
    state: z.enum(['queued', 'running', 'done', 'failed', 'canceled']),
    progress: z.number().describe('0 to 1'),
    done: z.int().describe('steps'),
    total: z.int().describe('steps; 0 while unknown'),
    attempts: z.int().describe('starts so far'),
    input: z.unknown(),
    error: z.object({ code: z.string(), message: z.string() }).nullable(),
    created_at: time,
    started_at: time.nullable(),
    finished_at: time.nullable(),
  })
  .meta({ id: 'Job' })

const jobListFields = z.object({ jobs: z.array(jobFields) })

/** With what it has come to. */
const jobDetailFields = z.object({
  ...jobFields.shape,
  result: z.unknown().describe('by kind; null until it is done'),
})

const params = z.object({ job_id: z.string() })

/** The long work of the accounts that the caller may see. */
export const jobs: Feature = ({ common, service, sees }) => {
  const { answer, reply } = common.envelope
  const viewOf = (request: HttpRequest): JobView => ({ jobs: service.jobs, sees: sees(request) })
  return [
    common.route({
      method: 'GET',
      path: '/jobs',
      scope: 'view',
      confinesItself: true,
      summary: '后台任务列表 (jobs, newest first)',
      answer: answer(jobListFields),
      handle: async ({ request }) => reply(await jobList(viewOf(request))),
    }),
    common.route({
      method: 'GET',
      path: '/jobs/{job_id}',
      scope: 'view',
      confinesItself: true,
      summary: '后台任务与结果 (a job with its result)',
      answer: answer(jobDetailFields),
      params,
      handle: async ({ request, params: { job_id: id } }) =>
        reply(await jobDetail(viewOf(request), id)),
    }),
    common.route({
      method: 'DELETE',
      path: '/jobs/{job_id}',
      scope: 'trade',
      confinesItself: true,
      summary: '取消后台任务 (cancel a job)',
      answer: answer(jobFields),
      params,
      handle: async ({ request, params: { job_id: id } }) =>
        reply(await cancelJob(viewOf(request), id)),
    }),
  ]
}

const timeOf = (ms: number | null): string | null => (ms === null ? null : exchangeTime(ms))

/** A job as it is shown. `progress` from 0 to 1. */
const jobRow = (job: Job) => ({
  job_id: job.id,
  kind: job.kind,
  account_id: job.accountId,
  state: job.state,
  progress: progressOf(job),
  done: job.done,
  total: job.total,
  attempts: job.attempts,
  input: job.input,
  error: job.error && faultOf(job.error),
  created_at: timeOf(job.createdMs),
  started_at: timeOf(job.startedMs),
  finished_at: timeOf(job.endedMs),
})

function progressOf({ state, done, total }: Job): number {
  if (state === 'done') return 1
  return total === 0 ? 0 : Math.round((done / total) * 10_000) / 10_000
}

/** Whose jobs a caller may see. */
interface JobView {
  readonly jobs: Jobs
  readonly sees: (accountId: string) => boolean
}

const jobList = async ({ jobs, sees }: JobView) => ({
  jobs: (await jobs.list()).filter(({ accountId }) => sees(accountId)).map(jobRow),
})

/** With the result. Errors  `UNKNOWN_JOB`, also for a job of another account. */
async function jobDetail({ jobs, sees }: JobView, id: string) {
  const found = await jobs.find(id)
  if (found === undefined || !sees(found.job.accountId)) {
    throw new ServiceError('UNKNOWN_JOB', '任务不存在，请核对任务编号 (there is no such job)')
  }
  return { ...jobRow(found.job), result: found.result }
}

/** Errors  `UNKNOWN_JOB`; `CONFLICT` when it has ended. */
async function cancelJob(view: JobView, id: string) {
  await jobDetail(view, id)
  return jobRow(await view.jobs.cancel(id))
}
