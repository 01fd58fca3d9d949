import type { StockCode } from '../../domain/instrument.ts'
import type { BrokerPosition } from '../../domain/order.ts'
import type { Position } from '../../domain/position.ts'
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

/** A holding that is about to be closed because lists lack it. */
export function noteLost({ state }: Turn, code: StockCode): void {
  const held = state.positions.get(code)
  if (held === undefined || unshownShares(state, code) !== 0) return
  keepNewest(state.lost, LOST_MAX, [code, { held, deals: new Set(dealsOf(state, code)) }])
}
/** More are not shown again. */
const LOST_MAX = 100

function* dealsOf({ deals }: AccountState, code: StockCode): Iterable<string> {
  for (const [key, { deal }] of deals) if (deal.code === code) yield key
}

/** The holding that is shown again just as lists lost it, and no deal that was told since has sold or bought of it. */
export function foundAgain({ state }: Turn, row: BrokerPosition): Position | undefined {
  const lost = state.lost.get(row.code)
  if (lost === undefined) return undefined
  const { held, deals } = lost
  const { costPrice, quantity, openDate = '' } = row
  const isSame = costPrice === held.costPrice && quantity === held.quantity
  if (!isSame || !held.openDate.startsWith(openDate)) return undefined
  for (const key of dealsOf(state, row.code)) if (!deals.has(key)) return undefined
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
