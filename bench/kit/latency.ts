import type { Histogram } from '../../src/runtime/histogram.ts'
import { createLatencyBoard, LatencyBoard, type Measure } from '../../src/runtime/latency-board.ts'
import { type Row, spreadOf } from './figures.ts'

/** Every row of the board is laid out alike. */
const WORDS = createLatencyBoard(1).byteLength / Int32Array.BYTES_PER_ELEMENT

/** What the service itself counted between two moments, of several actors together. */
export class LatencyWindow {
  readonly #words: Int32Array
  readonly #slots: readonly number[]
  readonly #total = new Int32Array(WORDS)
  #before: Int32Array | undefined

  readonly #board: Pick<LatencyBoard, 'memory'>

  constructor(board: Pick<LatencyBoard, 'memory'>, slots: readonly number[]) {
    this.#board = board
    this.#words = new Int32Array(board.memory)
    this.#slots = slots
  }

  /** One that has counted nothing yet, of the same actors. */
  another(): LatencyWindow {
    return new LatencyWindow(this.#board, this.#slots)
  }

  /** Counts from now on; what was counted before stays. */
  open(): void {
    this.#before = this.#words.slice()
  }

  /** Throws when it was not open. */
  close(): void {
    const before = this.#before
    if (before === undefined) throw new Error('the window is not open')
    for (const slot of this.#slots) {
      const start = slot * WORDS
      for (let word = 0; word < WORDS; word++) {
        const grown = (this.#words[start + word] ?? 0) - (before[start + word] ?? 0)
        this.#total[word] = (this.#total[word] ?? 0) + grown
      }
    }
    this.#before = undefined
  }

  /** Of all that was counted while it was open. Counts and quantiles are right; its sum means nothing. */
  histogram(measure: Measure): Histogram {
    const memory = new SharedArrayBuffer(this.#total.byteLength)
    new Int32Array(memory).set(this.#total)
    return new LatencyBoard(memory).histogram(0, measure)
  }
}

export interface WindowSpec {
  readonly bench: string
  readonly measure: Measure
  readonly part: number
  readonly note?: string
}

/**
 * A percentile over all rounds together, in milliseconds; how far the rounds lie apart is the spread. Throws when
 * a round has counted nothing: its 0 would look fast.
 */
export function windowRow(
  { bench, measure, part, note = '' }: WindowSpec,
  all: LatencyWindow,
  rounds: readonly LatencyWindow[],
): Row {
  const of = (window: LatencyWindow): number => {
    const histogram = window.histogram(measure)
    if (histogram.count === 0) throw new Error(`nothing was counted for "${bench}"`)
    return histogram.quantile(part)
  }
  const spread = spreadOf(rounds.map(of))
  return { bench, unit: 'ms', ours: of(all), baseline: null, ratio: null, spread, note }
}
