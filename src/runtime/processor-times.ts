import { availableParallelism, cpus } from 'node:os'

/** What is read of the computer; tests put in another one. */
export interface ProcessorReadings {
  /** Processors that this process may use. */
  readonly processors: number
  /** Since the computer began, of all processors together; undefined where it is not told. */
  readonly idleMs: () => number | undefined
  /** Processor time of this process since it began. */
  readonly ownMs: () => number
}

const REAL: ProcessorReadings = {
  processors: availableParallelism(), // also knows what a container may use
  idleMs: () => {
    const all = cpus()
    return all.length === 0 ? undefined : all.reduce((sum, { times }) => sum + times.idle, 0)
  },
  ownMs: () => {
    const { user, system } = process.cpuUsage()
    return (user + system) / 1e3
  },
}

interface Reading {
  readonly nowMs: number
  readonly idleMs: number | undefined
  readonly ownMs: number
}

/** How much of the processors' time nobody wanted, from one look to the next. */
export class ProcessorTimes {
  readonly #readings: ProcessorReadings
  #last: Reading | undefined

  constructor(readings: ProcessorReadings = REAL) {
    this.#readings = readings
  }

  /**
   * Idle time of the processors since the last call, in which this process could have computed;
   * undefined at the first call, and at the first after {@link rest}.
   */
  idleMs(nowMs: number): number | undefined {
    const { processors } = this.#readings
    const last = this.#last
    const now = { nowMs, idleMs: this.#readings.idleMs(), ownMs: this.#readings.ownMs() }
    this.#last = now
    if (last === undefined) return undefined
    // What a container may not use is idle as well: so never more than what this process has left over.
    const leftMs = processors * (nowMs - last.nowMs) - (now.ownMs - last.ownMs)
    const idleMs = (now.idleMs ?? Number.POSITIVE_INFINITY) - (last.idleMs ?? 0)
    return Math.max(0, Math.min(leftMs, idleMs))
  }

  /** Nobody asks for now: reading it costs some time. */
  rest(): void {
    this.#last = undefined
  }
}
