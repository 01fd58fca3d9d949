import { ServiceError, type WireError } from '../domain/errors.ts'
import { Progress } from './progress.ts'

/** What a thread of the pool is given. */
export interface PoolTask {
  readonly input: unknown
  readonly progress: SharedArrayBuffer
}

/** What it answers: an error class does not survive the way between threads. */
export type PoolOutcome =
  | { readonly ok: true; readonly value: unknown }
  | { readonly ok: false; readonly error: WireError }

/**
 * Makes the entry of a worker file, to be exported as `work`: pure work on its input, which may say
 * how far it has come. It may be ended at any instruction, so it holds nothing that must be closed.
 */
export const poolWork =
  <I, O>(work: (input: I, progress: Progress) => O | Promise<O>) =>
  async ({ input, progress }: PoolTask): Promise<PoolOutcome> => {
    try {
      return { ok: true, value: await work(input as I, new Progress(progress)) }
    } catch (error) {
      if (error instanceof ServiceError) return { ok: false, error: error.toWire() }
      throw error
    }
  }
