import { z } from 'zod'
import { ServiceError } from '../src/domain/errors.ts'
import { exchangeTime } from '../src/domain/exchange-time.ts'
import type { Job } from '../src/protocol/job.ts'
import type { Jobs } from './service.ts'

export const jobParams = z.object({ job_id: z.string() })

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
  error: job.error,
  created_at: timeOf(job.createdMs),
  started_at: timeOf(job.startedMs),
  finished_at: timeOf(job.endedMs),
})

function progressOf({ state, done, total }: Job): number {
  if (state === 'done') return 1
  return total === 0 ? 0 : Math.round((done / total) * 10_000) / 10_000
}

/** Whose jobs a caller may see. */
export interface JobView {
  readonly jobs: Jobs
  readonly sees: (accountId: string) => boolean
}

export const jobList = async ({ jobs, sees }: JobView) => ({
  jobs: (await jobs.list()).filter(({ accountId }) => sees(accountId)).map(jobRow),
})

/** With the result. Errors  `UNKNOWN_JOB`, also for a job of another account. */
export async function jobDetail({ jobs, sees }: JobView, id: string) {
  const found = await jobs.find(id)
  if (found === undefined || !sees(found.job.accountId)) {
    throw new ServiceError('UNKNOWN_JOB', 'there is no such job')
  }
  return { ...jobRow(found.job), result: found.result }
}

/** Errors  `UNKNOWN_JOB`; `CONFLICT` when it has ended. */
export async function cancelJob(view: JobView, id: string) {
  await jobDetail(view, id)
  return jobRow(await view.jobs.cancel(id))
}
