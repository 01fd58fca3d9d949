import type { PoolRunOptions } from '../pool/pool.ts'

/** What a kind of job may use while it runs. */
export interface JobCall {
  /** The account that the job is done for. */
  readonly accountId: string
  /** Aborted when the job is canceled or the service stops; every wait must end then. */
  readonly signal: AbortSignal
  /** Steps done of steps in all. */
  readonly progress: (done: number, total: number) => void
  /** Runs a worker file on a thread of the pool; its errors pass through. */
  readonly inPool: <O>(
    file: string,
    input: unknown,
    options?: Pick<PoolRunOptions, 'onProgress'>,
  ) => Promise<O>
}

/** One row of the table of kinds. */
export interface JobKind {
  readonly kind: string
  /**
   * Does the job; answers the result. Begun again from the start when the process ended in the
   * middle, so doing it twice must be the same as doing it once. `input` as it was stored.
   *
   * Errors  a `ServiceError` becomes the error of the job.
   */
  readonly run: (input: unknown, call: JobCall) => Promise<unknown>
}

/** Of a zod schema, as much as a kind needs. */
interface InputSchema<I> {
  safeParse(
    value: unknown,
  ): { readonly success: true; readonly data: I } | { readonly success: false; error: Error }
}

interface KindSpec<I> {
  readonly kind: string
  /** What was stored by an earlier release is checked again. */
  readonly input: InputSchema<I>
  readonly run: (input: I, call: JobCall) => Promise<unknown>
}

/** Ties a kind to its schema. Errors of `run`  a plain Error when the stored input does not fit any more. */
export const jobKind = <I>({ kind, input, run }: KindSpec<I>): JobKind => ({
  kind,
  run: (stored, call) => {
    const parsed = input.safeParse(stored)
    if (!parsed.success)
      return Promise.reject(new Error(`the input is not of this release: ${parsed.error.message}`))
    return run(parsed.data, call)
  },
})
