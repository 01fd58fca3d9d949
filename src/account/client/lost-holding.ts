import type { StockCode } from '../../domain/instrument.ts'
import type { BrokerPosition } from '../../domain/order.ts'
import type { Position } from '../../domain/position.ts'
import { keepNewest } from '../model/simulation.ts'
import { unshownShares } from '../orders/available.ts'
import { costAfterReport } from '../orders/ex-day.ts'
import type { Turn } from '../turn/turn.ts'

/*
 * A client that leaves a holding out of its lists for a while shows it again as it was. It starts fresh then, but for the
 * scale of its cost: without that an ex-day would be taken off an adjusted cost once more, or not at all off one that the
 * broker never adjusts. In memory only.
 */

/** A holding that is about to be closed because lists lack it. */
export function noteLost({ state }: Turn, code: StockCode): void {
  const held = state.positions.get(code)
  if (held?.exDay === undefined || unshownShares(state, code) !== 0) return
  keepNewest(state.lost, LOST_MAX, [code, held])
}
/** More are not shown again. */
const LOST_MAX = 100

/** What is known of the scale of a cost that is shown again; nothing of what was bought since. */
export function scaleOfFound(
  turn: Turn,
  row: BrokerPosition,
): Pick<Position, 'effectiveCost' | 'exDay'> {
  const { lost, day } = turn.state
  const before = lost.get(row.code)
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
