import type { AccountInput } from '../../src/account/step.ts'
import type { StockCode } from '../../src/domain/instrument.ts'

/** One thing to work off; `done` is called when all that follows from it has been done. */
export interface Item {
  readonly input: AccountInput
  readonly done: () => void
  /** When the wake-up behind it was sent; undefined when none was. */
  readonly wokenAtMs: number | undefined
}

/** News of the broker that wait together are judged together. */
export const areNews = ({ input }: Item, before: Item): boolean =>
  input.kind === 'driver' && before.input.kind === 'driver'

/** Of all that were received together. */
export const doneOf = (item: Item, others: readonly Item[]): (() => void) =>
  others.length === 0
    ? item.done
    : () => {
        for (const { done } of [item, ...others]) done()
      }

/**
 * Stocks whose quotes are to be looked at: one message waits, and while it does the next ones join it, however long the
 * disk keeps the account from deciding.
 */
export class WaitingQuotes {
  #waiting: StockCode[] | undefined

  /** Whether a message waits, which looks at these as well. */
  join(crossed: readonly StockCode[]): boolean {
    const waiting = this.#waiting
    if (waiting === undefined) return false
    waiting.push(...crossed.filter((code) => !waiting.includes(code)))
    return true
  }

  /** A message that the next ones may join. */
  begin(crossed: readonly StockCode[]): AccountInput {
    this.#waiting = [...crossed]
    return { kind: 'quotes', crossed: this.#waiting }
  }

  /** It is worked off: what comes now is another one. */
  received(): void {
    this.#waiting = undefined
  }
}
