import { ServiceError, type WireError } from '../../src/domain/errors.ts'
import {
  cancelJob,
  failJob,
  finishJob,
  hasEnded,
  type JobBook,
  type JobLimits,
  layDownJob,
  nextJob,
  outlivedJobs,
  progressJob,
  queueJob,
  startJob,
  takeUpJob,
  withJob,
} from '../../src/jobs/job-book.ts'
import { decode, encode } from '../../src/protocol/codec.ts'
import type { Job, JobOrder, JobRunner } from '../../src/protocol/job.ts'
import type { StoreControl, StoreControlReplies } from '../../src/protocol/store.ts'
import type { Pool } from '../pool/pool.ts'
import type { JobKind } from './job-kind.ts'

export interface JobDeskLimits extends JobLimits {
  readonly resultBytesMax: number
  /** Between two saves of the progress of a job, milliseconds. */
  readonly saveEveryMs: number
}

type RecordRequest = Extract<StoreControl, { kind: 'get' | 'put' | 'list' }>

export interface JobDeskDeps {
  readonly kinds: readonly JobKind[]
  readonly pool: Pick<Pool, 'run'>
  readonly limits: JobDeskLimits
  /** The process-wide records. */
  readonly records: <K extends RecordRequest['kind']>(
    request: Extract<RecordRequest, { kind: K }>,
  ) => Promise<StoreControlReplies[K]>
  readonly runner: JobRunner
  /** Whether the process that has a job still lives. */
  readonly isAlive: (runner: JobRunner) => boolean
  /** Whether this process does the jobs of this backend and account. */
  readonly isOurs: (job: Pick<Job, 'place' | 'accountId'>) => boolean
  /** Wall clock, epoch milliseconds. */
  readonly nowMs: () => number
  readonly newId: () => string
  /** Throws when nothing more may be written down. */
  readonly mustHaveRoom?: () => void
  readonly log: {
    info(fields: Readonly<Record<string, unknown>>, message: string): void
    error(fields: Readonly<Record<string, unknown>>, message: string): void
  }
}

/** A job with what it has come to. */
export interface JobAnswer {
  readonly job: Job
  /** null until it is done. */
  readonly result: unknown
}

const JOBS = 'jobs/'
const RESULTS = 'job-results/'

/**
 * Takes jobs, runs some at once, keeps them among the process-wide records, where every process of
 * the data directory sees them, and takes up those that a process left unfinished when it ended.
 */
export class JobDesk {
  readonly #deps: JobDeskDeps
  readonly #kinds: ReadonlyMap<string, JobKind>
  /** The jobs of this process that have not ended, or whose end is not on disk. */
  #book: JobBook = new Map()
  readonly #running = new Map<string, { abort: AbortController; ended: Promise<void> }>()
  /** Saves one after the other, so that an older state never comes last. */
  #saving: Promise<unknown> = Promise.resolve()
  #isClosing = false

  constructor(deps: JobDeskDeps) {
    this.#deps = deps
    this.#kinds = new Map(deps.kinds.map((kind) => [kind.kind, kind]))
  }

  /** Takes up what earlier processes left unfinished, as far as the store tells it. */
  async open(): Promise<void> {
    const { runner, isOurs, isAlive, nowMs, limits, log } = this.#deps
    const stored = await this.#stored().catch((err: unknown) => {
      log.error({ err }, 'jobs of earlier processes cannot be read; they wait for the next start')
      return []
    })
    for (const job of stored) {
      if (hasEnded(job) || this.#book.has(job.id) || !isOurs(job)) continue
      if (job.runner.key !== runner.key && isAlive(job.runner)) continue
      const { attemptsMax } = limits
      const taken = takeUpJob(job, runner, { nowMs: nowMs(), attemptsMax })
      log.info({ job: job.id, kind: job.kind, state: taken.state }, 'job taken up after a restart')
      await this.#keep(taken).catch((err: unknown) => {
        log.error({ job: job.id, err }, 'a job taken up could not be saved')
      })
    }
    this.#startNext()
  }

  /** Answers when the job is on disk. Errors  `OVERLOADED`, `STOPPING`, `DISK_FULL`. */
  async submit(order: JobOrder): Promise<Job> {
    const { newId, nowMs, runner, limits } = this.#deps
    if (this.#isClosing) throw new ServiceError('STOPPING', 'the service is stopping')
    this.#deps.mustHaveRoom?.()
    if (!this.#kinds.has(order.kind)) throw new Error(`no kind of job is named "${order.kind}"`)
    const queued = queueJob(this.#book, order, { id: newId(), nowMs: nowMs(), runner }, limits)
    if (!queued.ok) throw queued.error
    this.#book = withJob(this.#book, queued.value) // counted at once: many may ask in one turn
    try {
      await this.#save(queued.value)
    } catch (error) {
      this.#forget(queued.value.id)
      throw error
    }
    this.#startNext()
    return queued.value
  }

  /** Jobs of all processes of the data directory, newest first. */
  async list(): Promise<readonly Job[]> {
    const jobs = (await this.#stored()).map((job) => this.#book.get(job.id) ?? job)
    return jobs.reverse()
  }

  async find(id: string): Promise<JobAnswer | undefined> {
    const job = this.#book.get(id) ?? (await this.#load<Job>(JOBS + id))
    if (job === undefined) return undefined
    const result = job.state === 'done' ? await this.#load<unknown>(RESULTS + id) : null
    return { job, result: result ?? null }
  }

  /** Errors  `UNKNOWN_JOB`; `CONFLICT` when it has ended, or another living process runs it. */
  async cancel(id: string): Promise<Job> {
    const own = this.#book.get(id)
    const job = own ?? (await this.#load<Job>(JOBS + id))
    if (job === undefined)
      throw new ServiceError('UNKNOWN_JOB', '任务不存在，请核对任务编号 (there is no such job)')
    const canceled = cancelJob(job, this.#deps.nowMs())
    if (!canceled.ok) throw canceled.error
    if (own === undefined && !hasEnded(job) && this.#deps.isAlive(job.runner)) {
      const text = `process ${job.runner.pid} runs the job; cancel it there`
      throw new ServiceError('CONFLICT', text)
    }
    this.#abort(id, new ServiceError('CONFLICT', '任务已取消 (the job was canceled)'))
    if (own !== undefined || !hasEnded(job)) await this.#end(canceled.value)
    return canceled.value
  }

  /** Ends what runs; it is taken up at the next start. */
  async close(): Promise<void> {
    this.#isClosing = true
    const running = [...this.#running.values()]
    for (const { abort } of running) {
      abort.abort(new ServiceError('STOPPING', 'the service is stopping'))
    }
    await Promise.all(running.map(({ ended }) => ended))
    for (const job of this.#book.values()) await this.#saveInPassing(layDownJob(job))
  }

  #startNext(): void {
    for (;;) {
      const job = this.#isClosing ? undefined : nextJob(this.#book, this.#deps.limits)
      if (job === undefined) return
      const started = startJob(job, this.#deps.nowMs())
      this.#book = withJob(this.#book, started)
      const abort = new AbortController()
      const ended = this.#run(started, abort.signal)
      this.#running.set(job.id, { abort, ended })
    }
  }

  async #run(job: Job, signal: AbortSignal): Promise<void> {
    const { nowMs, log } = this.#deps
    try {
      await this.#save(job)
      const result = await unlessAborted(() => this.#work(job, signal), signal)
      if (this.#isOpen(job.id)) await this.#saveResult(job.id, result)
      await this.#endIfOpen(job.id, (current) => finishJob(current, nowMs()))
    } catch (error) {
      const fail = (current: Job) => failJob(current, this.#wireOf(error, job), nowMs())
      if (!this.#isClosing) {
        await this.#endIfOpen(job.id, fail).catch((err: unknown) => {
          log.error({ job: job.id, err }, 'the end of a job could not be saved')
        })
      }
    }
    this.#running.delete(job.id)
    this.#startNext()
  }

  /** Canceled meanwhile: it has its end. */
  async #endIfOpen(id: string, end: (job: Job) => Job): Promise<void> {
    const current = this.#book.get(id)
    if (current !== undefined && !hasEnded(current)) await this.#end(end(current))
  }

  #isOpen(id: string): boolean {
    return !hasEnded(this.#book.get(id) ?? { state: 'canceled' })
  }

  /** One that is refused: nothing of it is done, now or by the next process. */
  #forget(id: string): void {
    this.#drop(id)
    this.#abort(id, new ServiceError('CONFLICT', 'the job was refused'))
    this.#put(JOBS + id, null).catch(() => undefined) // it may be there: the answer was lost
    this.#startNext()
  }

  #abort(id: string, reason: ServiceError): void {
    this.#running.get(id)?.abort.abort(reason)
  }

  #drop(id: string): void {
    const rest = new Map(this.#book)
    rest.delete(id)
    this.#book = rest
  }

  #work(job: Job, signal: AbortSignal): Promise<unknown> {
    const { pool, nowMs, limits } = this.#deps
    const kind = this.#kinds.get(job.kind)
    if (kind === undefined) {
      throw new ServiceError('INTERNAL', `this release knows no jobs of the kind "${job.kind}"`)
    }
    let savedMs = nowMs()
    return kind.run(job.input, {
      accountId: job.accountId,
      signal,
      inPool: (file, input, options) => pool.run(file, input, { ...options, signal }),
      progress: (done, total) => {
        const current = this.#book.get(job.id)
        if (current === undefined || signal.aborted) return
        const moved = progressJob(current, done, total)
        this.#book = withJob(this.#book, moved)
        if (nowMs() - savedMs < limits.saveEveryMs) return
        savedMs = nowMs()
        void this.#saveInPassing(moved)
      },
    })
  }

  #wireOf(error: unknown, { id, kind }: Job): WireError {
    if (error instanceof ServiceError) return error.toWire()
    this.#deps.log.error({ job: id, kind, err: error }, 'a job met a bug')
    return { code: 'INTERNAL', message: error instanceof Error ? error.message : String(error) }
  }

  /** Of this process and unfinished, or, ended at once, only on disk. */
  async #keep(job: Job): Promise<void> {
    if (hasEnded(job)) return this.#end(job)
    this.#book = withJob(this.#book, job)
    await this.#save(job)
  }

  /** It has ended from now on, and is told from here until that is on disk. */
  async #end(job: Job): Promise<void> {
    this.#book = withJob(this.#book, job)
    await this.#save(job)
    this.#drop(job.id)
    await this.#prune()
  }

  async #prune(): Promise<void> {
    const { limits, nowMs } = this.#deps
    for (const id of outlivedJobs(await this.#stored(), limits.keptMax, nowMs())) {
      await this.#put(JOBS + id, null)
      await this.#put(RESULTS + id, null)
    }
  }

  /** All jobs on disk, oldest first. */
  async #stored(): Promise<readonly Job[]> {
    const { keptMax, queueMax, runningMax } = this.#deps.limits
    const limit = 2 * (keptMax + queueMax + runningMax) // other processes have theirs
    const rows = await this.#deps.records({ kind: 'list', prefix: JOBS, limit })
    return rows.map(({ value }) => decode<Job>(value))
  }

  async #load<T>(key: string): Promise<T | undefined> {
    const bytes = await this.#deps.records({ kind: 'get', key })
    return bytes === null ? undefined : decode<T>(bytes)
  }

  async #saveResult(id: string, result: unknown): Promise<void> {
    const bytes = encode(result)
    const { resultBytesMax } = this.#deps.limits
    if (bytes.length > resultBytesMax) {
      const text = `the result has ${bytes.length} bytes, more than ${resultBytesMax}; ask for less`
      throw new ServiceError('OVERLOADED', text)
    }
    await this.#put(RESULTS + id, bytes)
  }

  /** What is lost with it comes again. */
  async #saveInPassing(job: Job): Promise<void> {
    await this.#save(job).catch((err: unknown) => {
      this.#deps.log.error({ job: job.id, err }, 'the state of a job could not be saved')
    })
  }

  #save(job: Job): Promise<void> {
    return this.#put(JOBS + job.id, encode(job))
  }

  #put(key: string, value: Uint8Array | null): Promise<void> {
    const put = this.#saving.then(async () => {
      await this.#deps.records({ kind: 'put', key, value })
    })
    this.#saving = put.catch(() => undefined) // told to the one who saves
    return put
  }
}

/** A call to the market cannot be ended: its job is over all the same, and nobody asks what it still brings. */
async function unlessAborted<T>(work: () => Promise<T>, signal: AbortSignal): Promise<T> {
  signal.throwIfAborted()
  const { promise: aborted, reject } = Promise.withResolvers<never>()
  const abort = () => reject(signal.reason)
  signal.addEventListener('abort', abort, { once: true })
  return Promise.race([work(), aborted]).finally(() => signal.removeEventListener('abort', abort))
}
