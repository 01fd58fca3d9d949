import type { ChoiceRules, QuoteSight } from './quote-choice.ts'
import { rankOf } from './rendezvous.ts'

interface Heard {
  readonly timeMs: number
  /** By our own steady clock. */
  readonly heardMs: number
}

/**
 * Whether this node tells its quotes of a code, where others have them too. The first by a number that is the same
 * everywhere does, the others hear it and are quiet; when it is silent, or far behind them, they tell theirs. Nothing is
 * agreed on: for a while two may tell the same, and whoever takes quotes follows one of them.
 */
export class QuoteTurn {
  readonly #node: string
  readonly #rules: ChoiceRules
  /** The newest quote of a node that comes before us, by code. */
  readonly #heard = new Map<string, Heard>()

  constructor(node: string, rules: ChoiceRules) {
    this.#node = node
    this.#rules = rules
  }

  /** A quote that a node, perhaps this one, has told. */
  hear(code: string, { node, timeMs }: QuoteSight, nowMs: number): void {
    if (node === this.#node || rankOf(code, this.#node, [node]) === 0) return
    const before = this.#heard.get(code)
    if (before !== undefined && before.timeMs >= timeMs) return
    this.#heard.set(code, { timeMs, heardMs: nowMs })
  }

  isOurs(code: string, timeMs: number, nowMs: number): boolean {
    const heard = this.#heard.get(code)
    if (heard === undefined) return true
    const { silenceMs, lagMs } = this.#rules
    return nowMs - heard.heardMs > silenceMs || timeMs - heard.timeMs > lagMs
  }

  forget(code: string): void {
    this.#heard.delete(code)
  }
}
