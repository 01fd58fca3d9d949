import type { TimerName } from '../../src/account/turn/turn.ts'
import type { TimeSources } from '../../src/market/clock.ts'

export interface TimersOptions {
  readonly rings: (name: TimerName) => void
  /** A call at the broker was not answered in time. */
  readonly callTimedOut: (callId: number) => void
}

/** The timers of one account: one for each name, and one for each call that waits for its answer. */
export class Timers {
  readonly #options: TimersOptions
  readonly #named = new Map<TimerName, NodeJS.Timeout>()
  readonly #calls = new Map<number, NodeJS.Timeout>()

  constructor(options: TimersOptions) {
    this.#options = options
  }

  /** In place of the one of this name that runs. */
  set(name: TimerName, delayMs: number): void {
    clearTimeout(this.#named.get(name))
    this.#named.set(
      name,
      setTimeout(() => this.#options.rings(name), delayMs),
    )
  }

  callBegan(callId: number, timeoutMs: number): void {
    const timer = setTimeout(() => {
      this.#calls.delete(callId)
      this.#options.callTimedOut(callId)
    }, timeoutMs)
    this.#calls.set(callId, timer)
  }

  callAnswered(callId: number): void {
    clearTimeout(this.#calls.get(callId))
    this.#calls.delete(callId)
  }

  /** None of them rings any more. */
  clear(): void {
    for (const timer of this.#named.values()) clearTimeout(timer)
    for (const timer of this.#calls.values()) clearTimeout(timer)
    this.#named.clear()
    this.#calls.clear()
  }
}

/**
 * Wall time for durations: the clock on the wall as it stood at the start, and the time that has
 * really passed since. It never jumps.
 */
export class SteadyClock {
  readonly #time: TimeSources
  readonly #startWallMs: number
  readonly #startMonotonicMs: number

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
}
