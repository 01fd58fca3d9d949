import { ServiceError, type WireError } from '../domain/errors.ts'
import { err, ok, type Result } from '../domain/result.ts'
import type { Job, JobOrder, JobRunner } from '../protocol/job.ts'

/** Jobs of one process by id, in the order in which they were asked for. */
export type JobBook = ReadonlyMap<string, Job>

export interface JobLimits {
  /** Running at once. */
  readonly runningMax: number
  /** Waiting for their turn; one more is refused. */
  readonly queueMax: number
  /** Ended ones that are kept. */
  readonly keptMax: number
  /** Starts of one job, the first included. */
  readonly attemptsMax: number
}

interface Origin {
  readonly id: string
  readonly nowMs: number
  readonly runner: JobRunner
}

export const hasEnded = ({ state }: Pick<Job, 'state'>): boolean =>
  state === 'done' || state === 'failed' || state === 'canceled'

export const withJob = (book: JobBook, job: Job): JobBook => new Map(book).set(job.id, job)

/** Errors  `OVERLOADED` while too many wait. */
export function queueJob(
  book: JobBook,
  order: JobOrder,
  { id, nowMs, runner }: Origin,
  { queueMax }: Pick<JobLimits, 'queueMax'>,
): Result<Job, ServiceError> {
  const waiting = count(book, 'queued')
  if (waiting >= queueMax) {
    return err(
      new ServiceError(
        'OVERLOADED',
        `已有 ${waiting} 个任务在等待，请稍后再试 (${waiting} jobs are waiting; try again later)`,
      ),
    )
  }
  const { kind, accountId, place, input } = order
  return ok({
    id,
    kind,
    accountId,
    place,
    input,
    state: 'queued',
    done: 0,
    total: 0,
    createdMs: nowMs,
    startedMs: null,
    endedMs: null,
    attempts: 0,
    error: null,
    runner,
  })
}

/** The job whose turn it is, undefined while as many run as may. */
export function nextJob(
  book: JobBook,
  { runningMax }: Pick<JobLimits, 'runningMax'>,
): Job | undefined {
  if (count(book, 'running') >= runningMax) return undefined
  return [...book.values()].find(({ state }) => state === 'queued')
}

export const startJob = (job: Job, nowMs: number): Job => ({
  ...job,
  state: 'running',
  startedMs: nowMs,
  attempts: job.attempts + 1,
  done: 0,
  total: 0,
})

/** Never goes back, and never past the total. A job that has ended stays as it is. */
export function progressJob(job: Job, done: number, total: number): Job {
  if (job.state !== 'running') return job
  const all = Math.max(job.total, total)
  return { ...job, done: Math.min(all, Math.max(job.done, done)), total: all }
}

export const finishJob = (job: Job, nowMs: number): Job =>
  hasEnded(job) ? job : { ...job, state: 'done', done: job.total, endedMs: nowMs }

export const failJob = (job: Job, error: WireError, nowMs: number): Job =>
  hasEnded(job) ? job : { ...job, state: 'failed', error, endedMs: nowMs }

/** A canceled one is answered as it is. Errors  `CONFLICT` when it has ended otherwise. */
export function cancelJob(job: Job, nowMs: number): Result<Job, ServiceError> {
  if (job.state === 'canceled') return ok(job)
  if (hasEnded(job)) {
    return err(
      new ServiceError(
        'CONFLICT',
        `任务已结束，状态 ${job.state} (the job has ended already: ${job.state})`,
      ),
    )
  }
  return ok({ ...job, state: 'canceled', endedMs: nowMs })
}

/** A job of a process that stops in good order: it waits for the next one, and the start does not count. */
export const layDownJob = (job: Job): Job =>
  job.state === 'running' ? { ...job, state: 'queued', attempts: job.attempts - 1 } : job

/**
 * A job whose process is gone, in the hands of the next one: it waits again, or has failed when it
 * was begun too often, because what ends a process once may do so every time.
 */
export function takeUpJob(
  job: Job,
  runner: JobRunner,
  { nowMs, attemptsMax }: { nowMs: number; attemptsMax: number },
): Job {
  if (job.attempts < attemptsMax) return { ...job, runner, state: 'queued' }
  const message = `begun ${job.attempts} times and never finished`
  return failJob({ ...job, runner }, { code: 'INTERNAL', message }, nowMs)
}

/**
 * Ids of the ended jobs beyond `keptMax`, oldest first. Whose end is in the future is of a clock that was ahead, and
 * older than all that came since: else each new one would be gone as it ends, until that day has come.
 */
export function outlivedJobs(
  jobs: Iterable<Job>,
  keptMax: number,
  nowMs: number,
): readonly string[] {
  const isAhead = ({ endedMs }: Job): boolean => (endedMs ?? 0) > nowMs
  const ended = [...jobs]
    .filter(hasEnded)
    .sort(
      (left, right) => Number(isAhead(right)) - Number(isAhead(left)) || order(left.id, right.id),
    )
  return ended.slice(0, Math.max(0, ended.length - keptMax)).map(({ id }) => id)
}

const order = (left: string, right: string): number => (left < right ? -1 : Number(left > right))

const count = (book: JobBook, wanted: Job['state']): number =>
  [...book.values()].filter(({ state }) => state === wanted).length
