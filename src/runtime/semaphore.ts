/**
 * So many at a time; the others wait in the order in which they came. Who may wait is the caller's to
 * bound.
 */
export class Semaphore {
  readonly #waiting: (() => void)[] = []
  #free: number

  constructor(atOnceMax: number) {
    this.#free = atOnceMax
  }

  /** Resolves with the function that ends the turn; to call it again changes nothing. */
  async take(): Promise<() => void> {
    if (this.#free > 0) this.#free -= 1
    else await new Promise<void>((resolve) => this.#waiting.push(resolve))
    let isOver = false
    return () => {
      if (isOver) return
      isOver = true
      const next = this.#waiting.shift()
      if (next === undefined) this.#free += 1
      else next() // the turn is handed on
    }
  }
}
