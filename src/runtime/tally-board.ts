export const createTallyBoard = (slots: number, cells: number): SharedArrayBuffer =>
  new SharedArrayBuffer(slots * cells * Float64Array.BYTES_PER_ELEMENT)

/** What actors count, a row of cells for each, in shared memory: an actor that is restarted goes on where the last one was. */
export class TallyBoard {
  readonly memory: SharedArrayBuffer
  readonly #cells: number

  constructor(memory: SharedArrayBuffer, cells: number) {
    this.memory = memory
    this.#cells = cells
  }

  /** Written and read by the actor of the slot alone. */
  row(slot: number): Float64Array {
    const at = slot * this.#cells * Float64Array.BYTES_PER_ELEMENT
    return new Float64Array(this.memory, at, this.#cells)
  }

  /** What was counted by whoever had the slot before, and counts no more. */
  forget(slot: number): void {
    this.row(slot).fill(0)
  }
}
