/** When another node is followed, of those that tell quotes of one code. */
export interface ChoiceRules {
  /** A node whose quotes of a code have not gone on for so long is silent about it. ms */
  readonly silenceMs: number
  /** A node whose quotes of a code are older than another's by more than this is left for it. ms */
  readonly lagMs: number
}

/** A quote, as far as it is chosen by: who tells it, and its time at the exchange. */
export interface QuoteSight {
  readonly node: string
  readonly timeMs: number
}

interface Followed extends QuoteSight {
  /** When its quotes went on last, by our own steady clock. */
  readonly heardMs: number
}

/**
 * Which node's quotes of a code are taken, where several tell them: one at a time, so that prices and totals of two
 * feeds are never mixed. Times at the exchange are compared with each other, and our own clock with itself; the clocks
 * of two computers never are.
 */
export class QuoteChoice {
  readonly #rules: ChoiceRules
  readonly #followed = new Map<string, Followed>()

  constructor(rules: ChoiceRules) {
    this.#rules = rules
  }

  /** Whether this quote is taken. Whether it is newer than the one that stands, the board knows. */
  takes(code: string, { node, timeMs }: QuoteSight, nowMs: number): boolean {
    const followed = this.#followed.get(code)
    if (followed !== undefined && followed.node === node) {
      if (timeMs > followed.timeMs) this.#followed.set(code, { node, timeMs, heardMs: nowMs })
      return true
    }
    if (followed !== undefined && !this.#isLeft(followed, timeMs, nowMs)) return false
    this.#followed.set(code, { node, timeMs, heardMs: nowMs })
    return true
  }

  /** How many codes are followed at each node that is not silent about them. */
  nodes(nowMs: number): ReadonlyMap<string, number> {
    const counts = new Map<string, number>()
    for (const followed of this.#followed.values()) {
      if (this.#isSilent(followed, nowMs)) continue
      counts.set(followed.node, (counts.get(followed.node) ?? 0) + 1)
    }
    return counts
  }

  #isLeft(followed: Followed, timeMs: number, nowMs: number): boolean {
    return this.#isSilent(followed, nowMs) || timeMs - followed.timeMs > this.#rules.lagMs
  }

  #isSilent({ heardMs }: Followed, nowMs: number): boolean {
    return nowMs - heardMs > this.#rules.silenceMs
  }
}
