import type { Jobs } from '../../http/service.ts'
import { ServiceError } from '../../src/domain/errors.ts'
import type { Job, JobOrder } from '../../src/protocol/job.ts'

/** 2026-08-11 10:00:01 at the exchange. */
const BEGUN_MS = Date.UTC(2026, 7, 11, 2, 0, 1)

export const JOB: Job = {
  id: '01J00000000000000000000009',
  kind: 'download',
  accountId: 'A',
  place: 'gateway',
  input: { stock_code: '600036.SH' },
  state: 'running',
  done: 1,
  total: 3,
  createdMs: BEGUN_MS,
  startedMs: BEGUN_MS,
  endedMs: null,
  attempts: 1,
  error: null,
  runner: { pid: 1, key: 'a' },
}

/** Jobs in a list; nothing ever runs. */
export class FakeJobs implements Jobs {
  jobs: Job[] = [JOB]
  result: unknown = null

  async submit(order: JobOrder): Promise<Job> {
    const job: Job = { ...JOB, ...order, state: 'queued', id: `${JOB.id.slice(0, -1)}A` }
    this.jobs.push(job)
    return job
  }
  async list(): Promise<readonly Job[]> {
    return this.jobs
  }
  async find(id: string) {
    const job = this.jobs.find((each) => each.id === id)
    return job && { job, result: this.result }
  }
  async cancel(id: string): Promise<Job> {
    const job = this.jobs.find((each) => each.id === id) ?? JOB
    if (job.state === 'done') throw new ServiceError('CONFLICT', 'the job has ended already')
    const canceled: Job = { ...job, state: 'canceled', endedMs: BEGUN_MS }
    this.jobs = this.jobs.map((each) => (each.id === id ? canceled : each))
    return canceled
  }
}
