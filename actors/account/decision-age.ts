import type { TimeSources } from '../../src/market/clock.ts'

/** When something was decided, before anything was looked at for it. */
export interface Decided {
  /** Monotonic milliseconds. */
  readonly monotonicMs: number
  /** Of the clock on the wall, epoch ms. */
  readonly wallMs: number
}

/**
 * How long ago something was decided, by whichever clock says more: the steady one may stand still while the computer
 * sleeps, and the one on the wall may be set back meanwhile. One that was set ahead ends an order that need not have
 * ended: its price is of a moment that nobody can tell any more, and what was wanted is decided anew.
 */
export class DecisionAge {
  readonly #time: TimeSources
  /** After which nothing that was decided is sent; Infinity: it always is. */
  readonly #limitMs: number

  constructor(time: TimeSources, limitMs: number) {
    this.#time = time
    this.#limitMs = limitMs
  }

  now(): Decided {
    return { monotonicMs: this.#time.monotonicMs(), wallMs: this.#time.wallMs() }
  }

  /** How long it may still wait until it is sent, milliseconds; below 0: it waited too long. */
  leftMs({ monotonicMs, wallMs }: Decided): number {
    const now = this.now()
    return this.#limitMs - Math.max(now.monotonicMs - monotonicMs, now.wallMs - wallMs)
  }
}
