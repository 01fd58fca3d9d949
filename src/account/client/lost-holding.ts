import type { StockCode } from '../../domain/instrument.ts'
import type { Quantity } from '../../domain/money.ts'
import type { BrokerDeal, BrokerPosition } from '../../domain/order.ts'
import { type Position, UNKNOWN_COST } from '../../domain/position.ts'
import { keepNewest } from '../model/simulation.ts'
import type { AccountState } from '../model/state.ts'
import { unshownShares } from '../orders/available.ts'
import { costAfterReport } from '../orders/ex-day.ts'
import type { Turn } from '../turn/turn.ts'

/*
 * A client that leaves a holding out of its lists for a while shows it again as it was: then it is the same one, with all
 * that is remembered of it. One of other shares, or at another cost, starts fresh, but for the scale of its cost: without
 * that an ex-day would be taken off an adjusted cost once more, or not at all off one that the broker never adjusts. In
 * memory only.
 */

/** A holding that is about to be closed because lists lack it, and deals have not sold all of it. */
export function noteLost({ state }: Turn, code: StockCode): void {
  const before = state.positions.get(code)
  const quantity = ((before?.quantity ?? 0) + unshownShares(state, code)) as Quantity
  if (before === undefined || quantity <= 0) return
  const held = { ...before, quantity }
  const deals = new Set(Array.from(dealsOf(state, code), ([key]) => key))
  keepNewest(state.lost, LOST_MAX, [code, { held, deals }])
}
/** More are not shown again. */
const LOST_MAX = 100

function* dealsOf(
  { deals }: AccountState,
  code: StockCode,
): Iterable<readonly [key: string, deal: BrokerDeal]> {
  for (const [key, { deal }] of deals) if (deal.code === code) yield [key, deal]
}

/** The holding that is shown again just as lists lost it, but for what deals that were told since have sold of it. */
export function foundAgain({ state }: Turn, row: BrokerPosition): Position | undefined {
  const lost = state.lost.get(row.code)
  if (lost === undefined) return undefined
  const { held, deals } = lost
  const { costPrice, quantity, openDate = '' } = row
  // A row without a cost is no news of it.
  const isCostOther = costPrice > UNKNOWN_COST && costPrice !== held.costPrice
  if (isCostOther || !held.openDate.startsWith(openDate)) return undefined
  let left: number = held.quantity
  for (const [key, { side, quantity: dealt }] of dealsOf(state, row.code)) {
    if (deals.has(key)) continue
    if (side === 'buy') return undefined
    left -= dealt
  }
  if (quantity !== left) return undefined
  state.lost.delete(row.code)
  return held
}

/** What is known of the scale of a cost that is shown again; nothing of what was bought since. */
export function scaleOfFound(
  turn: Turn,
  row: BrokerPosition,
): Pick<Position, 'effectiveCost' | 'exDay'> {
  const { lost, day } = turn.state
  const before = lost.get(row.code)?.held
  lost.delete(row.code)
  if (before?.exDay === undefined) return {}
  const { exDay, effectiveCost = 0 } = before
  const { costPrice, quantity, openDate = '' } = row
  if (openDate >= exDay.day) return {}
  const isSame = costPrice === before.costPrice && quantity === before.quantity
  // On another day another cost is that of deals that nobody has told of.
  if (!isSame && (openDate === '' || exDay.day !== day)) return {}
  return {
    exDay,
    ...(effectiveCost > 0 && { effectiveCost: effectiveCost as Position['costPrice'] }),
    ...costAfterReport(turn, before, row),
  }
}
