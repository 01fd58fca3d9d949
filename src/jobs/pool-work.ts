import { ServiceError, type WireError } from '../domain/errors.ts'

const DONE = 0
const TOTAL = 1
const WORDS = 2

/** How far a piece of work in another thread has come, in memory that both threads see. */
export class Progress {
  readonly memory: SharedArrayBuffer
  readonly #words: Int32Array

  constructor(memory = new SharedArrayBuffer(WORDS * Int32Array.BYTES_PER_ELEMENT)) {
    this.memory = memory
    this.#words = new Int32Array(memory)
  }

  /** Steps done of steps in all. */
  set(done: number, total: number): void {
    Atomics.store(this.#words, TOTAL, total)
    Atomics.store(this.#words, DONE, done)
  }

  get done(): number {
    return Atomics.load(this.#words, DONE)
  }
  get total(): number {
    return Atomics.load(this.#words, TOTAL)
  }
}

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
