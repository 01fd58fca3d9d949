import type { StockCode } from '../../domain/instrument.ts'
import type { Price, Quantity } from '../../domain/money.ts'
import type { Draft } from './draft.ts'

/**
 * A split, bonus issue, consolidation or dividend at the counter, for tests: real brokers show it in the books
 * before the open, in the course of the day, days later or never, and the shares at another time than the cost.
 * Given to `startService` (or to the constructor of `PaperActor`), never over HTTP. Plain data, so that it
 * reaches the thread. It touches no price: what the market shows is up to the ticks of the test.
 *
 *   A bonus of 1 for 10, shown before the open of the ex-day:  shares 1.1, cost 1 / 1.1, both from 09:00.
 *   A dividend of 0.50 at 10 yuan that the broker never takes off the cost:  shares 1, cost 1, both null.
 */
export interface CorporateAction {
  readonly code: StockCode
  /** What one share becomes, fractions dropped; those that were sellable stay so, and the new ones are. */
  readonly shares: number
  /** What the cost is multiplied by, rounded to a ten-thousandth of a yuan. */
  readonly cost: number
  /** Moment of the market clock from which the books show it, epoch ms; null = never. */
  readonly sharesFromMs: number | null
  readonly costFromMs: number | null
}

type Part = 'shares' | 'cost'

/** Follows what is due, each part once and for all: the mark goes into the books with it. Returns the codes that it moved. */
export function followActions(
  draft: Draft,
  actions: readonly CorporateAction[],
  nowMs: number,
): readonly StockCode[] {
  const moved: StockCode[] = []
  for (const action of actions) {
    const isMoved = [follow(draft, action, 'shares', nowMs), follow(draft, action, 'cost', nowMs)]
    if (isMoved.includes(true)) moved.push(action.code)
  }
  return moved
}

function follow(draft: Draft, action: CorporateAction, part: Part, nowMs: number): boolean {
  const fromMs = part === 'shares' ? action.sharesFromMs : action.costFromMs
  if (fromMs === null || nowMs < fromMs) return false
  // A row of its own among the marks of the newest tick that was acted upon.
  const mark = `${action.code} ${part}` as StockCode
  if (draft.actedMs(mark) >= fromMs) return false
  draft.act(mark, fromMs)
  const held = draft.holding(action.code)
  if (held === undefined || held.quantity === 0) return false
  if (part === 'cost') {
    draft.putHolding({ ...held, costPrice: Math.round(held.costPrice * action.cost) as Price })
  } else {
    const quantity = Math.floor(held.quantity * action.shares + ROUNDING) as Quantity
    draft.putHolding({ ...held, quantity })
  }
  return true
}

/** 1,000 × 1.1 is 1,100 and not a share less. */
const ROUNDING = 1e-6
