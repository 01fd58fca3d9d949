import type { Clock } from '../ports/clock.port.ts'
import { beginRead, beginWrite, endWrite, isTorn, type MarketMemory } from './memory.ts'

const MODE = { system: 0, ticks: 1, runsOn: 2 } as const
const SEQUENCE_WORD = 0
const MODE_WORD = 1
const MARKET_MS = 1
const ANCHOR_MS = 2

/** Where the market clock gets real time from. */
export interface TimeSources {
  /** Epoch milliseconds of the computer. */
  readonly wallMs: () => number
  /** Milliseconds that never jump, the same in all threads of the process. */
  readonly monotonicMs: () => number
}

export const REAL_TIME: TimeSources = {
  wallMs: () => Date.now(),
  // performance.now() counts from the start of each thread; this counts from the start of the computer.
  monotonicMs: () => {
    const [seconds, nanoseconds] = process.hrtime()
    return seconds * 1e3 + nanoseconds / 1e6
  },
}

/** The market clock as every thread reads it. */
export class SharedClock implements Clock {
  readonly #words: Int32Array
  readonly #values: Float64Array
  readonly #time: TimeSources

  constructor({ clock }: MarketMemory, time: TimeSources = REAL_TIME) {
    this.#words = new Int32Array(clock)
    this.#values = new Float64Array(clock)
    this.#time = time
  }

  nowMs(): number {
    for (;;) {
      const sequence = beginRead(this.#words, SEQUENCE_WORD)
      const mode = this.#words[MODE_WORD]
      const marketMs = this.#values[MARKET_MS] ?? 0
      const anchorMs = this.#values[ANCHOR_MS] ?? 0
      if (isTorn(this.#words, SEQUENCE_WORD, sequence)) continue
      if (mode === MODE.system) return this.#time.wallMs()
      if (mode === MODE.ticks) return marketMs
      return Math.floor(marketMs + Math.max(0, this.#time.monotonicMs() - anchorMs))
    }
  }
}

/**
 * Write side, in the market thread only. Starts on the system clock. Once it follows ticks it never
 * goes back, also not when a replay is rewound: what was recorded stays in the past.
 */
export class ClockWriter {
  readonly #words: Int32Array
  readonly #values: Float64Array
  readonly #time: TimeSources
  readonly #shared: SharedClock
  #marketMs = Number.NEGATIVE_INFINITY

  constructor(memory: MarketMemory, time: TimeSources = REAL_TIME) {
    this.#words = new Int32Array(memory.clock)
    this.#values = new Float64Array(memory.clock)
    this.#time = time
    this.#shared = new SharedClock(memory, time)
  }

  nowMs(): number {
    return this.#shared.nowMs()
  }
  /** True while only ticks move the clock. */
  get followsTicks(): boolean {
    return this.#words[MODE_WORD] === MODE.ticks
  }

  /** From now on ticks move the clock. It shows `timeMs` until one does. */
  follow(timeMs: number): void {
    this.#write(MODE.ticks, timeMs)
  }
  /** A tick of this time has come. Nothing on the system clock, or when it is not newer. */
  advance(timeMs: number): void {
    if (timeMs > this.#marketMs && this.followsTicks) this.#write(MODE.ticks, timeMs)
  }
  /** Follows ticks again after {@link runOn}, from where it stands. */
  hold(): void {
    if (this.#words[MODE_WORD] === MODE.runsOn) this.#write(MODE.ticks, this.nowMs())
  }
  /** Goes on in real time from where it stands: the file has ended. */
  runOn(): void {
    if (this.followsTicks) this.#write(MODE.runsOn, this.#marketMs)
  }

  #write(mode: number, marketMs: number): void {
    this.#marketMs = marketMs
    beginWrite(this.#words, SEQUENCE_WORD)
    this.#words[MODE_WORD] = mode
    this.#values[MARKET_MS] = marketMs
    this.#values[ANCHOR_MS] = this.#time.monotonicMs()
    endWrite(this.#words, SEQUENCE_WORD)
  }
}
