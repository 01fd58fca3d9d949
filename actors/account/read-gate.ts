import { ServiceError } from '../../src/domain/errors.ts'

export interface ReadGateLimits {
  /** Reads under way at once. */
  readonly atOnceMax: number
  /** Reads that wait for their turn; one more is refused with `OVERLOADED`. */
  readonly waitingMax: number
}

/** Reads of one kind beside the mailbox: so many at once, the next ones in their turn. */
export class ReadGate {
  readonly #limits: ReadGateLimits
  readonly #refusal: string
  readonly #waiting: (() => void)[] = []
  #open = 0

  /** `refusal` is what one too many is told. */
  constructor(refusal: string, limits: ReadGateLimits) {
    this.#refusal = refusal
    this.#limits = limits
  }

  /** Errors  `OVERLOADED` when too many wait already, and what the read itself throws. */
  async pass<T>(read: () => Promise<T>): Promise<T> {
    if (this.#open < this.#limits.atOnceMax) this.#open += 1
    else await this.#turn()
    try {
      return await read()
    } finally {
      // The place of a read that has ended is that of the first one that waits.
      const next = this.#waiting.shift()
      if (next === undefined) this.#open -= 1
      else next()
    }
  }

  #turn(): Promise<void> {
    if (this.#waiting.length >= this.#limits.waitingMax) {
      throw new ServiceError('OVERLOADED', this.#refusal)
    }
    return new Promise((resolve) => this.#waiting.push(resolve))
  }
}
