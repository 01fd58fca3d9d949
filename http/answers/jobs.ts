import { z } from 'zod'
import { time } from './envelope.ts'

/** Long work as it is shown. */
export const jobFields = z
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

export const jobListFields = z.object({ jobs: z.array(jobFields) })

/** With what it has come to. */
export const jobDetailFields = z.object({
  ...jobFields.shape,
  result: z.unknown().describe('by kind; null until it is done'),
})
