import type { WireError } from '../domain/errors.ts'

/** Where a job stands: the last three are final. */
export type JobState = 'queued' | 'running' | 'done' | 'failed' | 'canceled'

/** What a job is begun with. */
export interface JobOrder {
  /** Name in the table of kinds. */
  readonly kind: string
  /** The account that it is done for. */
  readonly accountId: string
  /** The backend that was asked; a process takes up only the jobs of backends that it serves. */
  readonly place: 'direct' | 'gateway'
  /** Valid under the schema of its kind. */
  readonly input: unknown
}

/** Long work with progress. Its result lies apart, because a list of jobs does not need it. */
export interface Job extends JobOrder {
  /** 26 characters; sorts by the time of asking. */
  readonly id: string
  readonly state: JobState
  /** Steps done of steps in all; 0 of 0 while nothing is known. */
  readonly done: number
  readonly total: number
  /** Wall clock, epoch milliseconds. */
  readonly createdMs: number
  readonly startedMs: number | null
  readonly endedMs: number | null
  /** Starts so far: more than one when a process ended in the middle. */
  readonly attempts: number
  /** Why it failed. */
  readonly error: WireError | null
  /** The process that has it. */
  readonly runner: JobRunner
}

export interface JobRunner {
  readonly pid: number
  /** Of one life of the process: another one may get the same pid. */
  readonly key: string
}
