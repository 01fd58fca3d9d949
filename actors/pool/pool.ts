import { Piscina } from 'piscina'
import { ServiceError } from '../../src/domain/errors.ts'
import { type PoolOutcome, type PoolTask, Progress } from '../../src/jobs/pool-work.ts'

const PROJECT_ROOT = new URL('../..', import.meta.url)

export interface PoolLimits {
  readonly threadsMax: number
  /** Pieces of work that wait for a thread; one more is refused. */
  readonly queueMax: number
  /** After which a thread without work ends, milliseconds. */
  readonly idleMs: number
  /** Heap of one thread, megabytes. */
  readonly heapMb: number
  /** Between two looks at the progress of a piece of work, milliseconds. */
  readonly progressMs: number
}

type Report = (done: number, total: number) => void

export interface PoolRunOptions {
  /** Ends the work at once, wherever it is. */
  readonly signal?: AbortSignal
  /** After which the work is ended with `DEADLINE_EXCEEDED`, milliseconds; absent = no end. */
  readonly timeoutMs?: number
  readonly onProgress?: Report
}

/**
 * Threads for long pure work. They hold no handle of a database or a socket, so each may be ended in
 * the middle. Started when they are needed.
 */
export class Pool {
  readonly #limits: PoolLimits
  readonly #threads: Piscina<PoolTask, PoolOutcome>
  /** Threads at work. */
  #busy = 0
  #waiting: PromiseWithResolvers<void>[] = []
  #isClosed = false

  constructor(limits: PoolLimits) {
    this.#limits = limits
    this.#threads = new Piscina({
      minThreads: 0,
      maxThreads: limits.threadsMax,
      idleTimeout: limits.idleMs,
      resourceLimits: { maxOldGenerationSizeMb: limits.heapMb },
      // A thread that sleeps in `Atomics.wait` answers nothing else, and its exit takes longer.
      atomics: 'disabled',
      recordTiming: false,
    })
  }

  /** Pieces of work that wait for a thread. */
  get waiting(): number {
    return this.#waiting.length
  }

  /**
   * Runs a worker file (path from the project root) on one input.
   *
   * Errors  those that the work throws; `OVERLOADED` when too much waits or the heap was too small;
   *         `DEADLINE_EXCEEDED`; the reason of the signal.
   */
  async run<O>(
    file: string,
    input: unknown,
    { signal, timeoutMs, onProgress }: PoolRunOptions = {},
  ): Promise<O> {
    const ended = endedBy(signal, timeoutMs)
    try {
      await this.#vacancy(ended)
      return await this.#runNow<O>(file, input, { ended, onProgress })
    } catch (error) {
      throw this.#asExpected(error, signal, ended)
    }
  }

  async #runNow<O>(
    file: string,
    input: unknown,
    { ended, onProgress }: { ended: AbortSignal | undefined; onProgress: Report | undefined },
  ): Promise<O> {
    const progress = new Progress()
    const task: PoolTask = { input, progress: progress.memory }
    const report = () => onProgress?.(progress.done, progress.total)
    const timer = onProgress && setInterval(report, this.#limits.progressMs)
    try {
      const outcome = await this.#threads.run(task, {
        filename: new URL(file, PROJECT_ROOT).href,
        name: 'work',
        ...(ended && { signal: ended }),
      })
      if (!outcome.ok) throw ServiceError.fromWire(outcome.error)
      report()
      return outcome.value as O
    } finally {
      clearInterval(timer)
      const next = this.#waiting.shift()
      if (next === undefined) this.#busy -= 1
      else next.resolve() // the thread is handed on
    }
  }

  /**
   * Resolves when a thread is free for the caller. The library has a queue too, but whatever waits
   * there is forgotten when the work in front of it is ended.
   */
  async #vacancy(ended: AbortSignal | undefined): Promise<void> {
    ended?.throwIfAborted()
    if (this.#isClosed) throw new ServiceError('STOPPING', 'the service is stopping')
    if (this.#busy >= this.#limits.threadsMax) await this.#wait(ended)
    else this.#busy += 1
  }

  async #wait(ended: AbortSignal | undefined): Promise<void> {
    if (this.#waiting.length >= this.#limits.queueMax) {
      throw new ServiceError('OVERLOADED', 'too many calculations are waiting; try again')
    }
    const vacancy = Promise.withResolvers<void>()
    const leave = () => {
      this.#waiting = this.#waiting.filter((other) => other !== vacancy)
      vacancy.reject(ended?.reason)
    }
    ended?.addEventListener('abort', leave)
    this.#waiting.push(vacancy)
    await vacancy.promise.finally(() => ended?.removeEventListener('abort', leave))
  }

  /** Ends all threads, whatever they do. */
  async close(): Promise<void> {
    this.#isClosed = true
    for (const { reject } of this.#waiting.splice(0)) reject(new Error('the pool is closed'))
    await this.#threads.destroy()
  }

  #asExpected(error: unknown, asked?: AbortSignal, ended?: AbortSignal): unknown {
    if (error instanceof ServiceError) return error
    if (asked?.aborted) return asked.reason
    if (ended?.aborted)
      return new ServiceError('DEADLINE_EXCEEDED', 'the calculation took too long')
    if (this.#isClosed) return new ServiceError('STOPPING', 'the service is stopping')
    if ((error as NodeJS.ErrnoException).code === 'ERR_WORKER_OUT_OF_MEMORY') {
      const text = `the calculation needs more than ${this.#limits.heapMb} MB`
      return new ServiceError('OVERLOADED', text)
    }
    return error
  }
}

function endedBy(
  signal: AbortSignal | undefined,
  timeoutMs: number | undefined,
): AbortSignal | undefined {
  if (timeoutMs === undefined) return signal
  const late = AbortSignal.timeout(timeoutMs)
  return signal === undefined ? late : AbortSignal.any([signal, late])
}
