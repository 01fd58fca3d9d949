import type { Tick } from '../protocol/market.ts'
import type { Closes } from './closes.ts'
import type { QuoteWriter } from './quote-board.ts'
import type { SavedQuotes } from './saved.ts'

/** The last quote of a code, with what was known of its closes beside it. */
export interface KeptQuote {
  readonly tick: Tick
  readonly closes: Closes | undefined
}

/** Puts what was saved on the board, under the first live quote. */
export function layKept(writer: QuoteWriter, slot: number, { tick, closes }: KeptQuote): void {
  writer.write(slot, tick)
  if (closes !== undefined) writer.restoreCloses(slot, closes)
}

/** The same where nobody knows any more which price was the close of its day. */
export function withoutClose({ tick, closes }: KeptQuote): KeptQuote {
  const [closeBefore, lastCloseBefore, , ...told] = closes ?? NO_CLOSES
  return { tick, closes: [closeBefore, lastCloseBefore, 0, ...told] }
}
const NO_CLOSES: Closes = [0, 0, 0]

/** The newest quote of each code, whoever has saved it; of two of one time that of the earlier set. */
export function newestQuotes(sets: readonly SavedQuotes[]): ReadonlyMap<string, KeptQuote> {
  const newest = new Map<string, KeptQuote>()
  for (const { ticks, closes = {} } of sets) {
    for (const tick of ticks) {
      const { stock_code: code, time } = tick
      const known = newest.get(code)
      if (known === undefined || time > known.tick.time) {
        newest.set(code, { tick, closes: closes[code] })
      }
    }
  }
  return newest
}

/** Time of the newest quote of a set, epoch ms; 0 of none. */
export const newestMsOf = ({ ticks }: SavedQuotes): number =>
  ticks.reduce((newest, { time }) => Math.max(newest, time), 0)
