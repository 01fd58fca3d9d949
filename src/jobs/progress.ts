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
