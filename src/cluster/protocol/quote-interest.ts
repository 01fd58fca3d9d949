export interface InterestLimits {
  /** Codes that are remembered at a time. */
  readonly codesMax: number
  /** A code that nobody has asked for again within this is forgotten. ms */
  readonly forgetMs: number
}

/** Which codes other nodes want quotes of. They say it again and again, so a node that died is forgotten. */
export class QuoteInterest {
  readonly #limits: InterestLimits
  /** Until when each is wanted, by our own steady clock. */
  readonly #untilMs = new Map<string, number>()
  #leftOut = 0

  constructor(limits: InterestLimits) {
    this.#limits = limits
  }

  /** Askings for which there was no room. */
  get leftOut(): number {
    return this.#leftOut
  }

  get size(): number {
    return this.#untilMs.size
  }

  /** Answers whether it is wanted anew; undefined when there is no room for a further one. */
  hear(code: string, nowMs: number): { readonly isNew: boolean } | undefined {
    const isNew = !this.#untilMs.has(code)
    if (isNew && this.#untilMs.size >= this.#limits.codesMax) {
      this.#leftOut += 1
      return undefined
    }
    this.#untilMs.set(code, nowMs + this.#limits.forgetMs)
    return { isNew }
  }

  isWanted(code: string, nowMs: number): boolean {
    return (this.#untilMs.get(code) ?? Number.NEGATIVE_INFINITY) > nowMs
  }

  /** The codes that are wanted no more, which are forgotten now. */
  lapse(nowMs: number): readonly string[] {
    const over = [...this.#untilMs].flatMap(([code, untilMs]) => (untilMs > nowMs ? [] : [code]))
    for (const code of over) this.#untilMs.delete(code)
    return over
  }
}
