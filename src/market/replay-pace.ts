/** Longest wait in one go: longer timers overflow, and a change of speed must not wait behind them. */
const WAIT_MS_MAX = 3_600_000

/** When the next recorded tick is due. Anchored, so that small delays do not add up. */
export class Pace {
  #speed: number | 'max'
  #marketMs: number | undefined
  #realMs = 0

  constructor(speed: number | 'max') {
    this.#speed = speed
  }

  get speed(): number | 'max' {
    return this.#speed
  }
  /** Changes the speed, or starts anew after a break: the gap to the next tick begins now. */
  restart(speed: number | 'max'): void {
    this.#speed = speed
    this.#marketMs = undefined
  }
  /**
   * Milliseconds to wait before the tick of `timeMs`, 0 = due.
   * @param lastMs time of the tick before, where the gap begins after a restart
   * @param now milliseconds that never jump
   */
  waitMs(timeMs: number, lastMs: number | null, now: () => number): number {
    if (this.#speed === 'max') return 0
    const nowMs = now()
    if (this.#marketMs === undefined) {
      this.#marketMs = lastMs ?? timeMs
      this.#realMs = nowMs
    }
    const dueMs = this.#realMs + (timeMs - this.#marketMs) / this.#speed
    return Math.min(Math.max(0, Math.ceil(dueMs - nowMs)), WAIT_MS_MAX)
  }
}
