import type { AccountInput } from '../../src/account/step.ts'

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
