import type { TimeSources } from '../../src/market/clock.ts'

/**
 * Wall time for durations: the clock on the wall as it stood at the start, and the time that has
 * really passed since. It never jumps; that the other one has is told.
 */
export class SteadyClock {
  readonly #time: TimeSources
  readonly #startWallMs: number
  readonly #startMonotonicMs: number
  /** By how much the clock on the wall differed at the last look: slow drift is no jump. */
  #aheadMs = 0

  constructor(time: TimeSources) {
    this.#time = time
    this.#startWallMs = time.wallMs()
    this.#startMonotonicMs = time.monotonicMs()
  }

  /** Epoch milliseconds. */
  nowMs(): number {
    const { monotonicMs } = this.#time
    return this.#startWallMs + Math.floor(monotonicMs() - this.#startMonotonicMs)
  }

  /** How far the clock on the wall has moved beyond the time that passed since the last look; negative: back. */
  takeJumpMs(): number {
    const aheadMs = this.#time.wallMs() - this.nowMs()
    const jumpMs = aheadMs - this.#aheadMs
    this.#aheadMs = aheadMs
    return jumpMs
  }
}
