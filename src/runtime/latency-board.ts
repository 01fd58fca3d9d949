import { HISTOGRAM_BYTES, Histogram } from './histogram.ts'

/** What is measured of each actor, along the way of an order; the order is the layout. */
export const MEASURES = ['tickToStep', 'tickToIntent', 'commit', 'commitToSubmit'] as const
export type Measure = (typeof MEASURES)[number]
const RANG_BYTES = Float64Array.BYTES_PER_ELEMENT
const SLOT_BYTES = RANG_BYTES + MEASURES.length * HISTOGRAM_BYTES

export const createLatencyBoard = (slots: number): SharedArrayBuffer =>
  new SharedArrayBuffer(slots * SLOT_BYTES)

/**
 * How long things take, by actor, in shared memory: actors write, the front reads. An actor that is
 * restarted goes on where the last one was.
 */
export class LatencyBoard {
  readonly memory: SharedArrayBuffer
  readonly #woken: Float64Array

  constructor(memory: SharedArrayBuffer) {
    this.memory = memory
    this.#woken = new Float64Array(memory)
  }

  /** The wake-up that an actor hears next was sent now (monotonic milliseconds that all threads share). */
  woken(slot: number, nowMs: number): void {
    this.#woken[(slot * SLOT_BYTES) / RANG_BYTES] = nowMs
  }
  /** When the last wake-up of an actor was sent. */
  wokenAtMs(slot: number): number {
    return this.#woken[(slot * SLOT_BYTES) / RANG_BYTES] ?? 0
  }

  /** What was measured of whoever had the slot before, and measures no more. */
  forget(slot: number): void {
    new Uint8Array(this.memory, slot * SLOT_BYTES, SLOT_BYTES).fill(0)
  }

  /** Make it once and keep it. */
  histogram(slot: number, measure: Measure): Histogram {
    const at = slot * SLOT_BYTES + RANG_BYTES + MEASURES.indexOf(measure) * HISTOGRAM_BYTES
    return new Histogram(this.memory, at)
  }
}
