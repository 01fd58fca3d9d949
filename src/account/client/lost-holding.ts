import type { StockCode } from '../../domain/instrument.ts'
import type { BrokerPosition } from '../../domain/order.ts'
import { type Position, UNKNOWN_COST } from '../../domain/position.ts'
import { keepNewest } from '../model/simulation.ts'
import { unshownShares } from '../orders/available.ts'
import { costAfterReport } from '../orders/ex-day.ts'
import type { Turn } from '../turn/turn.ts'

/*
 * A client that leaves a holding out of its lists for a while shows it again as it was. The same shares at the same cost are
 * what they were on that day: nothing that protects them is forgotten, and what a person has switched off stays off. Else it starts
 * fresh, but for the scale of its cost: without that an ex-day would be taken off an adjusted cost once more, or not at
 * all off one that the broker never adjusts. In memory only.
 */

/** A holding that is about to be closed because lists lack it. */
export function noteLost({ state }: Turn, code: StockCode): void {
  const position = state.positions.get(code)
  if (position === undefined || unshownShares(state, code) !== 0) return
  keepNewest(state.lost, LOST_MAX, [code, { position, day: state.day }])
}
/** More are not shown again. */
const LOST_MAX = 100

/** What is remembered of a holding that is shown again; nothing of what was bought since. */
export function foundAgain(turn: Turn, row: BrokerPosition): Partial<Position> {
  const { lost, day } = turn.state
  const before = lost.get(row.code)
  lost.delete(row.code)
  if (before === undefined) return {}
  const { position } = before
  return before.day === day && isSameHolding(row, position)
    ? rememberedOf(position)
    : scaleOf(turn, row, position)
}

/** Shares that were bought again on that day are others: they were opened on it, or cost something else. */
const isSameHolding = ({ quantity, costPrice, openDate }: BrokerPosition, held: Position) =>
  quantity === held.quantity &&
  (costPrice === held.costPrice || costPrice <= UNKNOWN_COST) &&
  (openDate === undefined || held.openDate.startsWith(openDate))

/** All but what the row tells, and the newest look. */
function rememberedOf(position: Position): Partial<Position> {
  const { code, name, quantity, sellable, stopLossPrice, actedTickMs, updatedMs, ...remembered } =
    position
  return remembered
}

function scaleOf(
  turn: Turn,
  row: BrokerPosition,
  before: Position,
): Pick<Position, 'effectiveCost' | 'exDay'> {
  const { exDay, effectiveCost = 0 } = before
  const { costPrice, quantity, openDate = '' } = row
  if (exDay === undefined || openDate >= exDay.day) return {}
  const isSame = costPrice === before.costPrice && quantity === before.quantity
  // On another day another cost is that of deals that nobody has told of.
  if (!isSame && (openDate === '' || exDay.day !== turn.state.day)) return {}
  return {
    exDay,
    ...(effectiveCost > 0 && { effectiveCost: effectiveCost as Position['costPrice'] }),
    ...costAfterReport(turn, before, row),
  }
}
