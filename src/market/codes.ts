/** Which code has which row of the board. Rows are given out in the order of asking and kept. */
export class CodeTable {
  readonly #slots = new Map<string, number>()
  readonly #codes: string[] = []
  readonly #codesMax: number

  constructor(codesMax: number) {
    this.#codesMax = codesMax
  }

  get size(): number {
    return this.#codes.length
  }
  get codes(): readonly string[] {
    return this.#codes
  }
  slotOf(code: string): number | undefined {
    return this.#slots.get(code)
  }
  /** The slot of a code, a new one if need be; undefined when the board is full. */
  assign(code: string): number | undefined {
    const known = this.#slots.get(code)
    if (known !== undefined) return known
    if (this.#codes.length >= this.#codesMax) return undefined
    const slot = this.#codes.push(code) - 1
    this.#slots.set(code, slot)
    return slot
  }
}
